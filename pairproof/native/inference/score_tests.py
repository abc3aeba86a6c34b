"""Score tests that hold where the answers of a cluster go together: robust, and by wild bootstrap.

Robust score test of C b = v, with cluster scores s_g and the information M^-1 at the estimates under it::

    T = U' (sum_g u_g u_g')^-1 U,   u_g = C M s_g,   U = sum_g u_g,   chi-square on q degrees of freedom

(the generalised score test of Boos 1992, American Statistician 46, 327-333).  Likelihood ratios have no such
form: they suppose independent answers.

Wild bootstrap of c'b = v, with the null imposed (Kline and Santos 2012, Journal of Econometric Methods 1,
23-41).  At the estimates under c'b = v, with s_g and I_g the score and information of cluster g, M = (sum
I_g)^-1, a = M c, and for weights w_g with mean 0 and variance 1::

    S(w) = sum w_g s_g,   u_g(w) = a'(w_g s_g - I_g M S(w)),   t(w) = a'S(w) / sqrt(sum u_g^2)
    p = share of the w with |t(w)| >= |t(1)|

Weights are signs: all 2^G vectors of them for up to 12 clusters, else drawn, with p = (1 + #) / (R + 1).
With G clusters p cannot fall below 2^(1 - G); the six points of Webb (2023, Canadian Journal of Economics 56,
839-858) go below it.  p-values are inverted into an interval.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy import sparse

from ...data.options import one_of, whole_number
from ...errors import InputError, NotEstimableError, PairproofWarning, TooLargeError
from ...fit.estimates.array_inference import ChiSquareTest, with_cautions
from ...fit.estimates.fit_record import why_not_estimable
from ...fit.estimates.tails import chi_square_p, p_equals
from ...fit.fit import Fit
from ...fit.inference.wald import check_level
from ...fit.robust.clustered_fit import Missing
from ...fit.shown.fit_json import finite
from ...numerics.arrays import FloatArray, IntArray
from ...numerics.constrained import Infeasible, maximum_under, on_constraint
from ..comparisons.counts.counts_likelihood import CountsPoint, counts_likelihood
from ..comparisons.counts.dense import check_dense_size
from ..comparisons.counts.solve import laid_out
from .draws import by_cluster, codes_of, seed_or_drawn
from .taken_apart import Function, TakenApart, counts_at_estimate, expect_fit, function_of, take_apart


@dataclass(frozen=True, eq=False)
class AtNull:
    """What a score test needs, at the estimates under the null hypothesis.

    scores float[G, q]: a_i's_g of every cluster g, a_i = M c_i for each of the hypotheses c_i.  linear
    float[G, q, n]: a_i'I_g M in coordinates in which cluster scores are `raw`.  raw float[G, n]: s_g.  shares
    float[G, q]: a_i'I_g a_i over their sum: what part of the information on each hypothesis a cluster has.
    variances float[q]: c_i'M c_i.
    """

    scores: FloatArray
    linear: FloatArray
    raw: FloatArray
    shares: FloatArray
    variances: FloatArray


class NullFits:
    """Constrained fits of one model, from the last one on.

    functions float[q, n_params]: C, in the parameters of the fit.  code int[n_rows]: cluster of every row, -1
    for rows without comparisons.
    """

    def __init__(self, apart: TakenApart, functions: FloatArray, code: IntArray) -> None:
        check_dense_size(apart.with_ties)
        self.apart, self.functions, self.code = apart, functions, code
        self.with_ties = bool(apart.model.tie_fixed) and bool((functions[:, -1] != 0.0).any())
        problem = apart.with_ties if self.with_ties else apart.problem
        self.way = apart.coordinates_of(0 if self.with_ties else int(bool(apart.model.tie_fixed)))
        layout = laid_out(problem)
        full = self.full = counts_likelihood(layout)
        self.constraints = layout.back(self.way.back(functions))
        size = np.linalg.svd(self.constraints, compute_uv=False)
        if not len(size) or size[-1] <= 1e-10 * max(size[0], 1e-300):
            raise NotEstimableError("the hypothesis is about a reference, or its parts depend on each other")
        if (apart.found.null_space.shape[1] or self.with_ties) and full.limit(
            self.constraints
        ).keep is not None:
            raise NotEstimableError(
                "estimates remain infinite or undetermined under the hypothesis, so that there is no score test;"
                f" {why_not_estimable(apart.fit)}"
            )
        self.groups = by_cluster(apart.model, "", code).groups
        n = len(apart.problem.cells)
        self.over_outcomes = sparse.kron(sparse.identity(n), np.ones((3, 1))).tocsr()
        self._last: FloatArray | None = None

    def at(self, values: FloatArray) -> AtNull:
        """Fit with C b = values, float[q]."""
        try:
            point = self._maximum(values)
            bread = np.asarray(np.linalg.inv(point.information), float)
        except np.linalg.LinAlgError as error:
            raise NotEstimableError(
                "the information is singular under the hypothesis: its value is too far from what the data say"
            ) from error
        except Infeasible as error:
            raise NotEstimableError(
                "the hypothesis lies outside the parameter space (a Rao-Kupper threshold at or below 0)"
            ) from error
        return self._clustered(point, bread)

    def _maximum(self, values: FloatArray) -> CountsPoint:
        """At the constrained estimates, from the last ones or from equal abilities."""
        full, c = self.full, self.constraints
        starts = [full.start()] if self._last is None else [self._last, full.start()]
        for start in starts:
            try:
                point = maximum_under(full, c, values, on_constraint(start, c, values)).point
            except Infeasible:
                continue
            self._last = point.theta
            return point
        raise Infeasible

    def _clustered(self, point: CountsPoint, inverse: FloatArray) -> AtNull:
        full = self.full
        score, information = point.of_units

        def summed(by_u: FloatArray, by_g: FloatArray) -> FloatArray:
            """float[G, p]: over clusters, of numbers of each cell and outcome, float[n_cells, 3]."""
            of_u, of_g = (self._onto(values) for values in (by_u, by_g))
            return np.asarray((of_u @ full.u + of_g @ full.g).todense())

        raw = summed(score[:, :, 0], score[:, :, 1])
        a = self.constraints @ inverse
        linear = []
        for each in a:
            du, dg = (full.u @ each)[:, None], (full.g @ each)[:, None]
            k = information
            linear.append(
                summed(k[..., 0, 0] * du + k[..., 0, 1] * dg, k[..., 0, 1] * du + k[..., 1, 1] * dg) @ inverse
            )
        by_hypothesis = np.stack(linear, axis=1)
        variances = np.einsum("qp,qp->q", a, self.constraints)
        shares = np.einsum("gqp,qp->gq", by_hypothesis, self.constraints) / variances
        return AtNull(raw @ a.T, by_hypothesis, raw, shares, variances)

    def _onto(self, values: FloatArray) -> sparse.csr_matrix:
        """float[G, n_cells]: counts of each cluster times numbers of each cell and outcome, summed over outcomes."""
        weighted = (self.groups @ sparse.diags(values.ravel())).tocsr()
        return (weighted @ self.over_outcomes).tocsr()


#: Clusters below which the chi-square is rough.
FEW = 20


@dataclass(frozen=True)
class ScoreTest(ChiSquareTest):
    """A cluster-robust score test.

    caution: why the chi-square is rough; "" with 20 clusters or more.
    """

    hypothesis: str
    column: str
    n_clusters: int
    caution: str = ""

    def __str__(self) -> str:
        text = (
            f"Score chi-square by {self.column} ({self.n_clusters} clusters) {self.statistic:.4f} on {self.df} df,"
            f" {p_equals(self.p)}: {self.hypothesis}"
        )
        return with_cautions(text, self.caution)


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
    _check(fit, "the score test", missing, value)
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
    few = f"{n} clusters; with fewer than {FEW} the chi-square is rough, see pairproof.wild_test"
    caution = few if n < FEW else ""
    hypothesis = ", ".join(label for label, _ in found) + f" = {value:g}"
    return ScoreTest(statistic, q, float(chi_square_p(statistic, q)), hypothesis, column, n, caution)


WeightKind = Literal["rademacher", "webb"]
#: Clusters up to which all sign vectors are gone through: 4,096 of them.
ALL_SIGNS = 12
#: Webb vectors gone through at most: 6^6.
ALL_WEBB = 6**6
WEBB = np.array([-np.sqrt(1.5), -1.0, -np.sqrt(0.5), np.sqrt(0.5), 1.0, np.sqrt(1.5)])
#: |t(w)| counts as reached if rounding alone keeps it below |t(1)|.
EQUAL = 1e-10
#: A sum of squares of scores, or a share of information, that is rounding alone.
NOTHING = 1e-10
#: Limits by inversion are found to this share of a standard error.
LIMIT = 1e-9
MOST_DOUBLINGS = 40
#: Clusters times vectors drawn at most: 1 GB, and as much again for each of two steps of the statistic.
MOST_WEIGHTS = 125_000_000


def weight_vectors(clusters: int, kind: WeightKind, replicates: int, seed: int) -> tuple[FloatArray, bool]:
    """float[R, G] weights, and whether they are all there are."""
    values = WEBB if kind == "webb" else np.array([1.0, -1.0])
    if (kind == "rademacher" and clusters <= ALL_SIGNS) or (kind == "webb" and 6.0**clusters <= ALL_WEBB):
        places = np.stack(np.meshgrid(*[np.arange(len(values))] * clusters, indexing="ij"), axis=-1)
        return values[places.reshape(-1, clusters)], True
    if clusters * replicates > MOST_WEIGHTS:
        raise TooLargeError(
            f"{replicates:,} weight vectors of {clusters:,} clusters are {clusters * replicates:,} numbers (limit"
            f" {MOST_WEIGHTS:,}); ask for {MOST_WEIGHTS // clusters:,} replicates at most, or use fit.clustered(...), which"
            " is as good with so many clusters"
        )
    rng = np.random.default_rng(seed)
    return values[rng.integers(0, len(values), (replicates, clusters))], False


def statistic(at: AtNull, weights: FloatArray) -> FloatArray:
    """float[R]: t(w) for weights float[R, G]."""
    own = weights * at.scores[:, 0]
    u = own - (weights @ at.raw) @ at.linear[:, 0].T
    spread = np.sqrt((u**2).sum(axis=1))
    total = own.sum(axis=1)
    # Clusters that all say the same leave nothing but rounding in u: t is then infinite.
    least = NOTHING * np.sqrt((at.scores[:, 0] ** 2).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(spread > least, total / spread, np.sign(total) * np.inf)
    return np.where(np.abs(total) > least, t, 0.0)


class Inversion:
    """p-values of one contrast as a function of its value under the null."""

    def __init__(self, fits: NullFits, vectors: FloatArray, exact: bool, estimate: float) -> None:
        self.fits, self.vectors, self.exact, self.estimate = fits, vectors, exact, estimate

    def test(self, value: float) -> tuple[float, float, FloatArray]:
        """t, p and |t(w)| at a value."""
        at = self.fits.at(np.array([value]))
        t = float(statistic(at, np.ones((1, self.vectors.shape[1])))[0])
        size = float(np.sqrt((at.scores[:, 0] ** 2).sum()))
        if size <= NOTHING * float(np.sqrt(at.variances[0])) or float(at.shares[:, 0].max()) > 1.0 - NOTHING:
            raise NotEstimableError(
                "one cluster alone has all the information on this contrast, so that there are no clusters to tell"
                " apart for a test"
            )
        several = np.abs(statistic(at, self.vectors))
        reached = int(np.sum(several >= abs(t) * (1.0 - EQUAL)))
        p = reached / len(several) if self.exact else (1.0 + reached) / (1.0 + len(several))
        return t, p, several

    def side(self, side: float, alpha: float) -> float:
        """The limit on one side of the estimate."""
        inside = self.estimate
        step = self._step(inside)
        for _ in range(MOST_DOUBLINGS):
            outside = inside + side * step
            try:
                rejected = self._beyond(outside, alpha) > 0.0
            except NotEstimableError:
                return side * np.inf
            if rejected:
                return self._between(inside, outside, alpha)
            inside, step = outside, step * 2.0
            if step > 1e4:
                break
        return side * np.inf

    def _step(self, value: float) -> float:
        """About a clustered standard error."""
        at = self.fits.at(np.array([value]))
        return float(np.sqrt((at.scores[:, 0] ** 2).sum())) or 1.0

    def _beyond(self, value: float, alpha: float) -> float:
        """How far |t(1)| lies beyond what p <= alpha needs: above 0 if, and only if, the value is rejected.

        It is continuous in the value but for exact ties of |t(1)| with other vectors, which do not reject.
        """
        t, _, several = self.test(value)
        n = len(several)
        most = alpha * n if self.exact else alpha * (n + 1.0) - 1.0
        # So many vectors may reach |t(1)|; alpha times their number is whole or not by the luck of rounding.
        k = int(np.floor(most + 1e-9))
        if k < 0 or not np.isfinite(t):
            return 1.0 if k >= 0 and np.sum(several >= abs(t)) <= k else -1.0
        next_largest = float(np.partition(several, n - 1 - k)[n - 1 - k]) if k < n else 0.0
        gap = abs(t) - next_largest
        return gap if gap > EQUAL * abs(t) else min(gap, -EQUAL * abs(t) - 1e-300)

    def _between(self, inside: float, outside: float, alpha: float) -> float:
        """Where rejection begins, between a value that is not rejected and one that is."""
        from scipy.optimize import brentq

        wide = max(abs(outside - inside), 1e-3)
        return float(brentq(lambda v: self._beyond(v, alpha), inside, outside, xtol=LIMIT * wide))


@dataclass(frozen=True, eq=False, repr=False)
class WildTest:
    """A wild cluster score test of one linear hypothesis.

    `what`: the contrast.  value: its value under the null hypothesis.  estimate: inf or -inf if it is
    separated.  t: score over its clustered standard error at the null.  p: two-sided.  vectors: weight
    vectors, of which `exact` says whether they are all there are.  seed: none where nothing was drawn.
    statistics float[vectors]: |t(w)|.  engine: the p-value as a function of the value under the null
    hypothesis.
    """

    what: str
    value: float
    estimate: float
    t: float
    p: float
    n_clusters: int
    column: str
    weights: WeightKind
    vectors: int
    exact: bool
    seed: int | None
    statistics: FloatArray
    engine: Inversion = field(repr=False)

    @property
    def least_p(self) -> float:
        """The least p-value that this test can give."""
        if not self.exact:
            return max(
                1.0 / (self.vectors + 1.0), 0.0 if self.weights == "webb" else 2.0 ** (1 - self.n_clusters)
            )
        return 2.0 / self.vectors

    @property
    def cautions(self) -> tuple[str, ...]:
        """What a reader has to know of this p-value."""
        if self.weights == "rademacher" and self.n_clusters < 6:
            return (
                f"{self.n_clusters} clusters by {self.column}: no p-value of sign vectors is below"
                f' {2.0 ** (1 - self.n_clusters):.4g}; weights="webb" goes below it',
            )
        return ()

    def conf_int(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence limits by inversion: the values nearest to the estimate on either side beyond which p <= 1 - level.

        Returns (float, float): on the fit's scale; infinite on a side on which no value is rejected.
        """
        check_level(level)
        if not np.isfinite(self.estimate):
            raise NotEstimableError(
                f"{self.what} is estimated as {self.estimate}: clusters all point the same way and every finite value is"
                " rejected; fit.profile() has limits that take answers as independent"
            )
        if self.least_p > round(1.0 - level, 12):
            warnings.warn(
                f"{self.n_clusters} clusters: the least p-value is {self.least_p:.4g}, so that no value is rejected at level"
                f' {level:g} and the interval is the whole line; weights="webb" may help, or a lower level',
                PairproofWarning,
                stacklevel=2,
            )
            return -np.inf, np.inf
        alpha = round(1.0 - level, 12)  # p = .1 has to be at most 1 - .9
        low, high = self.engine.side(-1.0, alpha), self.engine.side(1.0, alpha)
        if np.isinf([low, high]).any():
            warnings.warn(
                f"on a side with an infinite limit no value of {self.what} is rejected at level {level:g}:"
                f" {self.n_clusters} clusters are too few, or differ too much",
                PairproofWarning,
                stacklevel=2,
            )
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """The test as a JSON object; None where there is no finite number."""
        return {
            "contrast": self.what,
            "value": self.value,
            "estimate": finite(self.estimate),
            "t": finite(self.t),
            "p": finite(self.p),
            "clusters": self.column,
            "n_clusters": self.n_clusters,
            "weights": self.weights,
            "vectors": self.vectors,
            "exact": self.exact,
            "seed": self.seed,
            "cautions": list(self.cautions),
        }

    def __str__(self) -> str:
        kind = {"rademacher": "sign", "webb": "Webb weight"}[self.weights]
        how = f"{self.vectors:,} {kind} vectors"
        how = f"all {how}" if self.exact else f"{how}, seed {self.seed}"
        text = (
            f"Wild score test of {self.what} = {self.value:g} by {self.column} ({self.n_clusters} clusters):"
            f" t = {self.t:.4f}, p = {self.p:.4g}, {how}"
        )
        return with_cautions(text, *self.cautions)

    def __repr__(self) -> str:
        return f"<WildTest: {self.what} = {self.value:g}, p = {self.p:.4g}, {self.n_clusters} clusters by {self.column}>"


def wild_test(
    fit: Fit,
    column: str,
    contrast: Function,
    *,
    value: float = 0.0,
    group: str | None = None,
    weights: WeightKind = "rademacher",
    replicates: int = 9999,
    seed: int | None = None,
    missing: Missing = "refuse",
) -> WildTest:
    """Wild cluster score test of one contrast: a p-value that is reliable with few clusters, and an interval.

    Parameters
    ----------
    fit : Fit
        Clustered or not.
    column : str
        The column whose values are the clusters.
    contrast : two items, str, or mapping of str to float
        The difference of two items, a parameter, or weights of parameters.
    value : float
        Of the contrast under the null hypothesis, on the fit's scale.
    group : str, optional
        The group of the two items, where the fit has several.
    weights : {"rademacher", "webb"}
        Signs, or Webb's six points for fewer than six clusters.
    replicates : int
        Weight vectors drawn where there are too many to go through all: signs of more than 12 clusters, Webb's points
        of more than 6.
    seed : int, optional
        Default: drawn, and recorded in the result.
    missing : {"refuse", "own"}
        Rows without a label are refused, or each a cluster of its own.

    Returns
    -------
    WildTest

    Raises
    ------
    InputError
        An unknown column, a single cluster, another kind of weights, a contrast of nothing.
    NotEstimableError
        Estimates are infinite under the hypothesis too, or no cluster has a score.
    TooLargeError
        Replicates times clusters are more than 125 million.

    References
    ----------
    Kline and Santos (2012), Journal of Econometric Methods 1, 23-41.  Webb (2023), Canadian Journal of Economics 56,
    839-858.

    Examples
    --------
    >>> import pairproof
    >>> answers = {
    ...     "judge": list("uvwxyz") * 2, "first": ["A"] * 12, "second": ["B"] * 6 + ["C"] * 6,
    ...     "wins": [6, 7, 5, 8, 7, 9, 4, 6, 7, 8, 9, 6], "losses": [4, 3, 5, 2, 3, 1, 6, 4, 3, 2, 1, 4],
    ... }
    >>> fit = pairproof.fit_bradley_terry(pairproof.read(answers))
    >>> print(pairproof.wild_test(fit, "judge", ("B", "C")))
    Wild score test of B - C = 0 by judge (6 clusters): t = -0.4330, p = 0.8125, all 64 sign vectors
    """
    _check(fit, "the wild cluster test", missing, value)
    one_of("weights", weights, ("rademacher", "webb"))
    n = whole_number("replicates", replicates, 1)
    apart = take_apart(fit)
    label, function = function_of(fit, contrast, group)
    code = codes_of(apart.model, column, missing)
    clusters = int(code.max()) + 1
    used_seed = seed_or_drawn(seed)
    vectors, exact = weight_vectors(clusters, weights, n, used_seed)
    engine = Inversion(NullFits(apart, function[None, :], code), vectors, exact, _estimate(apart, function))
    t, p, statistics = engine.test(float(value))
    return WildTest(
        label,
        float(value),
        engine.estimate,
        t,
        p,
        clusters,
        column,
        weights,
        len(vectors),
        exact,
        None if exact else used_seed,
        statistics,
        engine,
    )


def _check(fit: Fit, asked: str, missing: Missing, value: float) -> None:
    """Refuse what is no fit, or one of whole answers, and options that are none."""
    expect_fit(fit)
    if fit.answers is not None:
        raise InputError(
            f"{asked} is for models of comparisons, but this one models whole answers; fit.clustered(column).contrast(a, b)"
            " has a Wald test that holds where persons of a cluster go together"
        )
    one_of("missing", missing, ("refuse", "own"))
    if not np.isfinite(value):
        raise InputError(f"value={value}; expected a finite number")


def _estimate(apart: TakenApart, function: FloatArray) -> float:
    return float(counts_at_estimate(apart).estimates(function[None, :])[0])
