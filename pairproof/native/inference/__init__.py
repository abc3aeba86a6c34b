"""Inference beyond the normal approximation: profile likelihoods, score tests, wild tests, bootstraps."""
