"""Files: read within bounds, written without loss, unpacked, and recognised as pairproof's own."""
