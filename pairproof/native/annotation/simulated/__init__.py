"""Simulated annotators, and campaigns with them."""
