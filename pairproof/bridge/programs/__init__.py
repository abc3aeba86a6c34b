"""R programs written from a fit: for `verify`, which runs them, and as the scripts of `to_r`."""
