"""Judgments: results files in, retractions, repeats."""
