"""The numbers of comparisons of many items: families of differences, the best, rank sets, and letters.

Two items share a letter exactly if they were not distinguished.  Each letter stands for a maximal set of
items no two of which were distinguished: Piepho's letter display (2004, J. Comput. Graph. Statist. 13,
456-466) before letters that can be spared are swept out.  The sets are the maximal cliques of the graph of
pairs not distinguished (Bron and Kerbosch 1973, Commun. ACM 16, 575-577, with pivots).  Sharing a letter is
not evidence that two items are equal. """

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ...errors import InputError, TooLargeError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from .abilities import MODEL_BASED

#: Sets beyond which nobody reads letters, and which bound the time.
MOST_SETS = 2_000
ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def groups(n: int, apart: Iterable[tuple[int, int]], order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Maximal sets of items no two of which were distinguished, best first; an item may be in several.

    n: number of items.  apart: items that were distinguished.  order: all items, best first.
    """
    near = [((1 << n) - 1) & ~(1 << i) for i in range(n)]
    for i, j in apart:
        near[i] &= ~(1 << j)
        near[j] &= ~(1 << i)
    place = {item: k for k, item in enumerate(order)}
    found: list[tuple[int, ...]] = []
    # Items taken, items that may still join, items whose sets were already listed; each a set of bits.
    waiting = [(0, (1 << n) - 1, 0)]
    while waiting:
        taken, may_join, done = waiting.pop()
        if not may_join and not done:
            found.append(tuple(sorted(_members(taken), key=place.__getitem__)))
            if len(found) > MOST_SETS:
                raise TooLargeError(
                    f"{n} items have more than {MOST_SETS:,} overlapping groups that cannot be distinguished; rank sets and"
                    " contrasts do not need them"
                )
            continue
        pivot = max(_members(may_join | done), key=lambda v: (may_join & near[v]).bit_count())
        for v in _members(may_join & ~near[pivot]):
            waiting.append((taken | 1 << v, may_join & near[v], done & near[v]))
            may_join &= ~(1 << v)
            done |= 1 << v
    return tuple(sorted(found, key=lambda column: [place[item] for item in column]))


def groups_or_caution(
    n: int, apart: Iterable[tuple[int, int]], order: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[str, ...]]:
    """`groups` and no caution; or no groups and the sentence that says why."""
    try:
        return groups(n, apart, order), ()
    except TooLargeError as error:
        return (), (f"no letters: {error}",)


def _members(bits: int) -> list[int]:
    out = []
    while bits:
        low = bits & -bits
        out.append(low.bit_length() - 1)
        bits ^= low
    return out


def letters(n: int, columns: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """The letters of each item, from `groups`: a, ..., z, A, ..., Z, then (53), (54), ..."""
    marks: list[list[str]] = [[] for _ in range(n)]
    for k, column in enumerate(columns):
        for item in column:
            marks[item].append(ALPHABET[k] if k < len(ALPHABET) else f"({k + 1})")
    return tuple("".join(mark) for mark in marks)


Side = Literal["both", "lower", "upper"]


def plain(values: FloatArray) -> list[float | None]:
    """Python floats for JSON; None for nan and infinity."""
    return [float(x) if math.isfinite(x) else None for x in values]


@dataclass(frozen=True, eq=False, repr=False)
class ContrastNumbers:
    """Numbers of :class:`pairproof.fit.many.comparison_results.Contrasts`.

    `first`, second: the items of each difference; `second` is "mean" in the family "against the mean" ("mean
    of all" where an item is called mean).  estimate, se, df, t float[m]: on the scale of the fit; df is inf
    where t is compared with the normal distribution.  p, log10_p float[m]: two-sided, each difference by
    itself; p is 0 where a double cannot hold it, log10_p is finite.  adjusted, log10_adjusted float[m]: the
    same over the family, never below p.  low, high float[m]: confidence limits.  against: the one item; "" in
    other families.  level: of all intervals together (single-step), or of each by itself (others).  critical:
    critical value of the largest |score|, on the normal scale (df="common": on that of t); nan unless
    single-step.  critical_error: its Monte Carlo standard error; 0 where it is exact.  items: all items,
    whether or not a difference of theirs is in the family.  letters: of each item, for all pairs: items share
    a letter exactly if they cannot be distinguished at `level`.  left_out: differences without a standard
    error, "A - B", and why.  covariance: which covariance it is, in words.  per_unit: log-odds per unit: 2
    on the lambda scale, 1 on the log-odds scale.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    df: FloatArray
    t: FloatArray
    p: FloatArray
    log10_p: FloatArray
    adjusted: FloatArray
    log10_adjusted: FloatArray
    low: FloatArray
    high: FloatArray
    family: str
    against: str
    adjust: str
    level: float
    critical: float
    critical_error: float
    df_kind: str
    items: tuple[str, ...]
    letters: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    covariance: str = MODEL_BASED
    cautions: tuple[str, ...] = ()
    group: str = "all"
    per_unit: float = 1.0

    @property
    def what(self) -> tuple[str, ...]:
        """Names of the differences: "A - B"."""
        return tuple(f"{a} - {b}" for a, b in zip(self.first, self.second))

    @property
    def simultaneous(self) -> bool:
        """Whether the intervals hold all together."""
        return self.adjust == "single-step"

    def to_frame(self) -> pd.DataFrame:
        """A row a difference, with its log-odds and odds and their limits where it is one."""
        columns = {name: getattr(self, name) for name in _NUMBERS}
        if np.isfinite(self.per_unit):
            columns |= {"log_odds": self.per_unit * self.estimate, **_odds(self)}
        names = {"first": list(self.first), "second": list(self.second)}
        return pd.DataFrame({**names, **columns}, index=list(self.what))

    def to_dict(self) -> dict[str, Any]:
        """A JSON object with every digit; None where there is no value."""
        rows = [
            {"first": a, "second": b, **dict(zip(_NUMBERS, numbers))}
            for a, b, *numbers in zip(
                self.first, self.second, *(plain(getattr(self, name)) for name in _NUMBERS)
            )
        ]
        return {
            "family": self.family,
            "against": self.against or None,
            "adjust": self.adjust,
            "level": self.level,
            "simultaneous": self.simultaneous,
            "critical": plain(np.array([self.critical]))[0],
            "critical_error": self.critical_error,
            "df": self.df_kind,
            "covariance": self.covariance,
            "contrasts": rows,
            "letters": dict(zip(self.items, self.letters)) if self.letters else None,
            "left_out": [{"what": what, "why": why} for what, why in self.left_out],
            "cautions": list(self.cautions),
        }


_NUMBERS = (
    "estimate", "se", "df", "t", "p", "log10_p", "adjusted", "log10_adjusted", "low", "high"
)  # fmt: skip


def _odds(of: ContrastNumbers | BestNumbers) -> dict[str, FloatArray]:
    """Estimates and limits that are log-odds, as odds."""
    with np.errstate(over="ignore"):
        ends = {"odds": of.estimate, "odds_low": of.low, "odds_high": of.high}
        return {name: np.exp(of.per_unit * end) for name, end in ends.items()}


@dataclass(frozen=True, eq=False, repr=False)
class BestNumbers:
    """Numbers of :class:`pairproof.fit.many.comparison_results.AgainstTheBest`.

    estimate float[n]: b_i - max over the others of b_j, on the scale of the fit; nan where a difference has
    no estimate.  low, high float[n]: simultaneous confidence limits of it; 0 on one side where the item is,
    or is not, shown to be the best.  critical float[n]: d_i, one-sided, on the normal scale; nan where the
    answer does not need it.  critical_error: the largest of their Monte Carlo standard errors.  may_be_best
    bool[n].  adjusted, log10_adjusted float[n]: p-value of the hypothesis that the item is the best: the
    smallest 1 - level at which it is ruled out; an upper bound.  left_out: differences without a standard
    error, which rule nothing out, and why.  covariance: which covariance it is, in words.  per_unit: log-odds
    per unit: 2 on the lambda scale, 1 on the log-odds scale.
    """

    items: tuple[str, ...]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    critical: FloatArray
    critical_error: float
    may_be_best: BoolArray
    adjusted: FloatArray
    log10_adjusted: FloatArray
    level: float
    left_out: tuple[tuple[str, str], ...] = ()
    covariance: str = MODEL_BASED
    cautions: tuple[str, ...] = ()
    group: str = "all"
    per_unit: float = 1.0

    family = "against the best"
    simultaneous = True

    @property
    def best(self) -> tuple[str, ...]:
        """Items that may be the best: they hold the best one with probability `level`."""
        return tuple(item for item, may in zip(self.items, self.may_be_best) if may)

    def to_frame(self) -> pd.DataFrame:
        """A row an item: estimate, low, high, adjusted, may_be_best, and the limits as odds where they are log-odds."""
        names = ("estimate", "low", "high", "adjusted", "log10_adjusted", "may_be_best")
        odds = _odds(self) if np.isfinite(self.per_unit) else {}
        return pd.DataFrame({**{n: getattr(self, n) for n in names}, **odds}, index=list(self.items))

    def to_dict(self) -> dict[str, Any]:
        """A JSON object with every digit; None where there is no value."""
        names = ("estimate", "low", "high", "adjusted", "log10_adjusted", "critical")
        rows = [
            {"item": item, "may_be_best": bool(may), **dict(zip(names, numbers))}
            for item, may, *numbers in zip(
                self.items, self.may_be_best, *(plain(getattr(self, n)) for n in names)
            )
        ]
        return {
            "family": self.family,
            "level": self.level,
            "simultaneous": True,
            "critical_error": self.critical_error,
            "covariance": self.covariance,
            "contrasts": rows,
            "may_be_best": list(self.best),
            "left_out": [{"what": what, "why": why} for what, why in self.left_out],
            "cautions": list(self.cautions),
        }


@dataclass(frozen=True, eq=False, repr=False)
class RankNumbers:
    """Numbers of :class:`pairproof.fit.many.comparison_results.RankSets`.

    rank float[n]: of the estimates, 1 the best; ties share the better rank; items that are infinitely far
    above count.  nan for an item that differs infinitely from all others, and where a difference has no
    estimate for another reason.  low, high int[n]: confidence set of each rank.  above bool[n, n]: row is
    shown to be above column; all these statements hold together.  best: items that may be the best (Hsu), a
    statement of its own at the same level.  groups: maximal sets of items no two of which are distinguished,
    best first; they overlap.  letters: of each item, from the groups.  simultaneous: whether all sets hold
    together.  critical: first critical value of the simultaneous procedure, on the normal scale; nan if
    nothing could be tested.  critical_error: its Monte Carlo standard error; 0 where it is exact.  left_out:
    differences without a standard error, "A - B", and why; nothing is claimed about them.  Infinite ones are
    not among them.  covariance: which covariance it is, in words.  order: places of the items, best estimate
    first.  status: of each item "", or how it stands to others from which it differs infinitely: "above all",
    "below all", "between sets", "apart" (:mod:`pairproof.fit.estimates.identification`).  critical_between: against it
    infinite differences are held, by the profile likelihood; nan if there are none.
    """

    items: tuple[str, ...]
    rank: FloatArray
    low: IntArray
    high: IntArray
    above: BoolArray
    best: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    letters: tuple[str, ...]
    level: float
    simultaneous: bool
    side: Side = "both"
    critical: float = math.nan
    critical_error: float = 0.0
    left_out: tuple[tuple[str, str], ...] = ()
    covariance: str = MODEL_BASED
    cautions: tuple[str, ...] = ()
    group: str = "all"
    order: tuple[int, ...] = ()
    status: tuple[str, ...] = ()
    critical_between: float = math.nan

    def tau_best(self, tau: int) -> tuple[str, ...]:
        """Items that hold all of the true best `tau`, with probability `level`.

        tau: in 1..n_items.
        """
        return self._within(1 + self.above.sum(axis=0) <= self._tau(tau))

    def tau_worst(self, tau: int) -> tuple[str, ...]:
        """Items that hold all of the true worst `tau`, with probability `level`.

        tau: in 1..n_items.
        """
        n = len(self.items)
        return self._within(n - self.above.sum(axis=1) > n - self._tau(tau))

    def _tau(self, tau: int) -> int:
        if isinstance(tau, bool) or tau not in range(1, len(self.items) + 1):
            raise InputError(f"tau={tau!r}; expected a number of items from 1 to {len(self.items)}")
        return int(tau)

    def _within(self, members: BoolArray) -> tuple[str, ...]:
        return tuple(item for item, member in zip(self.items, members) if member)

    def to_frame(self) -> pd.DataFrame:
        """A row an item, best first: rank, rank_low, rank_high, letters, may_be_best, status.

        No column is called as one of :meth:`pairproof.Fit.to_frame`, so that the two can be joined.
        """
        frame = pd.DataFrame(
            {
                "rank": self.rank if np.isnan(self.rank).any() else self.rank.astype(np.int64),
                "rank_low": self.low,
                "rank_high": self.high,
                "letters": self.letters,
                "may_be_best": [item in self.best for item in self.items],
                "status": self.status or ("",) * len(self.items),
            },
            index=list(self.items),
        )
        return frame.iloc[list(self.order)]

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; None where there is no value."""
        rows = [
            {
                "item": self.items[k],
                "rank": int(self.rank[k]) if math.isfinite(self.rank[k]) else None,
                "low": int(self.low[k]),
                "high": int(self.high[k]),
                "letters": self.letters[k],
                "may_be_best": self.items[k] in self.best,
                "status": (self.status[k] if self.status else "") or None,
            }
            for k in self.order
        ]
        return {
            "level": self.level,
            "simultaneous": self.simultaneous,
            "side": self.side,
            "critical": float(self.critical) if math.isfinite(self.critical) else None,
            "critical_error": float(self.critical_error),
            "critical_between": (
                float(self.critical_between) if math.isfinite(self.critical_between) else None
            ),
            "covariance": self.covariance,
            "items": rows,
            "groups": [list(group) for group in self.groups],
            "may_be_best": list(self.best),
            "left_out": [{"what": what, "why": why} for what, why in self.left_out],
            "cautions": list(self.cautions),
        }
