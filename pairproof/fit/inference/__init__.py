"""Inference on a fit: Wald tests and contrasts, likelihood ratios, residuals and goodness of fit."""
