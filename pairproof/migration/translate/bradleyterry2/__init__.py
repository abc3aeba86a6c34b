"""BradleyTerry2's functions: models, their abilities and tables, in pairproof's words."""
