"""Level 0 as agreements: the arithmetic of every claim of a paper, each check under a name of its own.

``arithmetic.z.A`` is the printed z of A held against the printed estimate and standard error; ``z.A`` remains
the row in which it is held against the data.  No number is looked at twice under one name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...errors import PairproofError
from ...fit.family import FAMILIES
from ...fit.spec import LOG_WORTH_PER_UNIT, ModelSpec
from ...native.pairs.models import make_spec
from ..claims.paper import Claim, DataSpec, Paper
from ..claims.printed import Printed
from ..claims.quantities import Quantity
from .acceptance import is_accepted
from .agreement import Agreement
from .arithmetic import Check, check_numbers
from .interval import Interval
from .printout import Printout
from .win_totals import Games, check_win_totals

KIND = "arithmetic"
#: What holds of an estimate and its standard error whatever the model: with a formula, another link, random
#: effects or reduced bias, numbers of parameters, worths, deviance and AIC are the fit's alone.
_OF_WALD = ("estimate", "se", "z", "p", "low", "high", "df")


def arithmetic_rows(paper: Paper, data_of: Callable[[str], Comparisons]) -> list[Agreement]:
    """Agreements of level 0, claim by claim; a claim whose data cannot be read has none (its own rows say
    why).
    """
    printouts: dict[str, tuple[Claim, Printout]] = {}
    found = []
    for claim in paper.claims:
        if claim.model is None or not claim.numbers or not claim.data:
            continue
        spec = paper.data[claim.data]
        if spec.kind == "games":
            printout = _without_outcomes(claim, spec)
            games, observed = Games.stated(spec.items, spec.rows, spec.games), None
        else:
            try:
                data = data_of(claim.data)
            except PairproofError:
                continue
            printout = printout_of(claim, data)
            ties = printout.spec.ties
            games, observed = Games.of(data, ties), _observed(data, ties)
        checks = check_numbers(printout)
        plain = games is not None and not claim.model.of_contests
        totals = check_win_totals(printout, games, observed) if plain and games is not None else None
        checks += [totals] if totals is not None else []
        checks += _across(claim, printout, list(printouts.values()))
        printouts[claim.id] = claim, printout
        found += [_agreement(paper, claim, printout, c) for c in checks]
    return found


def printout_of(claim: Claim, data: Comparisons) -> Printout:
    """The claim's numbers with what its model and table say of them (never the outcomes)."""
    assert claim.model is not None
    m = claim.model
    spec: ModelSpec = make_spec(
        m.family,
        data,
        m.ties,
        m.by,
        m.reference or None,
        m.order_effect,
        m.cells or None,
        m.item_terms,
        m.separate,
        m.comparison_terms,
    )
    return _printout(claim, spec, data.items, data.tie_category)


def _printout(claim: Claim, spec: ModelSpec, items: tuple[str, ...], tie_category: bool) -> Printout:
    assert claim.model is not None
    unit = LOG_WORTH_PER_UNIT[claim.model.scale or spec.scale]
    # By cluster p is of t on degrees of freedom that no other printed number implies.
    numbers: dict[str, Printed] = {
        q.quantity: q.printed
        for q in claim.numbers
        if not (claim.model.cluster and q.quantity.kind in ("p", "low", "high"))
        and (q.quantity.kind in _OF_WALD or not claim.model.of_contests)
    }
    return Printout(numbers, items, unit, spec, tie_category, claim.sided, float(claim.alpha))


def _without_outcomes(claim: Claim, spec: DataSpec) -> Printout:
    """The claim's numbers where nobody knows more of the table than its items; ties are there if the model
    has them.
    """
    assert claim.model is not None
    m = claim.model
    ternary = m.ties in ("davidson", "rao-kupper")
    own = ModelSpec(
        m.family,
        m.ties or "none",
        m.by,
        m.reference or FAMILIES[m.family].usual_reference(spec.items),
        m.order_effect,
        m.cells,
        m.item_terms,
        m.separate,
        m.comparison_terms,
    )
    return _printout(claim, own, spec.items, ternary)


def _observed(data: Comparisons, ties: str) -> NDArray[np.float64]:
    half = 0.0 if ties == "drop" else 0.5
    n = len(data.items)
    points = np.zeros(n)
    np.add.at(points, data.first, data.wins + half * data.ties)
    np.add.at(points, data.second, data.losses + half * data.ties)
    return points


def _of_cells(spec: ModelSpec) -> tuple[object, ...]:
    """What the table of the deviance depends on."""
    return spec.by, spec.cells, spec.comparison_terms


def _across(claim: Claim, p: Printout, earlier: Sequence[tuple[Claim, Printout]]) -> Iterator[Check]:
    """Claims on the same table and cells: one constant in all AICs, deviances whose differences are
    likelihood ratios.
    """
    for other, q in earlier:
        mine, theirs = p.spec, q.spec
        if other.data != claim.data or _of_cells(theirs) != _of_cells(mine):
            continue
        if {mine.ties, theirs.ties} & {"half", "drop"}:
            continue
        for name in ("aic", "aic_glm"):
            here, there = _constant(p, name), _constant(q, name)
            if here is not None and there is not None:
                words = (
                    f"AIC - deviance + 2 df is {here}, and {there} in {other.id}: one constant for one table"
                )
                yield Check(name, "agrees" if here.meets(there) else "differs", words)
        d, df = _difference(p, q, "deviance"), _difference(p, q, "df_resid")
        for name, value in ((f"lr.{other.id}", d), (f"lr_df.{other.id}", df)):
            if name in p.numbers and value is not None:
                holds = bool((own := p.interval(name)) and own.meets(value))
                words = f"difference of the printed values of both models: {value}"
                yield Check(name, "agrees" if holds else "differs", words)


def _constant(p: Printout, name: str) -> Interval | None:
    aic, deviance, df = p.interval(name), p.interval("deviance"), p.interval("df_resid")
    if aic is None or deviance is None or df is None or name not in p.numbers:
        return None
    return aic - deviance + df.times(2.0)


def _difference(p: Printout, q: Printout, name: str) -> Interval | None:
    a, b = p.interval(name), q.interval(name)
    return None if a is None or b is None else (a - b).size()


def _agreement(paper: Paper, claim: Claim, printout: Printout, check: Check) -> Agreement:
    printed = printout.numbers.get(check.quantity)
    return Agreement.of_claim(
        paper.id,
        claim,
        Quantity(KIND, name=check.quantity),
        check.verdict,
        check.sentence,
        check.code,
        printed=printed.text if printed else None,
        accepted=is_accepted(check.verdict, check.code, claim.accept),
        about="arithmetic",
    )
