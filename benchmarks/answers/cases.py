"""The cases: the data, our public function, R's call, and what was aimed at.

The R expression sees the data frame `d`.  That of prefmod is followed by its own maximum (`result$minimum`, the coefficients as
nlm leaves them); PlackettLuce is asked for `npseudo = 0`, which is maximum likelihood, and for standard errors, which prefmod
works out unasked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pairproof

from . import data
from .data import Answers

Fit = Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    """One data set and who fits it.

    Attributes
    ----------
    group, name : str
    data : function of no argument to Answers
    fit : function of the table to the fit
    r : str
        R's call; "" where R has no function for it.
    who : {"prefmod", "PlackettLuce", "pattnpml.fit"}
    times_faster : float or None
        Aimed at, in CPU time; for the largest case of its group that R can do.
    seconds : float or None
        Aimed at for ours.
    """

    group: str
    name: str
    data: Callable[[], Answers]
    fit: Fit
    r: str = ""
    who: str = "prefmod"
    times_faster: float | None = None
    seconds: float | None = None


def _pattern(**options: Any) -> Fit:
    return lambda table: pairproof.fit_pattern(table, **options)


def cases(tiny: bool) -> list[Case]:
    """All cases; tiny ones of the same kinds, to see whether everything runs."""
    n = 40 if tiny else 500
    return [
        case
        for part in (_comparisons, _rankings, _partial, _ratings, _repeated, _classes)
        for case in part(n, tiny)
    ]


def _comparisons(n: int, tiny: bool) -> list[Case]:
    found = []
    sizes = [(3, False, False), (3, True, True)] if tiny else _SIZES
    for j, ties, ia in sizes:
        answer = "ternary" if ties else "binary"
        name = f"{j} items, {answer}{', ia' if ia else ''}"
        call = f"pattPC.fit(d, nitems = {j}, undec = {_r(ties)}, ia = {_r(ia)})"
        aimed = 100.0 if (j, ties, ia) in _LARGEST else None
        found.append(
            Case(
                "comparisons",
                name,
                lambda j=j, ties=ties: data.comparisons(j, n, ties),
                _pattern(dependence=ia),
                call,
                times_faster=aimed,
            )
        )
    j = 3 if tiny else 4
    call = f"pattPC.fit(d, nitems = {j}, undec = TRUE)"
    gaps = Case(
        "comparisons",
        f"{j} items, ternary, 10 % of them not answered",
        lambda: data.comparisons(j, n, True, 0.1),
        _pattern(),
        call,
    )
    return [*found, gaps]


#: Items, tie category, dependence; and the largest of each kind that prefmod can do in a minute.
_SIZES = [
    *(
        (4, False, False),
        (5, False, False),
        (6, False, False),
        (4, True, False),
        (5, True, False),
        (6, True, False),
    ),
    *((4, False, True), (5, False, True), (4, True, True), (5, True, True)),
]
_LARGEST = [(6, False, False), (5, True, False), (5, False, True)]


def _rankings(n: int, tiny: bool) -> list[Case]:
    found = []
    for j in (3, 4) if tiny else (5, 6, 7, 8, 9, 10, 12):
        call = f"pattR.fit(d, nitems = {j})" if j < 10 else ""
        found.append(
            Case(
                "rankings",
                f"{j} items",
                lambda j=j: data.rankings(j, n),
                _pattern(),
                call,
                times_faster=100.0 if j == 8 else None,
            )
        )
    return found


def _partial(n: int, tiny: bool) -> list[Case]:
    top, luce = (4, 4) if tiny else (7, 12)
    m = n if tiny else 1000
    luce_fit = "PlackettLuce(as.rankings(as.matrix(d)), npseudo = 0)"
    return [
        Case(
            "partial rankings",
            f"pattern model, {top} items, the best of them by every fifth person",
            lambda: data.best_few(top, n),
            _pattern(),
            f"pattR.fit(d, nitems = {top})",
        ),
        Case(
            "Plackett-Luce",
            f"{luce} items, {m:,} full rankings",
            lambda: data.rankings(luce, m),
            pairproof.fit_plackett_luce,
            luce_fit,
            "PlackettLuce",
        ),
        Case(
            "Plackett-Luce",
            f"{luce} items, {m:,} partial rankings with ties of up to 4",
            lambda: data.partial_with_ties(luce, m, 4),
            pairproof.fit_plackett_luce,
            luce_fit,
            "PlackettLuce",
            seconds=2.0,
        ),
    ]


def _ratings(n: int, tiny: bool) -> list[Case]:
    found = []
    for j, ia in (
        ((3, False),) if tiny else ((4, False), (5, False), (6, False), (7, False), (4, True), (5, True))
    ):
        found.append(
            Case(
                "ratings of 5 points",
                f"{j} items{', ia' if ia else ''}",
                lambda j=j: data.ratings(j, n),
                _pattern(dependence=ia),
                f"pattL.fit(d, nitems = {j}, undec = TRUE, ia = {_r(ia)})",
                times_faster=100.0 if j == 7 else None,
            )
        )
    if not tiny:
        found.append(
            Case(
                "ratings of 101 points",
                "4 items",
                lambda: data.ratings(4, n, 101),
                _pattern(),
                "pattL.fit(d, nitems = 4, undec = TRUE)",
            )
        )
    return found


def _repeated(n: int, tiny: bool) -> list[Case]:
    sizes = ((3, 2),) if tiny else ((3, 2), (3, 3), (4, 2))
    found = [
        Case(
            "repeated, with iaT",
            f"ratings of 5 points, {j} items, {t} times",
            lambda j=j, t=t: data.ratings(j, n, 5, t),
            _pattern(between_times=True),
            f"pattLrep.fit(d, nitems = {j}, tpoints = {t}, undec = TRUE, iaT = TRUE)",
        )
        for j, t in sizes
    ]
    j = 3 if tiny else 4
    rankings = Case(
        "repeated, with iaT",
        f"rankings, {j} items, 2 times",
        lambda: data.repeated_rankings(j, n, 2),
        _pattern(between_times=True),
        f"pattRrep.fit(d, nitems = {j}, tpoints = 2, iaT = TRUE)",
    )
    return [*found, rankings]


def _classes(n: int, tiny: bool) -> list[Case]:
    found = []
    for j in (3,) if tiny else (4, 5):
        names = data.items(j)
        design = f"patt.design(d, nitems = {j}, objnames = c({', '.join(map(repr, names))}), resptype = 'paircomp')"
        call = (
            f"pattnpml.fit(y ~ 1, random = ~ {' + '.join(names[:-1])}, k = 2, design = {design}, seed = 1,"
            " EMdev.change = 1e-8, EMmaxit = 5000)"
        )
        found.append(
            Case(
                "latent classes (ours from 20 starts; pattnpml.fit, of cells, from one, and without errors of a mixture)",
                f"2 classes, {j} items, binary",
                lambda j=j: data.comparisons(j, n, False, tastes=True),
                lambda table: pairproof.fit_latent_classes(table, 2),
                call,
                "pattnpml.fit",
            )
        )
    return found


def _r(value: bool) -> str:
    return "TRUE" if value else "FALSE"
