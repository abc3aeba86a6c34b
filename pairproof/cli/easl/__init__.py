"""The commands of `pairproof easl`, a module for each step of a campaign."""
