"""Files: read within bounds, written without loss, unpacked, and known again as our own."""
