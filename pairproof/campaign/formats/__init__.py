"""Files of annotation: told apart by content, read, and tables of scores made into campaigns."""
