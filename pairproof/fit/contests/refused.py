"""Refusals of what there is for plain maximum likelihood of the logit only, each with what to do instead."""

from __future__ import annotations

from ...errors import InputError
from ..record import FitRecord
from ..shown.text import title
from .spec import ContestSpec


def only_plain(fit: FitRecord, asked: str, instead: str = "fit.conf_int() has Wald intervals") -> None:
    """Refuse a fit with another link, an offset, reduced bias, general ties or random effects.

    asked: what is asked for, as the subject of a sentence.  instead: what there is in its place.
    """
    spec = getattr(fit, "spec", None)
    if isinstance(spec, ContestSpec) and not spec.is_plain:
        raise InputError(
            f"{asked} of {title(fit)}: there is one for the logit by plain maximum likelihood, without an offset, reduced"
            f" bias, general ties or random effects; {instead}"
        )
