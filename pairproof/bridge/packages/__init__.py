"""One module for each R package, its functions under R's own names."""
