"""R's survival: strict rankings, and rankings of the best k, as strata of a proportional hazards model.

Each ranking is a stratum, its items are the subjects at risk and ranks are times; an item that is not ranked but
was there is censored behind the last rank.  Cox's partial likelihood is then Plackett and Luce's, with the items
still at risk at each rank for the choices left, which R's PlackettLuce cannot say of the best k.  A hazard is a
worth: log worths are coef, the first item 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...errors import InputError
from ..process.policy import BackendLike
from ..values.convert import data_frame, factor_of
from .asking import Estimates, asks, program, reals

Unranked = Literal["below", "absent"]

#: ``coxph`` at eps 1e-12 takes Newton steps to the end; at 1e-15 it "ran out of iterations", with a standard
#: error of .328 for .448.  It knows ``strata`` by that name alone, ``survival::strata`` would be a covariate.
#: It puts a ranking's weight into its risk sets too, which takes w log w off the log-likelihood at every
#: choice: that is put back.
COXPH = program(__package__, "r/survival_coxph")


@dataclass(frozen=True, eq=False)
class RankingsByCoxph(Estimates):
    """Log worths of rankings by ``coxph``.

    names: the items but the first.  coef, se float[items - 1]: log worth less that of the first item.  vcov
    float[items - 1, items - 1].  loglik, null_loglik: at the maximum; with equal worths. A weight counts a
    ranking as often, as elsewhere in pairproof.
    """

    loglik: float
    null_loglik: float
    iterations: int


@asks("survival")
def coxph(
    ranks: Any,
    items: Sequence[str],
    k: int | None = None,
    unranked: Unranked = "below",
    weights: Sequence[float] | None = None,
    *,
    backend: BackendLike = None,
) -> RankingsByCoxph:
    """R's ``survival::coxph(Surv(time, chosen) ~ item + strata(ranking), ties = "breslow")`` of rankings.

    Parameters
    ----------
    ranks : float[rankings, items]
        1 is best, without ties; 0 or NaN where an item has no rank.
    items : sequence of str
    k : int, optional
        Only the best k of each ranking count; the others were there and were not chosen.
    unranked : {"below", "absent"}
        Items without a rank were there, below all ranked ones, or were not there.
    weights : float[rankings], optional
        Above 0.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RankingsByCoxph

    Raises
    ------
    InputError, RError
        Ties, negative ranks, names or weights of another number; R's own.

    Examples
    --------
    >>> coxph([[1, 2, 3], [2, 1, 3], [3, 1, 2]], ["A", "B", "C"], k=1).coef  # doctest: +SKIP
    """
    values = np.nan_to_num(reals(ranks))
    if values.ndim != 2 or values.shape[1] != len(items) or (values < 0).any():
        needed = f"{len(items)} items need as many columns of ranks, 0 or more"
        raise InputError(f"{needed}; found shape {values.shape}")
    for row, ranking in enumerate(values, 1):
        given = ranking[ranking > 0]
        if len(np.unique(given)) < len(given):
            raise InputError(f"ranking {row} has ties; coxph has no model of ties as choices")
    weight = np.ones(len(values)) if weights is None else reals(weights)
    if weight.shape != (len(values),) or not (weight > 0).all():
        raise InputError(f"weights need a number above 0 for each of {len(values)} rankings")
    last = np.minimum(values.max(axis=1, keepdims=True), np.inf if k is None else float(k))
    chosen = (values > 0) & (values <= last)
    there = (values > 0) | (unranked == "below")
    time = np.where(chosen, values, last + 1)
    who, what = np.nonzero(there)
    item = factor_of([items[j] for j in what.tolist()], items)
    columns = {"time": time[there], "chosen": chosen[there], "item": item}
    table = data_frame(columns | {"ranking": who + 1, "weight": weight[who]})
    return RankingsByCoxph.ask(backend, "survival::coxph", COXPH, {"d": table})
