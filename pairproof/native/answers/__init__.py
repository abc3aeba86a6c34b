"""A person's whole answer as one observation: pattern models, rankings, ratings, latent classes, and trees."""
