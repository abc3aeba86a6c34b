"""Formulas: of subject covariates, with which abilities vary, and of abilities, as in BTm."""
