"""Small data sets that travel with the package, to try it on."""
