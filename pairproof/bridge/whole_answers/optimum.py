"""The maximum of a model of whole answers by R's Newton method on the list of all possible answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..packages.answers import Estimates, ask, asks, reals
from ..process.policy import BackendLike
from ..values.convert import matrix
from .inputs import Inputs
from .program import PROGRAM


@dataclass(frozen=True, eq=False)
class EnumeratedOptimum(Estimates):
    """A maximum as R reaches it by Newton's method.

    names: as in the fit.  coef, se float[n].  vcov float[n, n]: inverse of minus the Hessian of what was
    maximised.  llf: of the answers, without pseudo-comparisons.  deviance: against free probabilities of all
    possible answers.  largest_score: the largest component of the gradient at the end.
    """

    llf: float
    deviance: float
    df: float
    largest_score: float
    iterations: int


def arguments(given: Inputs) -> dict[str, Any]:
    """The program's variables as R is to see them."""
    return {
        **given.scalars,
        "orders": reals(given.orders),
        "depends": matrix(reals(given.depends), ["first", "second"]),
        "answers": reals(given.answers),
        "ranks": reals(given.ranks),
        "presented": reals(given.presented),
        "ranked": reals(given.ranked),
        "n": reals(given.n),
        "group": reals(given.group),
        "design": matrix(given.design, list(given.names)),
    }


@asks()
def enumerated(given: Inputs, *, backend: BackendLike = None) -> EnumeratedOptimum:
    """The maximum in R, from zeros.

    given: of :func:`pairproof.bridge.whole_answers.inputs.inputs_of`.
    """
    found = ask(backend, "Newton in base R, all answers listed", PROGRAM, arguments(given))
    return EnumeratedOptimum.read(found)
