"""Inference for models of contests: profiles, tests of terms, residuals, pseudo-comparisons, ties side by side."""
