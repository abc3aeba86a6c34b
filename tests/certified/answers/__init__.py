"""50-digit values of models of whole answers: pattern models, rankings, latent classes."""
