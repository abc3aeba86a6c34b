"""The comparisons of many items that :class:`pairproof.Fit` offers, from a fit to the results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ...data.options import one_of, whole_number
from ...errors import InputError
from ..record import FitRecord, find_item
from ..spec import Value
from .abilities import abilities_of
from .best import against_the_best
from .numbers import Side
from .ranks import rank_sets
from .result import AgainstTheBest, Contrasts, RankSets
from .simultaneous import ADJUSTMENTS, Adjustment, DegreesOfFreedom, Family, contrasts

#: Families that `Fit.contrasts` takes.
FAMILIES = ("all pairs", "against one", "against the best", "against the mean")


def contrasts_of(
    fit: FitRecord,
    family: Family | Literal["against the best"] = "all pairs",
    against: str | None = None,
    adjust: Adjustment = "single-step",
    level: float = 0.95,
    group: str | None = None,
    at: Mapping[str, Value] | None = None,
    df: DegreesOfFreedom = "own",
    seed: int = 0,
) -> Contrasts | AgainstTheBest:
    """See :meth:`pairproof.Fit.contrasts`."""
    one_of("family", family, FAMILIES)
    one_of("adjust", adjust, ADJUSTMENTS)
    whole_number("seed", seed)
    if family == "against the best":
        if against is not None or adjust != "single-step" or df != "own":
            raise InputError(
                f"family='against the best' with against={against!r}, adjust={adjust!r}, df={df!r}; comparisons with the"
                " best are simultaneous, on own degrees of freedom, against no named item"
            )
        return against_the_best(abilities_of(fit, group, at), level, seed)
    one = find_item(fit.items, against) if family == "against one" and against is not None else None
    abilities = abilities_of(fit, group, at, one, family == "against the mean")
    return contrasts(abilities, family, against, adjust, level, df, seed)


def ranks_of(
    fit: FitRecord,
    level: float = 0.95,
    simultaneous: bool = True,
    side: Side = "both",
    group: str | None = None,
    at: Mapping[str, Value] | None = None,
    seed: int = 0,
) -> RankSets:
    """See :meth:`pairproof.Fit.ranks`."""
    whole_number("seed", seed)
    return rank_sets(abilities_of(fit, group, at), level, simultaneous, side, seed)
