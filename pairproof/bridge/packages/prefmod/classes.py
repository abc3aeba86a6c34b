"""Latent classes as prefmod fits them: pattnpml.fit, a mixture over the cells of a pattern table.

    L = prod_c sum_k pi_k Poisson(y_c; exp(x_c' beta + z_c' theta_k))

over cells c, so the ``masses`` pi are shares of cells, not of persons; shares of persons are the posteriors
weighted by the counts.  The EM starts from random posteriors: another seed may end at another maximum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.formulas import variables
from ...values.values import Formula
from ..answers import Estimates, Floats, ask, asks
from .designs import GIVEN, MAKE_DESIGN, Design, design_arguments

NEEDS = ("prefmod",)

PATTNPML = (
    GIVEN
    + MAKE_DESIGN
    + """
fit <- as_typed("prefmod::pattnpml.fit", list(formula, random = random, k = k, design = quote(design)), list(
  EMmaxit = EMmaxit, EMdev.change = EMdev.change, seed = seed))
"""
)

REDUCE_NPML = """
said <- summary(fit)
b <- stats::coef(fit)
known <- names(b)[!is.na(b)]
table <- said$lastglmsumm$coefficients
V <- said$lastglmsumm$cov.scaled
se <- stats::setNames(rep(NA_real_, length(b)), names(b))
se[rownames(table)] <- table[, 2L]
ll <- stats::logLik(fit)
y <- design$y
list(names = names(b), coef = unname(as.numeric(b)), se = unname(se), vcov = unname(V), vcov_names = rownames(V),
     masses = unname(as.numeric(fit$masses)), persons = as.numeric(colSums(fit$post.prob * y) / sum(y)),
     posterior = matrix(as.numeric(fit$post.prob), nrow(fit$post.prob)), disparity = fit$disparity, deviance = fit$deviance,
     loglik = as.numeric(ll), df = attr(ll, "df"), aic = stats::AIC(fit), bic = stats::BIC(fit), iterations = fit$EMiter,
     converged = isTRUE(fit$EMconverged))
"""


@dataclass(frozen=True, eq=False)
class NPMLModel(Estimates):
    """Latent classes over the cells of a pattern table, as prefmod's EM ends.

    names: ``o1:MASS1``: item o1 in class 1.  coef, se float[n]: NaN (R's NA) where R finds a coefficient not
    estimable. The standard errors are those of the last weighted glm: they take the class of every cell as
    known.  vcov float[m, m]: of the estimable coefficients, named in ``vcov_names``.  masses float[k]: pi:
    shares of **cells**.  persons float[k]: shares of persons: posteriors weighted by the counts.  posterior
    float[cells, k]: probability of each class given the cell.  disparity: -2 log L; compare it over seeds.
    deviance, loglik, df, aic, bic: as prefmod defines them.  iterations: EM steps.  lines: what prefmod
    printed.  arguments: of the call, so that :func:`patt_worth` can repeat it.
    """

    vcov_names: tuple[str, ...]
    masses: Floats
    persons: Floats
    posterior: Floats = field(repr=False)
    disparity: float
    deviance: float
    loglik: float
    df: float
    aic: float
    bic: float
    iterations: int
    converged: bool
    lines: tuple[str, ...] = field(repr=False)
    arguments: Mapping[str, Any] = field(repr=False)


@asks(*NEEDS)
def pattnpml_fit(
    formula: str,
    random: str,
    k: int,
    design: Design,
    EMmaxit: int = 5000,
    EMdev_change: float = 1e-10,
    seed: int = 1,
    *,
    backend: BackendLike = None,
) -> NPMLModel:
    """R's ``prefmod::pattnpml.fit(formula, random, k, design, EMmaxit, EMdev.change, seed)``.

    R's own defaults are ``EMdev.change = 0.001``, which stops up to 3e-3 short in the disparity, ``EMmaxit =
    500`` and a seed from the clock; they are other here.  Its ``tol`` and ``startp`` have no effect and are no
    arguments.

    Parameters
    ----------
    formula : str
        Fixed terms: ``y ~ 1``.
    random : str
        Terms that differ between classes: ``~o1 + o2 + o3``.
    k : int
        Classes, 2 to 21. One class drops ``random`` without a word, and is refused.
    design : PatternDesign, a table, or Expr
        ``Expr("prefmod::euro55.2.des")`` is one that prefmod brings.
    EMmaxit : int
    EMdev_change : float
        The EM stops when the disparity changes by less.
    seed : int
        Of the random start; try several and keep the smallest ``disparity``.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    NPMLModel

    Raises
    ------
    InputError, RError
        One class, or no random terms (prefmod stops with "invalid formula"); R's own.

    Examples
    --------
    >>> m = pattnpml_fit("y ~ 1", "~o1 + o2 + o3", 2, patt_design(answers, 4))  # doctest: +SKIP
    >>> m.disparity, m.persons                                                  # doctest: +SKIP
    """
    if not 2 <= k <= 21:
        raise InputError(f"prefmod fits 2 to 21 classes, found k = {k}; with one it drops the random terms")
    if not variables(random, "random"):
        raise InputError(f"random is {random!r}; name the terms that differ between classes, as '~o1 + o2'")
    arguments = {
        **design_arguments(design),
        "formula": Formula(formula),
        "random": Formula(random),
        "k": int(k),
        "EMmaxit": int(EMmaxit),
        "EMdev.change": float(EMdev_change),
        "seed": int(seed),
    }
    result = ask(backend, "prefmod::pattnpml.fit", PATTNPML + REDUCE_NPML, arguments, NEEDS, seed=int(seed))
    return NPMLModel.read(result, lines=result.output, arguments=arguments)
