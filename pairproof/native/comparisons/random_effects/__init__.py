"""Bradley-Terry models whose abilities have an error: random effects of players, and of items by judge."""
