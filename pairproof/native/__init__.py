"""Models in Python: numpy and scipy, no R.  Imports nothing of `bridge` or `validation`."""
