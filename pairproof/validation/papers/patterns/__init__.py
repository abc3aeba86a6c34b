"""Models of whole answers held against 50-digit values and R: pattern models, rankings, latent classes."""
