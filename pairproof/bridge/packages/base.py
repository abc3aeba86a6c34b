"""R's own stats, and qvcalc: glm, binom.test, friedman.test, quasi-variances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from pairproof.bridge.packages.models import REDUCE, REFIT, Floats, RModel, as_frame, asks, model_of, number
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.records.result import RResult
from pairproof.bridge.values.convert import matrix
from pairproof.bridge.values.values import Formula

Family = Literal["poisson", "binomial", "gaussian"]
EPSILON = 1e-14  # the tightest that still stops: below it the deviance moves by its own rounding
MAXIT = 100

GLM = (
    REDUCE
    + REFIT
    + """
family <- get(family, envir = asNamespace("stats"), mode = "function")()
control <- if (again) stats::glm.control() else stats::glm.control(epsilon = epsilon, maxit = maxit)
fit <- stats::glm(formula, family = family, data = data, weights = .weights, offset = .offset,
                  na.action = stats::na.fail, control = control, x = TRUE)
if (again) { r <- refit(fit, epsilon, maxit); reduce(r$model, r$coef, r$vcov) } else reduce(fit)
"""
)


@asks()
def glm(
    formula: str,
    data: Any,
    family: Family = "poisson",
    *,
    weights: Sequence[float] | None = None,
    offset: Sequence[float] | None = None,
    epsilon: float = EPSILON,
    maxit: int = MAXIT,
    refit: bool = True,
    backend: BackendLike = None,
) -> RModel:
    """R's ``glm(formula, family, data, weights, offset, control = list(epsilon, maxit))``.

    Parameters
    ----------
    formula : str
        R formula.
    data : DataFrame or mapping of str to array
        A missing value in a used column is R's error; nothing is dropped.
    refit : bool
        Fit once more from its own solution: standard errors then have 12 and more digits, without it 6 to 9.
    epsilon : float
        R's stopping rule, relative change of the deviance.

    Raises
    ------
    RError
        R's own.
    """
    if family not in get_args(Family):
        raise ValueError(f"family is {family!r}; expected one of {get_args(Family)}")
    arguments = {
        "formula": Formula(formula),
        "data": as_frame(data),
        "family": family,
        "again": refit,
        "epsilon": float(epsilon),
        "maxit": int(maxit),
        ".weights": None if weights is None else np.asarray(weights, dtype=np.float64),
        ".offset": None if offset is None else np.asarray(offset, dtype=np.float64),
    }
    return model_of(policy(backend).call(code=GLM, args=arguments, label="stats::glm"))


@asks()
def glm_poisson(formula: str, data: Any, **options: Any) -> RModel:
    """:func:`glm` with ``family = poisson``: the log-linear Bradley-Terry model with its nuisance columns."""
    return glm(formula, data, "poisson", **options)


@dataclass(frozen=True)
class RTest:
    """A test as R reports it: statistic, degrees of freedom (NaN where it has none), p-value, estimate (or
    NaN).
    """

    method: str
    statistic: float
    df: float
    p_value: float
    estimate: float
    result: RResult = field(repr=False)


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
    """R's ``binom.test(x, n, p, alternative)``: the sign test.  R stops for counts that are not whole."""
    arguments = {"x": x, "n": n, "p": float(p), "alternative": alternative}
    test = _test(policy(backend).call("stats::binom.test", arguments, extract=TEST))
    # binom.test calls the number of trials its "parameter"; it is no degree of freedom.
    return RTest(test.method, test.statistic, float("nan"), test.p_value, test.estimate, test.result)


@asks()
def friedman_test(y: Any, *, backend: BackendLike = None) -> RTest:
    """R's ``friedman.test(y)``: rows are blocks (judges), columns are treatments (items)."""
    table = np.asarray(y, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(
            f"friedman_test expects blocks in rows and treatments in columns; found shape {table.shape}"
        )
    return _test(policy(backend).call("stats::friedman.test", {"y": table}, extract=TEST))


def _test(result: RResult) -> RTest:
    value = result.as_list()
    return RTest(
        str(value.vector("method").scalar()),
        number(value["statistic"]),
        number(value["df"]),
        number(value["p_value"]),
        number(value["estimate"]),
        result,
    )


@dataclass(frozen=True, eq=False)
class QuasiVariances:
    """Quasi-variances as ``qvcalc`` finds them.

    Attributes
    ----------
    quasi_variance, quasi_se : float[items]
        The square root is NaN where R finds a negative quasi-variance.
    worst_errors : float[2]
        Largest relative errors, below and above, of standard errors of simple contrasts.
    """

    items: tuple[str, ...]
    quasi_variance: Floats
    quasi_se: Floats
    worst_errors: Floats
    result: RResult = field(repr=False)


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
    """R's ``qvcalc(covmat, estimates = )`` for the whole covariance of the items (the reference has zeros).

    R stops for fewer than three items, and 4 to 5 digits from its own optimum.
    """
    names = list(items)
    arguments = {
        "covmat": matrix(np.asarray(covmat, dtype=np.float64), names, names),
        "estimates": None if estimates is None else np.asarray(estimates, dtype=np.float64),
    }
    result = policy(backend).call(code=QVCALC, args=arguments, needs=("qvcalc",), label="qvcalc::qvcalc")
    value = result.as_list()
    return QuasiVariances(
        tuple(names),
        value.vector("quasi_variance").floats(),
        value.vector("quasi_se").floats(),
        value.vector("worst").floats(),
        result,
    )
