"""Refusals of what there is for models of comparisons only, each with what to do instead."""

from __future__ import annotations

from ...errors import InputError
from ..record import FitRecord
from .spec import AnswerSpec

WALD = (
    "fit.clustered(column).contrast(a, b) has a Wald test that holds where persons of a cluster go together"
)
#: What is asked for -> what there is in its place.
INSTEAD = {
    "the Poisson log-likelihood": "fit.llf is that of the answers, without constants",
    "the score test": WALD,
    "the wild cluster test": WALD,
}


def only_comparisons(fit: FitRecord, asked: str) -> None:
    """Refuse a fit of whole answers.

    asked: a key of `INSTEAD`.
    """
    if isinstance(getattr(fit, "spec", None), AnswerSpec):  # what is no fit at all is refused by its reader
        raise InputError(
            f"{asked} is for models of comparisons, and this one is of whole answers; {INSTEAD[asked]}"
        )
