"""A board as a page with pictures, and the files that are published beside it."""
