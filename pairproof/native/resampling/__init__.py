"""Inference without a normal approximation: bootstraps by cluster, wild score tests, profile likelihoods."""
