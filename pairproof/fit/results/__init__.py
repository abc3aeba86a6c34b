"""Results of particular models: contests, random effects, whole answers, latent classes."""
