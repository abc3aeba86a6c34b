"""Ratings as weak orders of the items."""
