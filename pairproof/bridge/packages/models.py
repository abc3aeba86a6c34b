"""What every model fitted in R is reduced to: plain arrays with names.

R reduces its own object (``REDUCE`` below) before anything crosses over, so no environment, formula or call
has to be understood here, and every record shows what was taken from the object and how.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.records.result import RResult
from pairproof.bridge.values.convert import data_frame
from pairproof.bridge.values.values import RArgument, RVector

Floats = NDArray[np.float64]
Function = TypeVar("Function", bound=Callable[..., Any])

#: R: a fitted model as a list. ``b`` are its coefficients with NA for what is not estimable, ``V`` their
#: covariance.
REDUCE = """
reduce <- function(m, b = stats::coef(m), V = stats::vcov(m)) {
  ll <- stats::logLik(m)
  attributes(V) <- attributes(V)[c("dim", "dimnames")]
  list(coef = stats::setNames(as.numeric(b), names(b)), vcov = V, deviance = stats::deviance(m),
       df_residual = stats::df.residual(m), null_deviance = m$null.deviance, df_null = m$df.null,
       loglik = as.numeric(ll), df = attr(ll, "df"), aic = m$aic, fitted = unname(as.numeric(stats::fitted(m))),
       converged = m$converged, iterations = m$iter)
}
"""

#: R: a glm fitted again from its own solution. R's glm keeps the weights of the step before its last, so its
#: standard errors have 6 to 9 digits; started at the solution they have 12 or more. Columns that R's default
#: tolerance finds aliased are left out first, because glm's rank tolerance is epsilon / 1000 and a tight
#: epsilon hides them.
REFIT = """
refit <- function(first, epsilon, maxit) {
  ok <- !is.na(first$coefficients)
  x <- first$x[, ok, drop = FALSE]
  colnames(x) <- names(first$coefficients)[ok]
  again <- function(start) stats::glm.fit(
    x, first$y, weights = first$prior.weights, start = start, offset = first$offset, family = first$family,
    control = stats::glm.control(epsilon = epsilon, maxit = maxit),
    intercept = isTRUE(attr(first$terms, "intercept") > 0))
  second <- again(first$coefficients[ok])
  third <- again(second$coefficients)
  third$iter <- first$iter + second$iter + third$iter
  m <- first
  m[names(third)] <- third
  list(model = m, coef = replace(first$coefficients, ok, third$coefficients),
       vcov = stats::summary.glm(m)$cov.scaled)
}
"""


@dataclass(frozen=True, eq=False)
class RModel:
    """A model as R fitted it.

    Attributes
    ----------
    names : tuple of str
        R's coefficient names.
    coef, se : float[n]
        NaN (R's NA) where R finds a coefficient not estimable, or its own reference.
    vcov : float[k, k]
        Of the ``k`` estimable coefficients, named in ``vcov_names``.
    deviance, null_deviance, loglik, aic : float
        As R defines them for this model; NaN where R has none.
    df_residual, df_null, df : float
        ``df`` belongs to ``loglik``; for gnm it counts the eliminated constants.
    fitted : float[rows]
    converged : bool
    iterations : int
    result : RResult
        The call, its warnings and output, where it was answered.
    """

    names: tuple[str, ...]
    coef: Floats
    se: Floats
    vcov: Floats
    vcov_names: tuple[str, ...]
    deviance: float
    df_residual: float
    null_deviance: float
    df_null: float
    loglik: float
    df: float
    aic: float
    fitted: Floats
    converged: bool
    iterations: int
    result: RResult = field(repr=False)

    @property
    def estimable(self) -> tuple[str, ...]:
        """Names of the coefficients R could estimate."""
        return tuple(n for n, b in zip(self.names, self.coef) if not np.isnan(b))

    def estimate(self, name: str) -> float:
        """The coefficient of that R name."""
        return float(self.coef[self._place(name)])

    def standard_error(self, name: str) -> float:
        """Its standard error."""
        return float(self.se[self._place(name)])

    def params(self) -> dict[str, float]:
        """Name to estimate, in R's order."""
        return dict(zip(self.names, self.coef.tolist()))

    def bse(self) -> dict[str, float]:
        """Name to standard error, in R's order."""
        return dict(zip(self.names, self.se.tolist()))

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise KeyError(
                f"{name!r} is no coefficient of {self.result.call.name}, which has {list(self.names)}"
            )
        return self.names.index(name)


def model_fields(result: RResult) -> dict[str, Any]:
    """The fields of :class:`RModel` from what ``REDUCE`` returned (other classes add their own)."""
    value = result.as_list()
    coefficients = value.vector("coef")
    names = coefficients.names or ()
    vcov_names, vcov = named_matrix(value.vector("vcov"))
    se = np.full(len(names), np.nan)
    where = {n: i for i, n in enumerate(vcov_names)}
    coef = coefficients.floats()
    coef[np.isnan(coef)] = np.nan  # R's NA is a signalling NaN, over which numpy warns in every sum
    for i, name in enumerate(names):
        if name in where and not np.isnan(coef[i]):
            variance = vcov[where[name], where[name]]
            se[i] = np.sqrt(variance) if variance >= 0 else np.nan
    converged = value["converged"]
    return {
        "names": names,
        "coef": coef,
        "se": se,
        "vcov": vcov,
        "vcov_names": vcov_names,
        **{
            k: number(value[k])
            for k in ("deviance", "df_residual", "null_deviance", "df_null", "loglik", "df", "aic")
        },
        "fitted": value.vector("fitted").floats(),
        "converged": bool(converged.scalar()) if converged is not None else False,
        "iterations": int(number(value["iterations"])),
        "result": result,
    }


def model_of(result: RResult) -> RModel:
    return RModel(**model_fields(result))


def number(value: Any) -> float:
    """A length-one R vector as a float; NaN for NULL."""
    if value is None:
        return float("nan")
    if not isinstance(value, RVector) or value.values.size != 1:
        raise TypeError(f"expected one number from R, found {value!r}")
    return float(value.floats().ravel()[0])


def named_matrix(value: RVector) -> tuple[tuple[str, ...], Floats]:
    """Column names and values of an R matrix."""
    margins = value.dimnames or (None, None)
    return margins[1] or (), value.floats()


def as_frame(data: Any) -> Any:
    """A table for R: a DataFrame or ready-made frame as it is, a mapping of columns as a data.frame."""
    if isinstance(data, Mapping):
        return data_frame(data)
    if isinstance(data, RArgument) or type(data).__module__.split(".")[0] == "pandas":
        return data
    raise TypeError(
        f"expected a pandas DataFrame or a mapping of column name to values, found {type(data).__name__}"
    )


def asks(*packages: str) -> Callable[[Function], Function]:
    """Mark a function with the R packages it needs, readable as ``function.needs``."""

    def mark(function: Function) -> Function:
        setattr(function, "needs", packages)
        return function

    return mark
