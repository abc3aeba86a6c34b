"""Models of whole answers in base R, by plain enumeration: the independent optimum, and the script of `to_r`."""
