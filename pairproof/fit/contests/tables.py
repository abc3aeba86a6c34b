"""Probabilities of the outcomes of all pairs, under any link and with general ties.

Limits: without ties those of the linear predictor, F(eta -+ q se(eta)), since F only rises; with ties those of the
logit of each probability by the delta method, whose derivatives by eta and the tie parameters are central differences
(steps of 1e-5, so that they are right to 1e-9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, TooLargeError
from .. import inference
from ..comparison_values import comparison_function
from ..family import LOG_WORTH_PER_UNIT
from ..intervals import MOST_ROWS as MOST_LIMITS, limits, spread
from ..predictions import MOST_ROWS, ability_functions, find_group
from ..record import FitRecord, find_item
from ..spec import Value
from .outcomes import Outcomes

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
STEP = 1e-5


class _Of(Protocol):
    def __call__(self, eta: FloatArray, ties: FloatArray) -> FloatArray:
        """float[n, 3]."""


def probabilities(
    fit: FitRecord,
    outcomes: Outcomes,
    group: str | None,
    at: Mapping[str, Value] | None,
    order: bool,
    items: Sequence[str] | None,
    level: float | None,
    comparison: Mapping[str, Value] | None,
) -> pd.DataFrame:
    """P(first), P(tie), P(second) of every ordered pair; see :meth:`pairproof.fit.contests.fit.ContestFit.probabilities`."""
    import pandas as pd

    shifted = any(t.name == "tie-shift" for t in fit.terms)
    if order and not (fit.spec.order_effect or shifted):
        raise InputError("order=True, but the model has no order effect; fit it with order_effect=True")
    if isinstance(items, str):
        raise InputError(f"items={items!r}; expected a list of item names, for example [{items!r}, ...]")
    where = find_group(fit, group, at)
    names = fit.items if items is None else tuple(dict.fromkeys(items))
    chosen = np.array([find_item(fit.items, name) for name in names], np.int64)
    n = len(chosen)
    most = MOST_ROWS if level is None else MOST_LIMITS
    if n * (n - 1) > most:
        raise TooLargeError(
            f"probabilities of {n:,} items are {n * (n - 1):,} rows (limit {most:,}{' with limits' if level else ''});"
            " name some of them: items=[...]"
        )
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    i, j = i[i != j], j[i != j]
    unit = LOG_WORTH_PER_UNIT[fit.scale]  # eta is in units of the link, whatever scale the items are on
    ability = unit * ability_functions(fit, where, chosen.tolist())
    functions = ability[i] - ability[j]
    if order:
        functions = functions + np.array([float(t.kind == "order") for t in fit.terms])
    if comparison is not None:
        functions = functions + comparison_function(fit, comparison, where)
    eta = np.where(fit.vanishes(functions @ fit.null_space), functions @ fit.beta, np.nan)
    home = np.full(len(eta), float(order))
    place = np.flatnonzero([t.kind in ("tie", "tie-of") for t in fit.terms])

    def of(eta: FloatArray, ties: FloatArray) -> FloatArray:
        return outcomes.probabilities(eta, home, ties)

    label = np.array(fit.items, dtype=object)
    p = of(eta, fit.beta[place])
    frame = pd.DataFrame({"group": "all" if group is None else group, "first": label[chosen[i]]})
    frame["second"] = label[chosen[j]]
    for k, name in enumerate(("p_first", "p_tie", "p_second")):
        frame[name] = p[:, k]
    if level is None:
        return frame
    if not len(place):
        se, _ = spread(fit, functions)
        half = inference.normal_quantile(0.5 + level / 2) * se
        low, high = of(eta - half, np.zeros(0)), of(eta + half, np.zeros(0))
        edges = [(low[:, 0], high[:, 0]), (low[:, 1], high[:, 1]), (high[:, 2], low[:, 2])]
    else:
        edges = _by_delta(fit, of, eta, functions, place, p, level)
    for name, (lower, upper) in zip(("p_first", "p_tie", "p_second"), edges):
        frame[f"{name}_low"], frame[f"{name}_high"] = lower, upper
    return frame


def _by_delta(
    fit: FitRecord,
    of: _Of,
    eta: FloatArray,
    functions: FloatArray,
    place: NDArray[np.int64],
    p: FloatArray,
    level: float,
) -> list[tuple[FloatArray, FloatArray]]:
    ties = fit.beta[place]
    by_eta = (of(eta + STEP, ties) - of(eta - STEP, ties)) / (2.0 * STEP)
    by_tie = []
    for k in range(len(ties)):
        up, down = ties.copy(), ties.copy()
        up[k], down[k] = ties[k] + STEP, ties[k] - STEP
        by_tie.append((of(eta, up) - of(eta, down)) / (2.0 * STEP))
    out = []
    for outcome in range(3):
        slopes = by_eta[:, outcome, None] * functions
        for k, derivative in zip(place, by_tie):
            slopes[:, k] += derivative[:, outcome]
        se, df = spread(fit, slopes)
        out.append(limits(p[:, outcome], se, df, level))
    return out
