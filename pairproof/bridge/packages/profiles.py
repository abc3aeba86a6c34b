"""Profile-likelihood limits in R: MASS's confint, and constrained refits.

``confint`` interpolates the profile by a spline: 4 to 6 digits.  A constrained refit is stats::glm with the parameter
held at a value by an offset; the limit is where twice the loss of log-likelihood is the chi-square point, found by
uniroot: 10 digits and more.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..process.policy import BackendLike
from ..values.convert import matrix
from .asking import Floats, RAnswer, asks, program
from .sandwich import CONDITIONAL, ComparisonRows

#: From R 4.4 on stats has MASS's method itself.
CONFINT = CONDITIONAL + program(__package__, "r/profiles_confint")

REFITS = CONDITIONAL + program(__package__, "r/profiles_refits")


@dataclass(frozen=True, eq=False)
class ProfileLimits(RAnswer):
    """Profile-likelihood limits, log-odds."""

    low: Floats
    high: Floats


@asks("MASS")
def confint(rows: ComparisonRows, level: float = 0.95, *, backend: BackendLike = None) -> ProfileLimits:
    """R's ``confint(glm)`` of every parameter, MASS's profile; of Rao and Kupper's model ``confint(polr)``.

    Parameters
    ----------
    rows : ComparisonRows
    level : float
        In (0, 1).
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ProfileLimits
        In the order of ``rows.names``; of Rao and Kupper's model without the threshold.

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> confint(rows).low  # doctest: +SKIP
    """
    arguments = {**rows.arguments(), "level": level}
    return ProfileLimits.ask(backend, "MASS::confint", CONFINT, arguments)


@asks()
def constrained_refits(
    rows: ComparisonRows, functions: Floats, level: float = 0.95, *, backend: BackendLike = None
) -> ProfileLimits:
    """Limits of linear functions of the parameters by ``stats::glm`` with each function held fixed.

    Parameters
    ----------
    rows : ComparisonRows
        Davidson's model, or two outcomes.
    functions : float[m, k]
    level : float
        In (0, 1).
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ProfileLimits

    Raises
    ------
    ValueError
        Rao and Kupper's model, which is no glm.
    RError
        R's own: a limit at infinity has no root.

    Examples
    --------
    >>> constrained_refits(rows, [[1.0, -1.0]]).low  # doctest: +SKIP
    """
    if rows.model != "poisson":
        raise ValueError("constrained refits are by glm, which Rao and Kupper's model is not")
    arguments = {**rows.arguments(), "C": matrix(functions, rows.names), "level": level}
    return ProfileLimits.ask(backend, "stats::glm, constrained refits", REFITS, arguments)
