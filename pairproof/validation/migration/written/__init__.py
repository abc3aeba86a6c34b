"""The files of a migration: analysis.py, its data, its test, and R's numbers of that run."""
