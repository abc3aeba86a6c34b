"""Refusals of what takes rows of a table as observed answers, where some are pseudo-comparisons."""

from __future__ import annotations

from ...errors import InputError
from ..record import FitRecord


def only_observed(fit: FitRecord, asked: str) -> None:
    """Refuse a fit with pseudo-comparisons.

    asked: what is asked for, as the subject of a sentence.
    """
    words = getattr(getattr(fit, "spec", None), "pseudo_comparisons", "")
    if words:
        raise InputError(
            f"{asked} of a fit {words}: nobody made these comparisons, and they would be taken as answers; fit the table"
            " without them, with reduce_bias='mean' where estimates have to be finite"
        )
