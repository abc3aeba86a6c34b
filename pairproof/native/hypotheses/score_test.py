"""Score test of linear hypotheses C b = v that holds where the answers of a cluster go together::

    T = U' (sum_g u_g u_g')^-1 U,   u_g = C M s_g,   U = sum_g u_g,   chi-square on q degrees of freedom

with cluster scores s_g and the information M^-1 at the estimates under the hypothesis (the generalised score test of
Boos 1992, American Statistician 46, 327-333).  Likelihood ratios have no such form: they suppose independent answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.options import one_of
from ...errors import InputError, NotEstimableError
from ...fit.answers.refused import only_comparisons
from ...fit.fit import Fit
from ...fit.robust.robust import Missing
from ...fit.tails import chi_square_p, log10_chi_square_p, p_equals
from ..resampling.bootstrap import codes_of
from .null_fit import NullFits
from .taken_apart import Function, function_of, take_apart

FloatArray = NDArray[np.float64]
#: Clusters below which the chi-square is rough.
FEW = 20


@dataclass(frozen=True)
class ScoreTest:
    """A cluster-robust score test.

    p: chi-square; 0 where it is too small for a double, `log10_p` has it.  caution: why the chi-square is
    rough; "" with 20 clusters or more.
    """

    statistic: float
    df: int
    p: float
    hypothesis: str
    column: str
    n_clusters: int
    caution: str = ""

    @property
    def log10_p(self) -> float:
        """Logarithm of p, also where p itself is 0 in doubles."""
        return log10_chi_square_p(self.statistic, self.df)

    def __str__(self) -> str:
        text = (
            f"Score chi-square by {self.column} ({self.n_clusters} clusters) {self.statistic:.4f} on {self.df} df,"
            f" {p_equals(self.p, self.log10_p)}: {self.hypothesis}"
        )
        return f"{text}\n  Caution: {self.caution}" if self.caution else text


def score_test(
    fit: Fit,
    column: str,
    contrasts: Sequence[Function] | Function,
    *,
    value: float = 0.0,
    group: str | None = None,
    missing: Missing = "refuse",
) -> ScoreTest:
    """Cluster-robust score test that some contrasts all have a value.

    Parameters
    ----------
    fit : Fit
        The larger model, clustered or not.
    column : str
        The column whose values are the clusters.
    contrasts : sequence
        Two items each for their difference, names of parameters, or weights of parameters; one of these alone.
    value : float
        Of all of them under the hypothesis, on the fit's scale.
    group : str, optional
        The group of the items, where the fit has several.
    missing : {"refuse", "own"}
        Rows without a label are refused, or each a cluster of its own.

    Returns
    -------
    ScoreTest

    Raises
    ------
    InputError
        An unknown column, a single cluster, or as many contrasts as clusters.
    NotEstimableError
        Contrasts that depend on each other, or estimates that are infinite under the hypothesis too.

    References
    ----------
    Boos (1992), American Statistician 46, 327-333.

    Examples
    --------
    >>> import pairproof
    >>> answers = {
    ...     "judge": list("uvwxyz") * 2, "first": ["A"] * 12, "second": ["B"] * 6 + ["C"] * 6,
    ...     "wins": [6, 7, 5, 8, 7, 9, 4, 6, 7, 8, 9, 6], "losses": [4, 3, 5, 2, 3, 1, 6, 4, 3, 2, 1, 4],
    ... }
    >>> fit = pairproof.fit_bradley_terry(pairproof.read(answers))
    >>> test = pairproof.score_test(fit, "judge", [("A", "B"), ("A", "C")])
    >>> round(test.statistic, 3), test.df
    (4.517, 2)
    """
    only_comparisons(fit, "the score test")
    one_of("missing", missing, ("refuse", "own"))
    if not np.isfinite(value):
        raise InputError(f"value={value}; expected a finite number")
    single = isinstance(contrasts, (str, Mapping)) or (
        isinstance(contrasts, tuple) and len(contrasts) == 2 and all(c in fit.items for c in contrasts)
    )
    wanted: list[Any] = [contrasts] if single else list(contrasts)
    if not len(wanted):
        raise InputError(
            "no contrast to test; expected two items, the name of a parameter, or a list of such"
        )
    apart = take_apart(fit)
    found = [function_of(fit, one, group) for one in wanted]
    functions = np.array([function for _, function in found])
    code = codes_of(apart.model, column, missing)
    n, q = int(code.max()) + 1, len(found)
    if q >= n:
        raise InputError(
            f"{q} contrasts and {n} clusters by {column}: a joint test needs fewer contrasts than clusters"
        )
    at = NullFits(apart, functions, code).at(np.full(q, float(value)))
    total, meat = at.scores.sum(axis=0), at.scores.T @ at.scores
    size = np.sqrt(np.diag(meat))
    if not (size > 0.0).all() or np.linalg.matrix_rank(meat / np.outer(size, size), tol=1e-10) < q:
        raise NotEstimableError(
            f"the scores of {n} clusters by {column} do not vary along all of the {q} contrasts; test fewer of them"
        )
    statistic = float(total @ np.linalg.solve(meat, total))
    caution = (
        f"{n} clusters; with fewer than {FEW} the chi-square is rough, see pairproof.wild_test"
        if n < FEW
        else ""
    )
    hypothesis = ", ".join(label for label, _ in found) + f" = {value:g}"
    return ScoreTest(statistic, q, float(chi_square_p(statistic, q)), hypothesis, column, n, caution)
