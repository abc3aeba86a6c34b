"""Boards from simulated votes, whose truth is known: pairproof beside arena-rank, FastChat and evalica."""
