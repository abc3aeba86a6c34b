"""The estimates of a fit: its specification and its numbers, frozen, and abilities, worths and probabilities."""
