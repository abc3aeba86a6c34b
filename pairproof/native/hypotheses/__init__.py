"""Fits under a hypothesis: profile likelihoods, wild cluster score tests, robust score tests."""
