"""MASS::polr as a Rao-Kupper model: ties by a threshold.

    logit P(first wins) = b_i - b_j - delta,   logit P(second wins) = b_j - b_i - delta,   a tie is the rest,

delta = log theta >= 0 (Rao & Kupper 1967).  polr's thresholds are free; each row and its mirror (sides and
outcome swapped) with half weight make them symmetric, and the likelihood and its information those of the
rows themselves.

polr minimises by BFGS and stops where its objective (some hundreds) no longer changes in its last bit: 7 to 8
digits of the estimates, and its Hessian takes numerical steps of 1e-3.  With ``polish`` polr runs as it is,
except that it finds another ``optim``: one that calls R's optim, then takes Newton steps on polr's own
score until that is zero, and the Hessian with steps of 1e-5.  Seen on Dras's Table 1 against 50-digit values:
estimates 15 digits, standard errors 10. Standard errors are from the observed information.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..process.policy import BackendLike
from ..records.calls import RResult
from ..values.convert import data_frame
from ..values.nodes import Formula, RArgument, factor
from .asking import Estimates, Floats, ask, asks, number, positions, program, reals, sent

#: R: `own(MASS::polr)` is polr with another `optim`, which takes Newton steps on polr's own score after R's.
POLISHED = program(__package__, "r/mass_polished")
_FIT_POLR = """fit <- own(MASS::polr)(formula, data = data, weights = w, Hess = TRUE, control = list(reltol = reltol, maxit = maxit))
list(coef = stats::coef(fit), zeta = fit$zeta, vcov = stats::vcov(fit), loglik = as.numeric(stats::logLik(fit)),
     convergence = fit$convergence, calls = unname(fit$niter))
"""
POLR = POLISHED + _FIT_POLR


@dataclass(frozen=True, eq=False)
class RaoKupper(Estimates):
    """Abilities on the log-odds scale and the tie threshold, as polr finds them.

    names: items but the reference, then "delta".  coef, se float[n].  vcov float[n, n].  loglik: of the
    comparisons, without constants.  asymmetry: sum of polr's two thresholds, 0 in exact arithmetic: shows how
    far it converged.
    """

    loglik: float
    asymmetry: float
    converged: bool


@asks("MASS")
def polr(
    first: Sequence[str],
    second: Sequence[str],
    wins: Sequence[float],
    ties: Sequence[float],
    losses: Sequence[float],
    *,
    items: Sequence[str],
    reference: str | None = None,
    order: Sequence[float] | None = None,
    by: Mapping[str, Sequence[float]] | None = None,
    reltol: float = 1e-16,
    maxit: int = 1000,
    step: float = 1e-5,
    polish: bool = True,
    backend: BackendLike = None,
) -> RaoKupper:
    """R's ``MASS::polr(outcome ~ items, weights = count / 2)`` on each row of counts and its mirror.

    Parameters
    ----------
    first, second : str[rows]
    wins, ties, losses : float[rows]
        Counts from the first item's side.
    items : sequence of str
    reference : str, optional
        Item at 0; default the last.
    order : float[rows], optional
        1 where the one named first was presented first, -1 where second, 0 on neutral ground: adds ``order``,
        the full log-odds in favour of the one presented first.
    by : mapping of str to float[rows], optional
        Columns that the items are multiplied with (a level's 0 and 1, a number): adds ``A:NAME`` for every
        item and name.
    reltol, maxit : float, int
        polr's own stopping rule.
    step : float
        Of the numerical Hessian when polishing.
    polish : bool
        See the module; False is polr as it comes, at this ``reltol``.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RaoKupper
        float[n] of n = items - 1 (+ order, + items - 1 for each of ``by``) + 1 parameters.

    Raises
    ------
    ValueError
        Unknown items; no ties at all, where delta lies on its boundary 0.
    RError
        R's own.

    Examples
    --------
    >>> polr(["A"], ["B"], [61], [24], [35], items=["A", "B"]).params()  # doctest: +SKIP
    """
    left_out = items[-1] if reference is None else reference
    place = positions(items, first, second, [left_out])
    if not np.sum(ties) > 0:
        found = "there are no ties in these counts, so Rao-Kupper's delta is at its boundary 0"
        raise ValueError(f"{found}; fit the model without ties (BTm)")
    design = np.zeros((len(first), len(items) + 1))
    design[np.arange(len(first)), [place[x] for x in first]] = 1.0
    design[np.arange(len(first)), [place[x] for x in second]] = -1.0
    design[:, -1] = 0.0 if order is None else order
    own = [j for j, item in enumerate(items) if item != left_out]
    names, columns = [items[j] for j in own], [f"o{j + 1}" for j in own]
    parts = [design[:, own]]
    if order is not None:
        names, columns, parts = [*names, "order"], [*columns, "order"], [*parts, design[:, -1:]]
    for k, (name, values) in enumerate((by or {}).items()):
        parts.append(design[:, own] * reals(values)[:, None])
        names += [f"{items[j]}:{name}" for j in own]
        columns += [f"o{j + 1}.v{k + 1}" for j in own]
    made: dict[str, Any] = {"formula": Formula("outcome ~ " + " + ".join(columns))}
    made |= {"data": _mirrored(columns, np.concatenate(parts, axis=1), [losses, ties, wins])}
    arguments = sent(backend, "formula data reltol maxit step polish", **made)
    return _rao_kupper(ask(backend, "MASS::polr", POLR, arguments), names)


def _mirrored(columns: Sequence[str], design: Floats, counts: Sequence[Sequence[float]]) -> RArgument:
    """Every outcome of every row that occurs, then the same with the sides exchanged, each of half weight.

    columns str[n].  design float[rows, n].  counts float[3, rows]: of "second preferred", "tie", "first
    preferred".
    """
    rows = np.stack([sign * design for sign in (1.0, 1.0, 1.0, -1.0, -1.0, -1.0)])
    weights = np.stack([reals(counts[k]) / 2.0 for k in (0, 1, 2, 0, 1, 2)])
    outcome = np.repeat(np.array([0, 1, 2, 2, 1, 0]), len(design)).reshape(weights.shape)
    present = weights > 0
    outcomes = factor(outcome[present], ["second", "tie", "first"])
    table: dict[str, Any] = {"outcome": outcomes, "w": weights[present]}
    return data_frame(table | dict(zip(columns, rows[present].T)))


def _rao_kupper(result: RResult, names: list[str]) -> RaoKupper:
    """Thresholds (-delta, delta) as one delta, by the delta method: delta = (zeta_2 - zeta_1) / 2."""
    value = result.as_list()
    beta, zeta = value.vector("coef").floats(), value.vector("zeta").floats()
    whole = value.vector("vcov").floats()
    if len(beta) != len(names):
        why = "comparisons do not connect some items to the rest"
        raise ValueError(f"polr dropped columns of {names}: {why}")
    fold = np.zeros((len(beta) + 1, len(beta) + 2))
    fold[: len(beta), : len(beta)] = np.eye(len(beta))
    fold[-1, -2:] = -0.5, 0.5
    vcov = fold @ whole @ fold.T
    made: dict[str, Any] = {"names": (*names, "delta"), "coef": fold @ np.concatenate([beta, zeta])}
    made |= {"se": np.sqrt(np.diag(vcov)), "vcov": vcov, "asymmetry": float(zeta.sum())}
    return RaoKupper.read(result, converged=number(value["convergence"]) == 0.0, **made)
