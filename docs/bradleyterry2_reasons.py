"""Why numbers of an example differ, and why some of R's have no counterpart; by the beginnings of their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """What is said of the quantities whose names begin with one of `of`."""

    of: tuple[str, ...]
    why: str


_LIZARD = ("..lizard096", "standard error of ..lizard096")
_SEPARATED = (
    "lizard096, which has no value of a covariate and so an ability of its own, won all three of its contests: its ability is"
    " infinite. R's number is where the iteration stopped, and grows when it goes on."
)
_WALD = Reason(
    ("z of sigma", "p of sigma", "iterations"),
    "R's z and p of sigma are a Wald test on the boundary of the parameter space, which is not valid; Laplace's approximation has a"
    " likelihood-ratio test (`method=\"laplace\"`, `fit.p_sigma`). Numbers of iterations are not compared.",
)
REASONS: Mapping[str, tuple[Reason, ...]] = {
    "baseball-qvcalc": (
        Reason(
            ("quasi",),
            "qvcalc stops 3 to 5 digits before the minimum that defines quasi-variances; pairproof's are at it"
            " ([certified](certified.md)).",
        ),
    ),
    "icehockey": (
        Reason(
            ("KRACH",),
            "The help page finds the rating of a middling team by `uniroot`, whose default stops at 1e-4; pairproof's is the root.",
        ),
    ),
    "flatlizards-ml": (),
    "GenDavidson-two-seasons": (
        Reason(
            ("shifted and scaled, home", "shifted and scaled, tie", "exp", "plogis"),
            "gnm stops at 6 to 7 digits of these parameters, also with a tighter tolerance; pairproof's are the root of the score to 2e-13.",
        ),
    ),
}
NO_COUNTERPART: Mapping[str, tuple[Reason, ...]] = {}
