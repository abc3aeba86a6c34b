"""HITs: which items are shown together, to whom."""
