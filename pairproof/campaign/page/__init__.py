"""The page on which annotators answer, one file without any connection."""
