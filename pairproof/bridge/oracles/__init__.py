"""Equations of papers worked in base R, as independent answers for models that no R package has."""
