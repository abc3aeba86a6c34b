"""Python code as values: what is evaluated is what is written."""
