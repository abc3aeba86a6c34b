"""The pages of the documentation, and what makes the numbers in them: `python -m tools.pages`."""
