"""Recorded calls of R functions, and the Python calls that say the same."""
