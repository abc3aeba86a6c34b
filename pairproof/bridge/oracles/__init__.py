"""Equations of papers worked in base R: independent answers for models that no R package has."""
