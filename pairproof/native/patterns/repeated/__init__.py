"""Answers of the same persons at several points in time."""
