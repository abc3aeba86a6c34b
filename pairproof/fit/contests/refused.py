"""Refusals of what not every model of contests has, each with what to do instead."""

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


def clusters_exist(spec: ContestSpec, kind: str) -> None:
    """Refuse standard errors by cluster where the likelihood is no product over rows, or CR2 has no root."""
    if spec.random:
        raise InputError(
            f"standard errors by cluster of a model with random effects ({', '.join(spec.random)}): its likelihood is no"
            " product over the rows of a table, since comparisons of an item or judge share an effect; judges as random"
            " effects, random='item:judge', allow for judges that differ"
        )
    if spec.link == "cauchit" and kind == "CR2":
        raise InputError(
            "kind='CR2' with link='cauchit': its likelihood is not concave, so that the information of a cluster may be"
            " negative and the adjustment has no root; kind='CR1'"
        )
