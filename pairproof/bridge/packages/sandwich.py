"""R's sandwich: cluster-robust covariances, one way and two ways.

``vcovCL`` takes the scores of the fitted glm itself, so it is a witness of CR0 and CR1 that no whitening touches::

    type = "HC0", cadjust = FALSE    CR0
    type = "HC0"                     CR1, each way with its own G / (G - 1)

Its other types are none of ours: "HC1" has (N - 1) / (N - k) as well, N the number of rows, and changes when a
table is aggregated; "HC2" is no CR2 for a glm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..process.policy import BackendLike
from .answers import Floats, RAnswer, ask, asks
from .comparison_rows import CONDITIONAL, ComparisonRows

NEEDS = ("sandwich",)

VCOVCL = (
    CONDITIONAL
    + """
ways <- clusters[, used, drop = FALSE]
covariance <- function(fit, at, fold, factor) {
  V <- sandwich::vcovCL(fit, cluster = ways[at, , drop = FALSE], type = type, cadjust = cadjust, fix = fix)
  factor * fold %*% V %*% t(fold)
}
if (model == "rao-kupper") {
  # The thresholds -delta and delta as one; a quarter is what weights of 1/2 leave: they are in polr's information and
  # not in the scores that sandwich takes, so that each comparison needs a row.
  found <- fit_polr(TRUE)
  fold <- cbind(diag(k), 0); fold[k, k + 0:1] <- c(-0.5, 0.5)
  V <- covariance(found$fit, found$at, fold, 4)
} else if (nlevels(cell) <= most_nuisance) {
  g <- fit_poisson()
  fold <- matrix(0, k, length(stats::coef(g))); fold[cbind(seq_len(k), match(parameters, names(stats::coef(g))))] <- 1
  V <- covariance(g, rows, fold, 1)
} else V <- covariance(l, at, diag(k), 1)
dimnames(V) <- list(names(b), names(b))
list(names = names(b), coef = unname(b), vcov = V, se = unname(sqrt(pmax(diag(V), 0))), model_vcov = unname(chol2inv(qr.R(l$qr))),
     n_clusters = as.numeric(vapply(ways, function(g) length(unique(g)), 0L)))
"""
)


@dataclass(frozen=True, eq=False)
class ClusteredCovariance(RAnswer):
    """Estimates with a cluster-robust covariance.

    names: those of :class:`ComparisonRows`.  coef, se float[k]: log-odds; `se` 0 where a two-way covariance
    has a negative variance.  vcov float[k, k].  model_vcov float[k, k]: the inverse information, which
    supposes independent answers.  n_clusters float[ways].
    """

    names: tuple[str, ...]
    coef: Floats
    vcov: Floats
    se: Floats
    model_vcov: Floats
    n_clusters: Floats


@asks(*NEEDS)
def vcovCL(
    rows: ComparisonRows,
    cluster: Sequence[str],
    type: str = "HC0",
    cadjust: bool = True,
    fix: bool = False,
    *,
    backend: BackendLike = None,
) -> ClusteredCovariance:
    """R's ``sandwich::vcovCL(fit, cluster, type, cadjust, fix)`` of the model of the rows.

    Parameters
    ----------
    rows : ComparisonRows
    cluster : sequence of str
        One or two of the columns of ``rows.clusters``.
    type : {"HC0", "HC1"}
        As in R.
    cadjust : bool
        G / (G - 1), in two ways each its own.
    fix : bool
        Set negative eigenvalues of a two-way covariance to 0, as R does: they depend on the reference item.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ClusteredCovariance

    Raises
    ------
    ValueError
        No such column.
    RError
        R's own.

    Examples
    --------
    >>> vcovCL(rows, ["judge"], cadjust=False).se  # doctest: +SKIP
    """
    arguments = {
        **rows.arguments(),
        "used": columns_of(rows, cluster),
        "type": type,
        "cadjust": cadjust,
        "fix": fix,
    }
    return ClusteredCovariance.read(ask(backend, "sandwich::vcovCL", VCOVCL, arguments, needed(rows, NEEDS)))


def columns_of(rows: ComparisonRows, cluster: Sequence[str]) -> list[str]:
    """Names of these clusters in R's data frame; refuses others than the rows have."""
    known = list(rows.clusters)
    unknown = [c for c in cluster if c not in known]
    if unknown or not cluster:
        raise ValueError(f"cluster is {list(cluster)}; the rows have {known}")
    return [f"g{known.index(c) + 1}" for c in cluster]


def needed(rows: ComparisonRows, packages: Sequence[str]) -> tuple[str, ...]:
    """The packages of a call, with that which fits the model."""
    return (
        *packages,
        *(("MASS",) if rows.model == "rao-kupper" else ()),
        *(("gnm",) if rows.many_cells else ()),
    )
