"""Is a design one of paired comparisons?  Pure functions of arrays: nothing is decided by a name."""
