"""What R gives where it is asked in the obvious way: clubSandwich on a raw glm, sandwich's HC1.

None of it is what :meth:`pairproof.Fit.clustered` gives, and the claims that print it are accepted as models that native
does not have.  The standard errors of one and the same model then depend on how its comparisons are cut into rows.
"""

from __future__ import annotations

import numpy as np

from ....errors import InputError
from ...statements.registers import Computed, Request, computation, numbers_from_r

#: R: a glm of the decisive answers by the rows that `cut` says, then `how` of it.
RAW = """
x <- (outer(first, seq_len(n_items), "==") - outer(second, seq_len(n_items), "=="))[, -n_items, drop = FALSE]
control <- stats::glm.control(epsilon = 1e-14, maxit = 100L)
if (cut == "counts") {
  fit <- stats::glm(cbind(wins, losses) ~ x - 1, family = stats::binomial(), control = control); at <- seq_along(wins)
} else if (cut == "comparisons") {
  at <- rep(seq_along(wins), wins + losses)
  y <- unlist(Map(function(w, l) rep(1:0, c(w, l)), wins, losses))
  X <- x[at, , drop = FALSE]
  fit <- stats::glm(y ~ X - 1, family = stats::binomial(), control = control)
} else {
  at <- rep(seq_along(wins), 2L)
  y <- c(wins, losses)
  X <- rbind(x, -x) / 2
  nuisance <- if (cut == "nuisance judge x pair") paste(judge, first, second)[at] else paste(first, second)[at]
  fit <- stats::glm(y ~ X + nuisance - 1, family = stats::poisson(), control = control)
}
V <- if (how == "HC1") sandwich::vcovCL(fit, cluster = judge[at], type = "HC1") else clubSandwich::vcovCR(fit, judge[at], how)
own <- seq_len(n_items - 1L)
stats::setNames(sqrt(diag(as.matrix(V)))[own], paste0("se.", items[own]))
"""
CUTS = ("counts", "comparisons", "nuisance judge x pair", "nuisance pair")
HOW = {
    "CR2": ("clubSandwich", "clubSandwich::vcovCR of a raw glm"),
    "HC1": ("sandwich", "sandwich::vcovCL, HC1"),
}


@computation("errors-of-a-raw-glm")
def errors_of_a_raw_glm(request: Request) -> Computed:
    """se.X of every item but the last, ties dropped, clustered by judge."""
    cut, how = request.text("cut"), request.text("how", "CR2")
    if cut not in CUTS or how not in HOW:
        raise InputError(
            f"args.cut is {cut[:60]!r} and args.how {how[:20]!r}; expected one of {', '.join(map(repr, CUTS))} and one"
            f" of {', '.join(HOW)}"
        )
    table = request.data_of(request.data)
    package, label = HOW[how]
    arguments = {
        "first": np.asarray(table.first) + 1,
        "second": np.asarray(table.second) + 1,
        "wins": np.asarray(table.wins, float),
        "losses": np.asarray(table.losses, float),
        "judge": _codes(table.columns["judge"]),
        "items": list(table.items),
        "n_items": len(table.items),
        "cut": cut,
        "how": how,
    }
    lacks = "standard errors that depend on the rows"
    return numbers_from_r(request, RAW, arguments, (package,), label, lacks)


def _codes(column: object) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    codes = getattr(column, "codes", None)
    if codes is None:
        raise InputError("the judges have to be a column of text")
    return np.asarray(codes, dtype=np.int64) + 1
