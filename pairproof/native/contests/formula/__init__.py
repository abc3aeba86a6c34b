"""Formulas of abilities as in BradleyTerry2's BTm: one item's ability, evaluated for both items of each row."""

from .expand import Expanded, expand

__all__ = ["Expanded", "expand"]
