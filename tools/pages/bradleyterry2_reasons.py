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
_QVCALC = Reason(
    ("quasi",),
    "qvcalc stops with 5 to 7 digits of the minimum that defines quasi-variances; pairproof's are at the minimum"
    " ([certified](certified.md)).",
)
_KRACH = Reason(
    ("KRACH",),
    "The help page finds a middling rating by `uniroot`, which stops at 1e-4; pairproof's is the root.",
)
_GNM = Reason(
    (
        "shifted and scaled, home",
        "shifted and scaled, tie",
        "scaled, ",
        "Davidson, ",
        "exp",
        "plogis",
        "likelihood",
        "p of the",
    ),
    "gnm stops after 6 to 8 digits of these parameters, with a tighter tolerance too; pairproof's are where the score is 0 (of"
    " the first season alone, a Newton step in 50 digits moves them by less than 2e-13).",
)
_SEASONS = (
    "No team of one season met one of another, so abilities cannot be compared between seasons, and the abilities that the help"
    " page takes from gnm, in an over-parameterised model, mean nothing across them: only what is common to the seasons is compared."
)
#: Of differences.
REASONS: Mapping[str, tuple[Reason, ...]] = {
    "baseball-qvcalc": (_QVCALC,),
    "icehockey": (_KRACH,),
    "GenDavidson-two-seasons": (_GNM, Reason((), _SEASONS)),
    "GenDavidson-five-seasons": (_GNM, Reason((), _SEASONS)),
}
_APART = ("011", "024", "026", "047", "053", "058", "060")
_COMPONENTS = Reason(
    tuple(f"{of}..lizard{k}" for k in _APART for of in ("", "standard error of ")),
    "The 77 lizards are four groups that never met one another (70, 3, 2 and 2), and 7 of them cannot be compared with the reference."
    " The fit names them; R gives three of them NA, and the other four numbers that are differences from those three.",
)
_AGAINST_ITSELF = Reason(
    ("Stockholm - Stockholm", "standard error of Stockholm - Stockholm"),
    "A contest of Stockholm against itself, 0 in R, is refused.",
)
_NULL = Reason(("Statistic, NULL", "Df, NULL"), "The first row of R's table is empty.")
#: Of R's numbers without one of ours.
NO_COUNTERPART: Mapping[str, tuple[Reason, ...]] = {
    "drop1-flatlizards": (_SEPARATED,),
    "drop1-flatlizards-head": (_SEPARATED,),
    "anova-flatlizards": (_SEPARATED, _NULL),
    "flatlizards-br": (_COMPONENTS,),
    "flatlizards-ml": (_SEPARATED,),
    "flatlizards-pql-0": (_SEPARATED,),
    "flatlizards-pql": (_SEPARATED,),
    "flatlizards-probit": (_SEPARATED,),
    "glmmPQL-control": (
        _SEPARATED,
        Reason(
            (), "tol = 1e-3 stops 3 to 5 digits before the fixed point, for which pairproof has no option."
        ),
    ),
    "seeds": (
        Reason(("all.equal",), "The help page's check that terms add up; pairproof has no terms to add up."),
    ),
    "predict-CEMS": (_AGAINST_ITSELF,),
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
