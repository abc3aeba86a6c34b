"""Likelihoods of a person's whole answer over all patterns that were possible: arrays in, arrays out."""
