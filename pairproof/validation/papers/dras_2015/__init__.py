"""Dras (2015), preferences of judges by log-linear Bradley-Terry models."""
