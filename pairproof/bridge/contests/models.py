"""Asks R for a model of contests: the variables of the programs, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..packages.answers import Floats, RAnswer, ask, asks, reals
from ..process.policy import BackendLike
from .inputs import Inputs
from .mixed_programs import GLMMPQL, LAPLACE, LAPLACE_ITSELF, QUADRATURE
from .packages import BTM, GENDAVIDSON
from .programs import BRGLM2, GLM, JEFFREYS_WITH_TIES, NEWTON

FloatArray = NDArray[np.float64]
#: What every program leaves behind, as one list.
ANSWER = """
here <- environment()
of <- function(name, default = NA_real_) if (exists(name, envir = here, inherits = FALSE)) as.numeric(get(name, envir = here)) else default
list(coef = as.numeric(b), vcov = matrix(as.numeric(V), NROW(V)), llf = of("llf"), deviance = of("deviance"), df = of("df"), sigma = of("sigma"),
     sigma_se = of("sigma_se"), lr = of("lr"), effects = of("effects", numeric()), means = of("means", numeric()), largest = of("largest"),
     converged = of("converged"), steps = of("steps"), names = if (exists("names_of_r", envir = here, inherits = FALSE)) names_of_r else character())
"""
#: brglm2's types by the bias that is reduced.
TYPES: Mapping[str, str] = {"mean": "AS_mean", "median": "AS_median", "jeffreys": "MPL_Jeffreys"}
#: brglm2 stops where the largest step is below this; at 1e-14 its own rounding keeps it from stopping.
BRGLM2_EPSILON = 1e-13


@dataclass(frozen=True, eq=False)
class ContestEstimates(RAnswer):
    """What R says of a model of contests.

    names: R's own, where the program names its coefficients.  coef float[p]: nan where R has none.  vcov
    float[k, k]: of those that it has.  llf, deviance, df: without constants of the counts; nan where the
    program has none.  effects, means float[K]: predicted random effects, and their posterior means.  largest:
    largest component of the score at the end, in standard errors.  converged: 1 or 0, nan where R says
    nothing.
    """

    names: tuple[str, ...]
    coef: Floats
    vcov: Floats
    llf: float
    deviance: float
    df: float
    sigma: float
    sigma_se: float
    lr: float
    effects: Floats
    means: Floats
    largest: float
    converged: float
    steps: float


def variables(given: Inputs, limited: bool = True) -> dict[str, Any]:
    """The rows as the programs in base R see them: wins, ties, losses, X, offset, home, and what the model is.

    limited: whether rows whose result is certain in the limit, and parameters that the others do not
    determine, are left out.
    """
    spec = given.spec
    rows = ~given.certain if limited else np.ones(len(given.first), bool)
    kept = [k for k in range(len(given.terms)) if not limited or k not in given.undetermined]
    wins, ties, losses = given.counts[rows].T
    return {
        "wins": reals(wins),
        "ties": reals(ties),
        "losses": reals(losses),
        "X": reals(given.columns[rows][:, kept]),
        "offset": reals(given.offset[rows]),
        "home": reals(given.home[rows]),
        "link": str(spec.link),
        "with_ties": given.with_ties,
        "shift": bool(spec.tie_shift),
        "scale": bool(spec.tie_scale),
    }


def mixed_variables(given: Inputs) -> dict[str, Any]:
    """:func:`variables`, and the random effects of each row: plus, minus, K, set."""
    first, second, n = given.effects
    rows = ~given.certain
    of_set = given.judge if given.judges else np.zeros(len(given.first), int)
    return {
        **variables(given),
        "plus": reals(first[rows] + 1),
        "minus": reals(second[rows] + 1),
        "K": float(n),
        "set": reals(of_set[rows] + 1),
    }


def named_variables(given: Inputs) -> dict[str, Any]:
    """What the programs that call BradleyTerry2 see beside the rows: items by name and their covariates."""
    contest = given.contest_terms()
    _, of_items = given.item_columns()
    return {
        **{k: v for k, v in variables(given, limited=False).items() if k not in ("X", "ties", "with_ties")},
        "items": list(given.fit.items),
        "first": reals(given.first + 1),
        "second": reals(given.second + 1),
        "free": any(t.kind == "item" for t in given.terms),
        "reference": given.reference,
        "W": reals(of_items),
        "C": reals(given.columns[:, contest]),
        "random": "item" in given.spec.random,
    }


@asks()
def newton(given: Inputs, *, backend: BackendLike = None) -> ContestEstimates:
    """The maximum of the likelihood by Newton's method in base R, its derivatives by R's deriv3."""
    return _read(backend, "Newton in base R, contests", NEWTON, variables(given))


@asks()
def glm(given: Inputs, *, backend: BackendLike = None) -> ContestEstimates:
    """R's ``stats::glm.fit`` of the same columns, at a tight stop; as :func:`newton`."""
    return _read(backend, "stats::glm.fit", GLM, variables(given))


@asks("brglm2")
def brglm2(given: Inputs, *, backend: BackendLike = None) -> ContestEstimates:
    """``brglm2::brglmFit`` of the same columns; as :func:`newton`."""
    more = {"type": TYPES[given.spec.reduction], "epsilon": BRGLM2_EPSILON}
    return _read(backend, "brglm2::brglmFit", BRGLM2, {**variables(given), **more}, ("brglm2",))


@asks()
def jeffreys(given: Inputs, *, backend: BackendLike = None) -> ContestEstimates:
    """Davidson's ties with Jeffreys' prior, by scoring in base R; as :func:`newton`."""
    return _read(backend, "Jeffreys' prior with ties in base R", JEFFREYS_WITH_TIES, variables(given))


@asks("BradleyTerry2")
def btm(given: Inputs, *, tight: bool, br: bool = False, backend: BackendLike = None) -> ContestEstimates:
    """``BradleyTerry2::BTm`` of the model, at its own stop or a tight one; as :func:`newton`."""
    more = {"tight": bool(tight), "br": bool(br)}
    return _read(backend, "BradleyTerry2::BTm", BTM, {**named_variables(given), **more}, ("BradleyTerry2",))


@asks("gnm", "BradleyTerry2")
def gendavidson(given: Inputs, *, backend: BackendLike = None) -> ContestEstimates:
    """``BradleyTerry2::GenDavidson`` by gnm; as :func:`newton`."""
    ordered = any(t.kind == "order" for t in given.terms)
    more = {"ties": reals(given.counts[:, 1]), "ordered": ordered}
    sent = {
        k: v
        for k, v in named_variables(given).items()
        if k not in ("W", "C", "random", "free", "offset", "link")
    }
    return _read(backend, "gnm::gnm", GENDAVIDSON, {**sent, **more}, ("gnm", "BradleyTerry2"))


@asks("BradleyTerry2")
def glmm_pql(given: Inputs, *, tight: bool, backend: BackendLike = None) -> ContestEstimates:
    """``BradleyTerry2::glmmPQL`` with the effects of items by judge as its random matrix; as :func:`newton`."""
    more = {"tight": bool(tight)}
    return _read(
        backend, "BradleyTerry2::glmmPQL", GLMMPQL, {**mixed_variables(given), **more}, ("BradleyTerry2",)
    )


@asks("lme4")
def laplace(given: Inputs, *, backend: BackendLike = None) -> ContestEstimates:
    """Laplace's approximation by lme4's glmer; as :func:`newton`."""
    return _read(backend, "lme4::glmer", LAPLACE, mixed_variables(given), ("lme4",))


@asks()
def laplace_itself(given: Inputs, *, backend: BackendLike = None) -> ContestEstimates:
    """Laplace's approximation in base R; as :func:`newton`."""
    return _read(backend, "Laplace's approximation in base R", LAPLACE_ITSELF, mixed_variables(given))


@asks()
def quadrature(given: Inputs, *, backend: BackendLike = None) -> ContestEstimates:
    """The marginal likelihood by the trapezoidal rule in base R; as :func:`newton`."""
    return _read(backend, "quadrature in base R", QUADRATURE, mixed_variables(given))


def _read(
    backend: BackendLike, label: str, code: str, arguments: Mapping[str, Any], needs: tuple[str, ...] = ()
) -> ContestEstimates:
    return ContestEstimates.read(ask(backend, label, code + ANSWER, arguments, needs))
