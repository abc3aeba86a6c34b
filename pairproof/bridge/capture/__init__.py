"""Runs an R script unchanged and records its calls of fitting functions."""
