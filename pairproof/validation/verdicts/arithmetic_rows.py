"""Level 0 as agreements: the arithmetic of every claim of a paper, and its win totals, each check under its own
name.

``arithmetic.z.A`` is the printed z of A compared with the printed estimate and standard error; ``z.A`` remains
the row in which it is compared with the data.  No number is looked at twice under one name.

Win totals check printed abilities without the outcomes.  Bradley and Terry's likelihood equations say that
each item's expected wins equal its observed wins, an integer (with ties as half wins, or with Davidson's
ties: wins + ties/2, a half-integer).  From printed abilities and the number of games of every pair the
expected totals follow as intervals, and each must hold such a number.  With an order effect the wins of those
named first must be one as well, and with Davidson's ties the number of ties.  A GRIM test (Brown and Heathers
2017) for paired comparisons.  Rao and Kupper's model has no such totals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...errors import InputError, PairproofError
from ...fit.estimates.likelihood import OutcomeModel, outcome_probabilities
from ...fit.estimates.specification import FAMILIES, LOG_WORTH_PER_UNIT, ModelSpec
from ...native.comparisons.counts.llbt import make_spec
from ...numerics.arrays import FloatArray, IntArray
from ..claims.paper import Claim, DataSpec, ModelClaim, Paper
from ..claims.printed import Printed
from ..claims.quantities import OF_PARAMETER, Quantity
from .agreement import Agreement, is_accepted
from .arithmetic import Check, Interval, Printout, check_numbers, corrected, cut_among_rounded


@dataclass(frozen=True, eq=False)
class Games:
    """How often each pair met: `first`, second int[n]; n, home float[n]."""

    first: IntArray
    second: IntArray
    n: FloatArray
    home: FloatArray

    @staticmethod
    def each_pair(n_items: int, games: float) -> Games:
        """The same number for every pair."""
        i, j = np.triu_indices(n_items, 1)
        return Games(i, j, np.full(len(i), float(games)), np.zeros(len(i)))

    @staticmethod
    def stated(items: Sequence[str], rows: Sequence[Sequence[object]], games: float) -> Games | None:
        """From (first, second, games) by name, or one number for every pair; None if not stated."""
        if games:
            return Games.each_pair(len(items), games)
        if not rows:
            return None
        for a, b, n in rows:
            if a not in items or b not in items or a == b or not isinstance(n, (int, float)) or n < 0:
                raise InputError(
                    f"games: found [{a!r}, {b!r}, {n!r}]; expected two different items of"
                    f" {', '.join(items)} and a number"
                )
        met = ((items.index(str(a)), items.index(str(b)), float(str(n))) for a, b, n in rows)
        first, second, n = zip(*met)
        return Games(np.array(first), np.array(second), np.array(n), np.ones(len(rows)))

    @staticmethod
    def of(data: Comparisons, ties: str) -> Games:
        """Of a table; its outcomes are not looked at, but for ties that are dropped."""
        n = data.wins + data.losses + (0.0 if ties == "drop" else data.ties)
        order = data.columns.get("order", np.ones(data.n_rows))
        home = np.array(order.levels, float)[order.codes] if isinstance(order, Factor) else order
        return Games(data.first, data.second, n, home)


@dataclass(frozen=True)
class Total:
    """An expected total of wins (or of ties), as an interval."""

    what: str
    interval: Interval
    step: float

    @property
    def nearest(self) -> float:
        """The possible total nearest to the middle."""
        return round((self.interval.low + self.interval.high) / 2 / self.step) * self.step

    @property
    def says_something(self) -> bool:
        """Whether the interval is so narrow that some prints would fail."""
        return self.interval.high - self.interval.low < self.step

    @property
    def holds(self) -> bool:
        slack = 1e-9 * max(1.0, abs(self.interval.high))
        return math.floor((self.interval.high + slack) / self.step) * self.step >= self.interval.low - slack


def expected_totals(
    low: FloatArray,
    high: FloatArray,
    games: Games,
    *,
    tie: Interval | None = None,
    order: Interval | None = None,
    half_wins: bool = False,
    items: tuple[str, ...] = (),
) -> list[Total]:
    """Intervals of the expected totals.  low, high float[n_items]."""
    i, j, n = games.first, games.second, games.n
    delta = order or Interval(0.0, 0.0)
    least = low[i] - high[j] + games.home * delta.low
    most = high[i] - low[j] + games.home * delta.high
    points, ties = _points(least, tie), _ties(least, most, tie)
    points_high = _points(most, tie)
    step = 0.5 if half_wins or tie is not None else 1.0
    names = items or tuple(str(k + 1) for k in range(len(low)))
    totals = []
    for k, name in enumerate(names):
        at_least = float(n @ np.where(i == k, points[0], np.where(j == k, 1.0 - points_high[1], 0.0)))
        at_most = float(n @ np.where(i == k, points_high[1], np.where(j == k, 1.0 - points[0], 0.0)))
        totals.append(Total(name, Interval(at_least, at_most), step))
    if order is not None:
        at = n * games.home
        totals.append(Total("first", Interval(float(at @ points[0]), float(at @ points_high[1])), step))
    if tie is not None:
        totals.append(Total("ties", Interval(float(n @ ties[0]), float(n @ ties[1])), 1.0))
    return totals


def _points(u: FloatArray, tie: Interval | None) -> tuple[FloatArray, FloatArray]:
    """P(win) + P(tie) / 2 at log-odds u, least and most over the tie parameter; it rises with u."""

    def at(g: float) -> FloatArray:
        model: OutcomeModel = "binary" if tie is None else "davidson"
        p = outcome_probabilities(u, np.array(g), model)
        return np.asarray(p[:, 0] + p[:, 1] / 2)

    ends = [at(0.0)] if tie is None else [at(tie.low), at(tie.high)]
    return np.minimum(ends[0], ends[-1]), np.maximum(ends[0], ends[-1])


def _ties(least: FloatArray, most: FloatArray, tie: Interval | None) -> tuple[FloatArray, FloatArray]:
    """P(tie), least and most: it falls with |u| and rises with the tie parameter."""
    if tie is None:
        return np.zeros_like(least), np.zeros_like(least)
    near = np.where((least <= 0) & (most >= 0), 0.0, np.minimum(np.abs(least), np.abs(most)))
    far = np.maximum(np.abs(least), np.abs(most))
    return (
        outcome_probabilities(far, np.array(tie.low), "davidson")[:, 1],
        outcome_probabilities(near, np.array(tie.high), "davidson")[:, 1],
    )


def check_win_totals(printout: Printout, games: Games, observed: FloatArray | None = None) -> Check | None:
    """Whether any outcomes have the printed abilities at their maximum; observed float[n_items]."""
    spec, estimates = printout.spec, printout.estimates()
    if estimates is None or spec.ties == "rao-kupper" or spec.comparison_terms:
        return None
    tie = order = None
    if spec.order_effect:
        order = printout.interval("estimate.order")
        if order is None or not games.home.any():
            return None  # without knowing who was named first there is nothing to hold it against
    if printout.tie_category and spec.ties in ("davidson", "none"):
        tie = printout.interval("estimate.tie") if spec.ties == "davidson" else Interval(0.0, 0.0)
        if tie is None:
            return None
    ends = [estimates[i].times(printout.unit) for i in printout.items]
    low, high = np.array([(e.low, e.high) for e in ends]).T
    known = {"tie": tie, "order": order}
    half_wins, items = spec.ties == "half", printout.items
    totals = expected_totals(low, high, games, **known, half_wins=half_wins, items=items)
    if spec.ties == "none":
        totals = [t for t in totals if t.what != "ties"]  # held at 0, the tie parameter has no equation
    sharp = [t for t in totals if t.says_something]
    return _verdict(totals, sharp, observed, printout.items)


def _verdict(
    totals: list[Total], sharp: list[Total], observed: FloatArray | None, items: tuple[str, ...]
) -> Check:
    name = "win_totals"
    if not sharp:
        widest = max(t.interval.high - t.interval.low for t in totals)
        text = f"the printed digits determine a total only to within {widest:.2g}: any value would do"
        return Check(name, "not-checkable", text, "win-totals")
    bad = [t for t in sharp if not t.holds]
    if bad:
        words = "; ".join(f"{t.what} {t.interval}" for t in bad)
        kind = "a whole number" if bad[0].step == 1 else "a multiple of 1/2"
        text = f"at a maximum every expected total is {kind}; these are not: {words}"
        return Check(name, "differs", text, "win-totals")
    words = ", ".join(
        f"{t.what} {t.nearest:g}" + ("" if t.says_something else " (or others)") for t in totals
    )
    text = f"the expected totals are whole numbers within rounding: {words}"
    if observed is not None:
        ends = [(t.interval.low - 1e-6, t.interval.high + 1e-6) for t in totals]
        seen = zip(items, observed, ends)
        other = [f"{item} {own:g}" for item, own, (low, high) in seen if not low <= own <= high]
        if other:
            text += f"; these data have other totals: {', '.join(other)}"
    return Check(name, "agrees", text, "win-totals")


KIND = "arithmetic"
#: What holds of an estimate and its standard error whatever the model: with a formula, another link, random
#: effects or reduced bias, numbers of parameters, worths, deviance and AIC are the fit's alone.
_OF_WALD = OF_PARAMETER


@dataclass(frozen=True)
class _Claimed:
    """A claim's printed numbers, as printed and as they would be if all were right, with the rows of those that
    are not.
    """

    claim: Claim
    printout: Printout
    right: Printout
    wrong: tuple[Agreement, ...]
    games: Games | None
    observed: FloatArray | None

    def checks(self, printout: Printout, earlier: Sequence[tuple[Claim, Printout]]) -> list[Check]:
        """Every check of these numbers, among themselves and with those of other claims."""
        checks = check_numbers(printout)
        model = self.claim.model
        if self.games is not None and model and not model.of_contests and not model.of_answers:
            totals = check_win_totals(printout, self.games, self.observed)
            checks += [totals] if totals is not None else []
        if self.observed is None:  # with data, the verdicts on the numbers themselves say so
            checks = cut_among_rounded(printout, checks)
        return checks + list(_across(self.claim, printout, earlier))


def arithmetic_rows(
    paper: Paper, data_of: Callable[[str], Comparisons], rows: Sequence[Agreement] = ()
) -> list[Agreement]:
    """Agreements of level 0 by claim; none where its data cannot be read (its rows say why).

    `rows` are those of the printed numbers against the data: what follows from a number that has a finding there
    is none of its own.
    """
    before: list[_Claimed] = []
    found = []
    bad = {a.claim for a in rows if a.code == "bad-claim"}
    for claim in paper.claims:
        if has_arithmetic(claim) and claim.id not in bad:
            made = _claimed(paper, claim, data_of, rows)
            if made is not None:
                found += _of_claim(paper, made, before)
                before.append(made)
    return found


def has_arithmetic(claim: Claim) -> bool:
    """Whether printed numbers of a claim follow from others; those of a board do not."""
    of_model = claim.model is not None and claim.model.scale not in ("elo", "any")
    return bool(of_model and claim.numbers and claim.data)


def _claimed(
    paper: Paper, claim: Claim, data_of: Callable[[str], Comparisons], rows: Sequence[Agreement]
) -> _Claimed | None:
    spec = paper.data[claim.data]
    games: Games | None
    observed: FloatArray | None = None
    if spec.kind == "games":
        printout = _without_outcomes(claim, spec)
        games = Games.stated(spec.items, spec.rows, spec.games)
    else:
        try:
            data = data_of(claim.data)
        except PairproofError:
            return None
        printout = printout_of(claim, data)
        games, observed = Games.of(data, printout.spec.ties), _observed(data, printout.spec.ties)
    plain = ("agrees", "agrees-truncated", "agrees-k-of-m")
    own = (a for a in rows if (a.claim, a.about) == (claim.id, "printed") and a.quantity in printout.numbers)
    wrong = tuple(a for a in own if a.native is not None and a.verdict not in plain)
    right = corrected(printout, {a.quantity: a.native for a in wrong if a.native is not None})
    return _Claimed(claim, printout, right, wrong, games, observed)


def _of_claim(paper: Paper, made: _Claimed, before: Sequence[_Claimed]) -> list[Agreement]:
    """The checks of a claim; one that fails because of a number that has its row already says so."""
    checks = made.checks(made.printout, [(m.claim, m.printout) for m in before])
    suspects = [*made.wrong, *(a for m in before for a in m.wrong)]
    if not suspects or all(c.holds or c.verdict == "not-checkable" for c in checks):
        return [_agreement(paper, made.claim, made.printout, c) for c in checks]
    right = [(m.claim, m.right) for m in before]
    fixed = [
        (a, made.checks(corrected(made.printout, {a.quantity: a.native or 0.0}), right)) for a in made.wrong
    ] + [(suspects[0], made.checks(made.right, right))]
    found = []
    for c in checks:
        cause = None
        if not c.holds and c.verdict != "not-checkable":
            itself = next((a for a in made.wrong if a.quantity == c.quantity), None)
            cause = itself or next((a for a, ones in fixed if _holds(ones, c.quantity)), None)
        found.append(_agreement(paper, made.claim, made.printout, c, cause))
    return found


def _holds(checks: Sequence[Check], quantity: str) -> bool:
    same = [c for c in checks if c.quantity == quantity]
    return bool(same) and all(c.holds for c in same)


def printout_of(claim: Claim, data: Comparisons) -> Printout:
    """The claim's numbers with what its model and table say of them (never the outcomes)."""
    assert claim.model is not None
    if claim.model.of_answers or not claim.model.family:
        return _printout(claim, _as_of_pairs(claim.model, data.items), data.items, data.tie_category)
    spec = make_spec(claim.model.family, data, **claim.model.asked)
    return _printout(claim, spec, data.items, data.tie_category)


def _as_of_pairs(model: ModelClaim, items: Sequence[str]) -> ModelSpec:
    """What the estimates of a model of whole answers are, in the words of one of pairs."""
    lambdas = model.family == "pattern"
    reference = "" if model.item_terms else model.reference or items[-1 if lambdas else 0]
    same: dict[str, Any] = {name: getattr(model, name) for name in ("by", "item_terms", "separate")}
    return ModelSpec("llbt" if lambdas else "bradley-terry", reference=reference, **same)


def _printout(claim: Claim, spec: ModelSpec, items: tuple[str, ...], tie_category: bool) -> Printout:
    assert claim.model is not None
    unit = LOG_WORTH_PER_UNIT.get(claim.model.scale, LOG_WORTH_PER_UNIT[spec.scale])
    # By cluster p is of t, on degrees of freedom that no other printed number implies.
    of_t = ("p", "low", "high") if claim.model.cluster else ()
    with_df = {q.quantity.place for q in claim.numbers if q.quantity.kind == "df"}
    numbers: dict[str, Printed] = {
        q.quantity: q.printed
        for q in claim.numbers
        if (q.quantity.kind not in of_t or q.quantity.place in with_df)
        and (q.quantity.kind in _OF_WALD or not (claim.model.of_contests or claim.model.of_answers))
    }
    return Printout(numbers, items, unit, spec, tie_category, claim.sided, float(claim.alpha))


def _without_outcomes(claim: Claim, spec: DataSpec) -> Printout:
    """The claim's numbers where only the items are known; with ties if the model has them."""
    assert claim.model is not None
    m = claim.model
    if m.of_answers:
        return _printout(claim, _as_of_pairs(m, spec.items), spec.items, False)
    ternary = m.ties in ("davidson", "rao-kupper")
    reference = m.reference or FAMILIES[m.family].usual_reference(spec.items)
    stated = {**m.asked, "ties": m.ties or "none", "reference": reference, "cells": m.cells}
    return _printout(claim, ModelSpec(m.family or "llbt", **stated), spec.items, ternary)


def _observed(data: Comparisons, ties: str) -> FloatArray:
    half, n = data.ties * (0.0 if ties == "drop" else 0.5), len(data.items)
    first = np.bincount(data.first, data.wins + half, n)
    return np.asarray(first + np.bincount(data.second, data.losses + half, n), float)


def _of_cells(spec: ModelSpec) -> tuple[object, ...]:
    """What the table of the deviance depends on."""
    return spec.by, spec.cells, spec.comparison_terms


def _across(claim: Claim, p: Printout, earlier: Sequence[tuple[Claim, Printout]]) -> Iterator[Check]:
    """Claims on the same cells: one constant in all AICs, differences of deviances as ratios."""
    for other, q in earlier:
        mine, theirs = p.spec, q.spec
        if other.data != claim.data or _of_cells(theirs) != _of_cells(mine):
            continue
        if {mine.ties, theirs.ties} & {"half", "drop"}:
            continue
        for name in ("aic", "aic_glm"):
            here, there = _constant(p, name), _constant(q, name)
            if here is not None and there is not None:
                words = f"AIC - deviance + 2 df is {here}, and {there} in {other.id}; the constant of a table must be the same"
                yield Check(name, "agrees" if here.meets(there) else "differs", words)
        d, df = _difference(p, q, "deviance"), _difference(p, q, "df_resid")
        for name, value in ((f"lr.{other.id}", d), (f"lr_df.{other.id}", df)):
            if name in p.numbers and value is not None:
                holds = bool((own := p.interval(name)) and own.meets(value))
                words = f"difference of the printed values of the two models: {value}"
                yield Check(name, "agrees" if holds else "differs", words)


def _constant(p: Printout, name: str) -> Interval | None:
    aic, deviance, df = p.interval(name), p.interval("deviance"), p.interval("df_resid")
    if aic is None or deviance is None or df is None or name not in p.numbers:
        return None
    return aic - deviance + df.times(2.0)


def _difference(p: Printout, q: Printout, name: str) -> Interval | None:
    a, b = p.interval(name), q.interval(name)
    return None if a is None or b is None else (a - b).size()


def _agreement(
    paper: Paper, claim: Claim, printout: Printout, check: Check, cause: Agreement | None = None
) -> Agreement:
    printed = printout.numbers.get(check.quantity)
    text, said = printed.text if printed else None, (check.verdict, check.sentence, check.code)
    name, accepted = Quantity(KIND, name=check.quantity), is_accepted(check.verdict, check.code, claim.accept)
    of: dict[str, Any] = {"printed": text, "accepted": accepted, "about": "arithmetic"}
    if cause is not None:
        other = "" if cause.claim == claim.id else f" of {cause.claim}"
        why = f"{check.sentence}; this follows from {cause.quantity}{other}; not a separate finding"
        said, of["finding"] = ("not-checkable", why, "consequence"), cause.finding
    return Agreement.of_claim(paper.id, claim, name, *said, **of)
