"""Latent classes of persons."""
