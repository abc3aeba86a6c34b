"""Why numbers of an example differ, and why some of R's have no counterpart; by the beginnings of their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """What is said of the quantities whose names begin with one of `of`."""

    of: tuple[str, ...]
    why: str


_SEPARATED = Reason(
    (
        *("..lizard096", "standard error of ..lizard096", "z of ..lizard096", "p of ..lizard096"),
        *("ability of lizard096", "standard error of the ability of lizard096"),
    ),
    "lizard096 has no value of a covariate and so an ability of its own, and won all of its contests: its ability is infinite. R's"
    " number is where the iteration stopped, and grows when it goes on; all others are those of the limit.",
)
_WALD = Reason(
    ("z of sigma", "p of sigma", "iterations"),
    "R's z and p of sigma are a Wald test on the boundary of the parameter space, which is not valid; Laplace's approximation has a"
    ' likelihood-ratio test (`method="laplace"`, `fit.p_sigma`). Numbers of iterations are not compared.',
)
_KRACH = Reason(
    ("KRACH",),
    "The help page finds a middling rating by `uniroot`, which stops at 1e-4; pairproof's is the root.",
)
_SEASONS = (
    "No team of one season met one of another, so abilities cannot be compared between seasons, and the abilities that the help"
    " page takes from gnm, in an over-parameterised model, mean nothing across them"
)
#: Of differences.
REASONS: Mapping[str, tuple[Reason, ...]] = {"icehockey": (_KRACH,)}
#: Of R's numbers without one of ours.
NO_COUNTERPART: Mapping[str, tuple[Reason, ...]] = {
    "seeds": (
        Reason(("all.equal",), "The help page's check that terms add up; pairproof has no terms to add up."),
    ),
    "predict-new-lizard": (
        Reason(
            (),
            "R has no prediction at level 1 for a lizard that was not seen; pairproof's has effect 0, and its variance in the standard error.",
        ),
    ),
    "vignette-3.1": (_WALD,),
    "vignette-3.2": (_SEPARATED, _WALD),
    "vignette-3.3-1": (Reason(("iterations",), "Numbers of iterations are not compared."),),
    "vignette-3.3-2": (Reason(("iterations",), "Numbers of iterations are not compared."),),
}
#: R function, or page and name, of a call that migrate translates -> what is said of it.
NOTES: Mapping[str, str] = {
    "qvcalc::qvcalc": "qvcalc stops with 5 to 7 digits of the minimum that defines quasi-variances, where gnm stops;"
    " pairproof's are at the minimum ([certified](certified.md))",
    "gnm::gnm": "gnm stops after 6 to 8 digits of these parameters, with a tighter tolerance too; pairproof's are where the score is 0"
    " (of the first season alone, a Newton step in 50 digits moves them by less than 2e-13). " + _SEASONS,
    "flatlizards: BTmodel": "The 77 lizards are four groups that never met one another (70, 3, 2 and 2), and 7 of them cannot be"
    " compared with the reference. The fit names them; R gives three of them NA, and the other four numbers that are differences"
    " from those three",
    "glmmPQL.control: BTmodel": "tol = 1e-3 stops 3 to 5 digits before the fixed point, for which pairproof has no option",
}
