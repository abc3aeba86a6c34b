"""A person's whole answer as one observation: pattern models, rankings, ratings, latent classes.

Numbers in, numbers out: functions of arrays that return frozen dataclasses.
"""
