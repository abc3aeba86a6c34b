"""R's own stats, and qvcalc: glm, binom.test, friedman.test, quasi-variances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..process.policy import BackendLike
from ..values.convert import matrix
from ..values.nodes import Formula
from . import asking
from .asking import Family, Floats, RAnswer, RModel, as_frame, ask, asks, call, reals, sent

_FIT_GLM = """
family <- get(family, envir = asNamespace("stats"), mode = "function")()
control <- if (again) stats::glm.control() else stats::glm.control(epsilon = epsilon, maxit = maxit)
fit <- stats::glm(formula, family = family, data = data, weights = .weights, offset = .offset,
                  na.action = stats::na.fail, control = control, x = TRUE)
"""
GLM = asking.REDUCE + asking.REFIT + _FIT_GLM + asking.REDUCED


@asks()
def glm(
    formula: str,
    data: Any,
    family: Family = "poisson",
    *,
    weights: Sequence[float] | None = None,
    offset: Sequence[float] | None = None,
    epsilon: float = asking.EPSILON,
    maxit: int = asking.MAXIT,
    refit: bool = True,
    backend: BackendLike = None,
) -> RModel:
    """R's ``stats::glm(formula, family, data, weights, offset, control = list(epsilon, maxit))``.

    Parameters
    ----------
    formula : str
        R formula.
    data : DataFrame, or mapping of str to array [rows]
        A missing value in a used column is R's error; nothing is dropped.
    family : {"poisson", "binomial", "gaussian"}
    weights, offset : float[rows], optional
    epsilon : float
        R's stopping rule, relative change of the deviance.
    maxit : int
        Most iterations.
    refit : bool
        Fit once more from its own solution: standard errors then have 12 and more digits, without it 6 to 9.
    backend : Backend, or one of "live", "recorded", "both", "none", optional
        Where the answer comes from; see :mod:`pairproof.bridge.process.policy`.

    Returns
    -------
    RModel
        Coefficients, standard errors and covariance under R's names; deviance, log-likelihood, fitted counts.

    Raises
    ------
    ValueError
        Another family.
    FormulaError
        A text that is more than a model formula.
    RError
        R's own.

    Examples
    --------
    >>> m = glm("wins ~ x", {"wins": [3, 5, 9], "x": [0, 1, 2]})  # doctest: +SKIP
    >>> m.params()["x"], m.deviance                               # doctest: +SKIP
    """
    made: dict[str, Any] = {"formula": Formula(formula), "data": as_frame(data), "again": refit}
    variables = "formula data family again epsilon maxit .weights .offset"
    return RModel.ask(backend, "stats::glm", GLM, sent(backend, variables, **made))


@asks()
def glm_poisson(formula: str, data: Any, **options: Any) -> RModel:
    """:func:`glm` with ``family = poisson``: the log-linear Bradley-Terry model with its nuisance columns."""
    return glm(formula, data, "poisson", **options)


@dataclass(frozen=True)
class RTest(RAnswer):
    """A test as R reports it: its method, statistic, degrees of freedom, p-value and estimate.

    ``df`` and ``estimate`` are NaN where the test has none.
    """

    method: str
    statistic: float
    df: float
    p_value: float
    estimate: float


TEST = """list(method = value$method, statistic = unname(value$statistic), df = unname(value$parameter[1L]),
     p_value = value$p.value, estimate = unname(value$estimate[1L]))"""


@asks()
def binom_test(
    x: int | float,
    n: int | float,
    p: float = 0.5,
    alternative: str = "two.sided",
    *,
    backend: BackendLike = None,
) -> RTest:
    """R's ``stats::binom.test(x, n, p, alternative)``: the sign test.

    Parameters
    ----------
    x, n : int
        Wins, and comparisons that were not tied.
    p : float
        Chance of a win under the hypothesis, 0 to 1.
    alternative : {"two.sided", "less", "greater"}
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RTest
        ``statistic`` is x, ``estimate`` is x / n.

    Raises
    ------
    RError
        R's own, for counts that are not whole among others.

    Examples
    --------
    >>> round(binom_test(61, 96, backend="recorded").p_value, 10)
    0.0103459131
    """
    test = RTest.read(call(backend, "stats::binom.test", sent(backend, "x n p alternative"), TEST))
    # binom.test calls the number of trials its "parameter"; it is no degree of freedom.
    return replace(test, df=float("nan"))


@asks()
def friedman_test(y: Any, *, backend: BackendLike = None) -> RTest:
    """R's ``stats::friedman.test(y)``.

    Parameters
    ----------
    y : float[blocks, treatments]
        Rows are judges, columns are items.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    RTest
        ``statistic`` is chi-squared on ``df`` degrees of freedom.

    Raises
    ------
    ValueError
        ``y`` is no matrix.
    RError
        R's own.

    Examples
    --------
    >>> friedman_test([[1, 4, 3, 2], [1, 4, 3, 2], [2, 3, 4, 1]]).p_value  # doctest: +SKIP
    """
    table = reals(y)
    if table.ndim != 2:
        expected = "blocks in rows and treatments in columns"
        raise ValueError(f"friedman_test expects {expected}; found shape {table.shape}")
    return RTest.read(call(backend, "stats::friedman.test", {"y": table}, TEST))


@dataclass(frozen=True, eq=False)
class QuasiVariances(RAnswer):
    """Quasi-variances as ``qvcalc`` finds them.

    quasi_variance, quasi_se float[items]: the square root is NaN where R finds a negative quasi-variance.
    worst_errors: largest relative errors, below and above, of standard errors of simple contrasts.
    """

    items: tuple[str, ...]
    quasi_variance: Floats
    quasi_se: Floats
    worst_errors: Floats


OF_MODEL = """list(items = rownames(v$qvframe), quasi_variance = v$qvframe$quasiVar, quasi_se = v$qvframe$quasiSE, worst_errors = as.numeric(range(v$relerrs)))
"""
QVCALC = """
v <- qvcalc::qvcalc(covmat, estimates = estimates)
list(quasi_variance = v$qvframe$quasiVar, quasi_se = v$qvframe$quasiSE,
     worst = as.numeric(range(v$relerrs)))
"""


@asks("qvcalc")
def qvcalc(
    covmat: Any,
    items: Sequence[str],
    estimates: Sequence[float] | None = None,
    *,
    backend: BackendLike = None,
) -> QuasiVariances:
    """R's ``qvcalc::qvcalc(covmat, estimates = )``: one variance an item, which give every contrast's error.

    Parameters
    ----------
    covmat : float[items, items]
        The whole covariance of the items; the reference has zeros.
    items : sequence of str
    estimates : float[items], optional
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    QuasiVariances
        Good to 4 or 5 digits, where R's optimiser stops.

    Raises
    ------
    ValueError
        ``covmat`` has another shape.
    RError
        R's own, for fewer than three items among others.

    Examples
    --------
    >>> qvcalc([[0, 0, 0], [0, 2, 1], [0, 1, 2]], ["A", "B", "C"]).quasi_se  # doctest: +SKIP
    """
    arguments = sent(backend, "covmat estimates", covmat=matrix(reals(covmat), items, items))
    result = ask(backend, "qvcalc::qvcalc", QVCALC, arguments)
    worst = result.as_list().vector("worst").floats()
    return QuasiVariances.read(result, items=tuple(items), worst_errors=worst)
