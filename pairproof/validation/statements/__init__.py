"""Sentences of papers with a test for each, and computations that no fit has."""
