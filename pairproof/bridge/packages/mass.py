"""MASS::polr as a Rao-Kupper model: ties by a threshold.

    logit P(first wins) = b_i - b_j - delta,   logit P(second wins) = b_j - b_i - delta,   a tie is the rest,

delta = log theta >= 0 (Rao & Kupper 1967).  polr's thresholds are free; each row and its mirror (sides and
outcome swapped) with half weight make them symmetric, and the likelihood and its information those of the
rows themselves.

polr minimises by BFGS and stops where its objective (some hundreds) no longer changes in its last bit: 7 to 8
digits of the estimates, and its Hessian takes numerical steps of 1e-3.  With ``polish`` polr runs as it is,
in an environment where ``optim`` alone is another: it calls R's optim, then takes Newton steps on polr's own
score until that is zero, and the Hessian with steps of 1e-5.  Seen on Dras's Table 1 against 50-digit values:
estimates 15 digits, standard errors 10. Standard errors are from the observed information.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pairproof.bridge.packages.models import Floats, asks, named_matrix, number
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.records.result import RResult
from pairproof.bridge.values.convert import data_frame
from pairproof.bridge.values.nodes import factor
from pairproof.bridge.values.values import Formula

NEEDS = ("MASS",)

POLR = """
watching <- new.env(parent = environment(MASS::polr))
watching$optim <- function(par, fn, gr, ..., hessian = FALSE) {
  best <- stats::optim(par, fn, gr, ..., hessian = hessian)
  if (!polish) return(best)
  curvature <- function(at) stats::optimHess(at, fn, function(p) as.numeric(gr(p)), control = list(ndeps = rep(step, length(at))))
  for (i in 1:4) best$par <- best$par - solve(curvature(best$par), as.numeric(gr(best$par)))
  best$value <- fn(best$par)
  best$hessian <- curvature(best$par)
  best
}
own <- function(f) { environment(f) <- watching; f }
watching$polr.fit <- own(get("polr.fit", envir = environment(MASS::polr)))
fit <- own(MASS::polr)(formula, data = data, weights = w, Hess = TRUE, control = list(reltol = reltol, maxit = maxit))
list(coef = stats::coef(fit), zeta = fit$zeta, vcov = stats::vcov(fit), loglik = as.numeric(stats::logLik(fit)),
     convergence = fit$convergence, calls = unname(fit$niter))
"""


@dataclass(frozen=True, eq=False)
class RaoKupper:
    """Abilities on the log-odds scale and the tie threshold, as polr finds them.

    Attributes
    ----------
    names : tuple of str
        Items but the reference, then "delta".
    coef, se : float[n];  vcov : float[n, n]
    loglik : float
        Of the comparisons, without constants.
    asymmetry : float
        Sum of polr's two thresholds, 0 in exact arithmetic: shows how far it converged.
    converged : bool
    """

    names: tuple[str, ...]
    coef: Floats
    se: Floats
    vcov: Floats
    loglik: float
    asymmetry: float
    converged: bool
    result: RResult = field(repr=False)

    def params(self) -> dict[str, float]:
        """Name to estimate."""
        return dict(zip(self.names, self.coef.tolist()))

    def bse(self) -> dict[str, float]:
        """Name to standard error."""
        return dict(zip(self.names, self.se.tolist()))


@asks(*NEEDS)
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
    """R's ``polr(outcome ~ items, weights = count / 2)`` on each row of counts and its mirror.

    Parameters
    ----------
    first, second, wins, ties, losses : columns of counts, from the first item's side
    reference : str, optional
        Item at 0; default the last.
    order : sequence of float, optional
        1 where the one named first was presented first, -1 where second, 0 on neutral ground: adds ``order``,
        the full log-odds in favour of the one presented first.
    by : mapping of str to float[rows], optional
        Columns that the items are multiplied with (a level's 0 and 1, a number): adds ``A:NAME`` for every
        item and name.
    polish : bool
        See the module; False is polr as it comes, at this ``reltol``.
    step : float
        Of the numerical Hessian when polishing.

    Raises
    ------
    ValueError
        Unknown items; no ties at all, where delta lies on its boundary 0.
    RError
        R's own.
    """
    left_out = items[-1] if reference is None else reference
    place = {item: j for j, item in enumerate(items)}
    unknown = sorted({x for x in [*first, *second, left_out] if x not in place})
    if unknown:
        raise ValueError(f"{unknown} are not among the items {list(items)}")
    if not np.sum(np.asarray(ties, dtype=np.float64)) > 0:
        raise ValueError(
            "there are no ties in these counts, so Rao-Kupper's delta is at its boundary 0; fit the model "
            "without ties (BTm)"
        )
    n = len(first)
    design = np.zeros((n, len(items) + 1))
    design[np.arange(n), [place[x] for x in first]] = 1.0
    design[np.arange(n), [place[x] for x in second]] = -1.0
    design[:, -1] = 0.0 if order is None else np.asarray(order, dtype=np.float64)
    kept = [j for j in range(len(items)) if items[j] != left_out] + ([] if order is None else [len(items)])
    own = [j for j in kept if j < len(items)]
    names = [items[j] if j < len(items) else "order" for j in kept]
    columns = [f"o{j + 1}" if j < len(items) else "order" for j in kept]
    parts = [design[:, kept]]
    for k, (name, values) in enumerate((by or {}).items()):
        parts.append(design[:, own] * np.asarray(values, dtype=np.float64)[:, None])
        names += [f"{items[j]}:{name}" for j in own]
        columns += [f"o{j + 1}.v{k + 1}" for j in own]
    full = np.concatenate(parts, axis=1)
    counts = np.stack([np.asarray(c, dtype=np.float64) for c in (losses, ties, wins)])  # outcome 0, 1, 2
    signs, outcomes = np.array([1.0, -1.0]), np.array([[0, 1, 2], [2, 1, 0]])
    rows = (signs[:, None, None, None] * full[None, None, :, :]) * np.ones((1, 3, 1, 1))
    weights = np.broadcast_to(counts / 2.0, (2, 3, n)).ravel()
    outcome = np.broadcast_to(outcomes[:, :, None], (2, 3, n)).ravel()
    present = weights > 0
    table: dict[str, Any] = {
        "outcome": factor(outcome[present], ["second", "tie", "first"]),
        "w": weights[present],
    }
    table.update(zip(columns, rows.reshape(-1, len(columns))[present].T))
    formula = Formula("outcome ~ " + " + ".join(columns))
    arguments = {
        "formula": formula,
        "data": data_frame(table),
        "reltol": reltol,
        "maxit": int(maxit),
        "step": step,
        "polish": polish,
    }
    result = policy(backend).call(code=POLR, args=arguments, needs=NEEDS, label="MASS::polr")
    return _rao_kupper(result, names)


def _rao_kupper(result: RResult, names: list[str]) -> RaoKupper:
    """Thresholds (-delta, delta) as one delta, by the delta method: delta = (zeta_2 - zeta_1) / 2."""
    value = result.as_list()
    beta, zeta = value.vector("coef").floats(), value.vector("zeta").floats()
    _, whole = named_matrix(value.vector("vcov"))
    if len(beta) != len(names):
        raise ValueError(
            f"polr dropped columns of {names}: some items are not tied to the rest by comparisons"
        )
    fold = np.zeros((len(beta) + 1, len(beta) + 2))
    fold[: len(beta), : len(beta)] = np.eye(len(beta))
    fold[-1, -2:] = -0.5, 0.5
    vcov = fold @ whole @ fold.T
    return RaoKupper(
        (*names, "delta"),
        fold @ np.concatenate([beta, zeta]),
        np.sqrt(np.diag(vcov)),
        vcov,
        number(value["loglik"]),
        float(zeta.sum()),
        number(value["convergence"]) == 0.0,
        result,
    )
