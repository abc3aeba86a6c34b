"""The commands of `pairproof`, one module each."""
