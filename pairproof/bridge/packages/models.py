"""What every model fitted in R is reduced to: plain arrays with names.

R reduces its own object (``REDUCE`` below) before anything is sent back, so no environment, formula or call
has to be understood here, and every record shows what was taken from the object and how.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from ..records.result import RResult
from .answers import Estimates, Floats, named_matrix

Family = Literal["poisson", "binomial", "gaussian"]
#: glm's stopping rule, a relative change of the deviance. The tightest that still stops: below it the
#: deviance moves by its own rounding.
EPSILON = 1e-14
MAXIT = 100

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
class RModel(Estimates):
    """A model as R fitted it.

    names: R's coefficient names.  coef, se float[n]: NaN (R's NA) where R finds a coefficient not estimable,
    or its own reference.  vcov float[k, k]: of the ``k`` estimable coefficients, named in ``vcov_names``.
    deviance, null_deviance, loglik, aic: as R defines them for this model; NaN where R has none.
    df_residual, df_null, df: ``df`` belongs to ``loglik``; for gnm it counts the eliminated constants.
    fitted float[rows]: expected counts, a row of the data each.  result: the call, its warnings and output,
    and whether R answered live or a record did.
    """

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

    @property
    def estimable(self) -> tuple[str, ...]:
        """Names of the coefficients R could estimate."""
        return tuple(n for n, b in zip(self.names, self.coef) if not np.isnan(b))


SomeModel = TypeVar("SomeModel", bound=RModel)


def model_of(kind: type[SomeModel], result: RResult, **more: Any) -> SomeModel:
    """An :class:`RModel`, or a subclass, from what ``REDUCE`` returned; ``more`` are its other fields."""
    return kind.read(result, **coefficients_of(result), **more)


def coefficients_of(result: RResult) -> dict[str, Any]:
    """The fields names, coef, se, vcov and vcov_names from what ``REDUCE`` returned."""
    value = result.as_list()
    coefficients = value.vector("coef")
    names = coefficients.names or ()
    vcov_names, vcov = named_matrix(value.vector("vcov"))
    coef = coefficients.floats()
    coef[np.isnan(coef)] = np.nan  # R's NA is a signalling NaN, over which numpy warns in every sum
    variance = dict(zip(vcov_names, np.diag(vcov).tolist()))
    known = [not np.isnan(b) and variance.get(name, -1.0) >= 0 for name, b in zip(names, coef)]
    se = np.array([np.sqrt(variance[name]) if ok else np.nan for name, ok in zip(names, known)])
    return {"names": names, "coef": coef, "se": se, "vcov": vcov, "vcov_names": vcov_names}
