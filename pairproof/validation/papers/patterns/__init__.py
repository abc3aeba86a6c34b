"""Models of whole answers compared with 50-digit values and R: pattern models, rankings, latent classes."""
