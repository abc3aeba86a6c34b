"""What comparisons of many items give, with their text: families of differences, the best, rank sets, and letters.

Two items share a letter exactly if they were not distinguished.  Each letter stands for a maximal set of
items no two of which were distinguished: Piepho's letter display (2004, J. Comput. Graph. Statist. 13,
456-466) before letters that can be spared are swept out.  The sets are the maximal cliques of the graph of
pairs not distinguished (Bron and Kerbosch 1973, Commun. ACM 16, 575-577, with pivots).  Sharing a letter is
not evidence that two items are equal. """

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ...errors import InputError, TooLargeError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...report.json_text import plain
from ...text import WIDTH, label, number, safe, shorten
from ..estimates.fit_record import listed
from ..estimates.tails import p_value
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


def _left_out(of: Contrasts | AgainstTheBest | RankSets) -> dict[str, Any]:
    """What the object of each ends with."""
    return {"left_out": [{"what": what, "why": why} for what, why in of.left_out], "cautions": of.cautions}


@dataclass(frozen=True, eq=False, repr=False)
class Contrasts:
    """Differences of items with simultaneous intervals and adjusted p-values.

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
        names = ("first", "second", *_NUMBERS)
        rows = [dict(zip(names, row)) for row in zip(*(np.asarray(getattr(self, n)).tolist() for n in names))]
        found: dict[str, Any] = {
            "family": self.family,
            "against": self.against or None,
            "adjust": self.adjust,
        }
        found |= {
            name: getattr(self, name) for name in ("level", "simultaneous", "critical", "critical_error")
        }
        found |= {"df": self.df_kind, "covariance": self.covariance, "contrasts": rows}
        found["letters"] = dict(zip(self.items, self.letters)) if self.letters else None
        return dict(plain(found | _left_out(self)))

    def summary(self, rows: int = 60) -> str:
        """The differences as a table with a caption, at most 100 columns wide.

        rows: most differences shown; the text says how many are left out.
        """
        sentences = [*caption_of_contrasts(self), *_letters_words(self, rows)]
        return _text(contrasts_rows(self, rows), len(self.first), "differences", sentences)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Contrasts: {self.family}, {len(self.first)} differences, {self.adjust}, {self.covariance}>"


_NUMBERS = (
    "estimate", "se", "df", "t", "p", "log10_p", "adjusted", "log10_adjusted", "low", "high"
)  # fmt: skip


def _odds(of: Contrasts | AgainstTheBest) -> dict[str, FloatArray]:
    """Estimates and limits that are log-odds, as odds."""
    with np.errstate(over="ignore"):
        ends = {"odds": of.estimate, "odds_low": of.low, "odds_high": of.high}
        return {name: np.exp(of.per_unit * end) for name, end in ends.items()}


@dataclass(frozen=True, eq=False, repr=False)
class AgainstTheBest:
    """Each item against the best of the others, by Hsu's multiple comparisons with the best.

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
        names = ("may_be_best", "estimate", "low", "high", "adjusted", "log10_adjusted", "critical")
        columns = {"item": self.items, **{n: getattr(self, n).tolist() for n in names}}
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        own = ("family", "level", "simultaneous", "critical_error", "covariance")
        found: dict[str, Any] = {name: getattr(self, name) for name in own}
        return dict(plain({**found, "contrasts": rows, "may_be_best": self.best, **_left_out(self)}))

    def summary(self, rows: int = 60) -> str:
        """The items as a table with a caption, best first.

        rows: most items shown; the text says how many are left out.
        """
        return _text(best_rows(self, rows), len(self.items), "items", caption_of_best(self))

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<AgainstTheBest: {', '.join(self.best[:5])} of {len(self.items)} may be the best, {self.covariance}>"


@dataclass(frozen=True, eq=False, repr=False)
class RankSets:
    """Ranks of items with confidence sets.

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
        rank = self.rank if np.isnan(self.rank).any() else self.rank.astype(np.int64)
        columns: dict[str, Any] = {
            "rank": rank,
            "rank_low": self.low,
            "rank_high": self.high,
            "letters": self.letters,
        }
        columns["may_be_best"] = [item in self.best for item in self.items]
        columns["status"] = self.status or ("",) * len(self.items)
        return pd.DataFrame(columns, index=list(self.items)).iloc[list(self.order)]

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; None where there is no value."""
        rows = [
            {
                "item": item,
                "rank": int(rank) if math.isfinite(rank) else None,
                "low": low,
                "high": high,
                "letters": marks,
                "may_be_best": best,
                "status": status or None,
            }
            for item, rank, low, high, marks, best, status in self.to_frame().itertuples()
        ]
        names = "level simultaneous side critical critical_error critical_between covariance".split()
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        found |= {"items": rows, "groups": self.groups, "may_be_best": self.best}
        return dict(plain(found | _left_out(self)))

    def summary(self, rows: int = 60) -> str:
        """The sets as a table with a caption, best first, at most 100 columns wide.

        rows: most items shown; the text says how many are left out.
        """
        return _text(ranks_rows(self, rows), len(self.items), "items", caption_of_rank_sets(self), 2)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        kind = "simultaneous" if self.simultaneous else "marginal"
        return f"<RankSets: {len(self.items)} items, {kind}, {100 * self.level:g} %, {self.covariance}>"


#: Letters and groups longer than this are cut: the JSON has all.
LETTERS_WIDTH = 30
#: Groups of items that are listed under a table.
MOST_GROUPS = 8
#: Differences without a standard error that are named.
MOST_LEFT_OUT = 6

IN_WORDS = {
    "single-step": "single-step p-values and simultaneous intervals (max-t)",
    "holm": "p-values adjusted by Holm; separate intervals",
    "bh": "p-values adjusted by Benjamini and Hochberg (false discovery rate); separate intervals",
    "none": "no adjustment: separate p-values and intervals",
}


def scale_of(per_unit: float) -> str:
    """What differences are in, by the log-odds per unit; nan where they are none."""
    return {1.0: "log-odds", 2.0: "lambda (half a log-odds)"}.get(per_unit, "units of the link")


def _interval(level: float) -> tuple[str, str]:
    half = 50.0 * (1.0 - level)
    return f"{half:.4g} %", f"{100.0 - half:.4g} %"


def contrasts_rows(c: Contrasts, rows: int | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the first rows of the table, as text."""
    normal = _normal(c.df)
    adjusted = () if c.adjust == "none" else ("adjusted p",)
    header = ("", "estimate", "se", *(("z",) if normal else ("t", "df")), "p", *adjusted, *_interval(c.level))
    out = []
    for k, what in enumerate(c.what[:rows]):
        df = () if normal else ("inf" if math.isinf(c.df[k]) else f"{c.df[k]:.1f}",)
        p = [p_value(c.p[k])]
        p += [p_value(c.adjusted[k])] if adjusted else []
        limits = number(c.low[k]), number(c.high[k])
        out.append((what, number(c.estimate[k]), number(c.se[k]), number(c.t[k], 3), *df, *p, *limits))
    return header, out


def table(header: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> list[str]:
    """Aligned columns: the first `texts` to the left, numbers to the right."""
    cells = [[shorten(cell) for cell in row] for row in (header, *rows)]
    sides = [("<" if k < texts else ">", max(len(row[k]) for row in cells)) for k in range(len(header))]
    return ["  ".join(f"{c:{side}{width}}" for c, (side, width) in zip(row, sides)).rstrip() for row in cells]


def caption_of_contrasts(c: Contrasts) -> list[str]:
    """Sentences: family, adjustment, level, covariance, critical value."""
    family = c.family if not c.against else f"all against {c.against}"
    where = "" if c.group == "all" else f" in {c.group}"
    one = "difference" if len(c.first) == 1 else "differences"
    out = [
        f"{len(c.first):,} {one} in {scale_of(c.per_unit)}, {family}{where}: {IN_WORDS[c.adjust]}; level"
        f" {100 * c.level:g} %."
    ]
    if c.simultaneous:
        distribution = "t, one df for all" if c.df_kind == "common" and not _normal(c.df) else "normal scale"
        out.append(f"Critical value {critical_words(c.critical, c.critical_error)} ({distribution}).")
    out.append(f"Standard errors: {c.covariance}.")
    return [*out, *left_out_words(c.left_out), *c.cautions]


def _normal(df: Iterable[float]) -> bool:
    return all(math.isinf(x) for x in df)


def critical_words(critical: float, error: float) -> str:
    """`3.1632 (Monte Carlo error 0.0004)`; four digits more where it is exact."""
    if math.isnan(critical):
        return "-"
    if error == 0.0:
        return f"{critical:.6f} (exact)"
    return f"{critical:.4f} (Monte Carlo error {error_words(error)})"


def error_words(error: float) -> str:
    """`0.0004`, `below 0.0001`."""
    return "below 0.0001" if error < 1e-4 else f"{error:.1g}"


def left_out_words(left_out: Sequence[tuple[str, str]]) -> list[str]:
    """One sentence a reason, with the differences it leaves out."""
    out = []
    for why in Counter(reason for _, reason in left_out):
        names = [what for what, reason in left_out if reason == why]
        more = f" and {len(names) - MOST_LEFT_OUT:,} more" if len(names) > MOST_LEFT_OUT else ""
        what = "Infinite, so without an interval" if "infinity" in why else "No standard error, so not tested"
        out.append(f"{what}: {', '.join(names[:MOST_LEFT_OUT])}{more} ({why}).")
    return out


def _text(
    told: tuple[Sequence[str], Sequence[Sequence[str]]],
    n: int,
    what: str,
    sentences: Iterable[str],
    texts: int = 1,
) -> str:
    """A header and rows as a table, how many of the n are left out, and the caption."""
    header, body = told
    lines, hidden = table(header, body, texts), n - len(body)
    if hidden > 0:
        lines.append(f"... {hidden:,} of {n:,} {what} are not shown; see to_frame()")
    for sentence in sentences:
        lines += textwrap.wrap(label(sentence), WIDTH, subsequent_indent="  ", break_long_words=True)
    return safe("\n".join(lines))


def _letters_words(c: Contrasts, rows: int) -> list[str]:
    """A sentence of which items share letters, if there are any."""
    if not c.letters:
        return []
    marks = ", ".join(f"{item} {marks}" for item, marks in list(zip(c.items, c.letters))[:rows])
    return [
        f"Letters (items that share one cannot be distinguished by the p-values above): {marks}. Rank sets test"
        " stepwise, and may distinguish more items."
    ]


def best_rows(b: AgainstTheBest, rows: int | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the first rows of the table, as text: possible best first, then by estimate."""
    order = sorted(
        range(len(b.items)), key=lambda k: (not b.may_be_best[k], -_or(float(b.estimate[k]), 0.0), k)
    )
    out: list[tuple[str, ...]] = []
    for k in order[:rows]:
        p = "-" if b.log10_adjusted[k] == 0.0 else p_value(b.adjusted[k])
        best = "yes" if b.may_be_best[k] else "no"
        out.append((b.items[k], number(b.estimate[k]), _limit(b.low[k]), _limit(b.high[k]), p, best))
    level = f"{100 * b.level:g} %"
    return ("", "against best other", f"{level} low", f"{level} high", "p (is the best)", "may be best"), out


def _or(x: float, other: float) -> float:
    return other if math.isnan(x) else x


def _limit(x: float) -> str:
    return f"{x:g}" if math.isinf(x) else number(x)


def caption_of_best(b: AgainstTheBest) -> list[str]:
    """Sentences: family, level, critical values, covariance."""
    where = "" if b.group == "all" else f" in {b.group}"
    known = [x for x in b.critical if not math.isnan(x)]
    out = [
        f"Each item against the best of the others{where}, in {scale_of(b.per_unit)} (Hsu): simultaneous {100 * b.level:g} % intervals, cut at 0;"
        f" may be the best: {', '.join(b.best[:20])}{f' and {len(b.best) - 20} more' if len(b.best) > 20 else ''}."
    ]
    if known:
        error = f"largest Monte Carlo error {error_words(b.critical_error)}" if b.critical_error else "exact"
        values = " to ".join(dict.fromkeys(f"{c:.4f}" for c in (min(known), max(known))))
        out.append(f"One-sided critical value{'s' * (' ' in values)} {values} ({error}).")
    out.append(f"Standard errors: {b.covariance}.")
    return [*out, *left_out_words(b.left_out), *b.cautions]


def ranks_rows(r: RankSets, rows: int | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the first rows of the table, as text, best first."""
    best = set(r.best)
    return ("", "letters", "rank", f"{100 * r.level:g} % set", "may be best"), [
        (
            r.items[k],
            _cut(r.letters[k]),
            (r.status[k] if r.status else "") or "-" if math.isnan(r.rank[k]) else f"{r.rank[k]:.0f}",
            f"{r.low[k]}" if r.low[k] == r.high[k] else f"{r.low[k]} to {r.high[k]}",
            "yes" if r.items[k] in best else "no",
        )
        for k in r.order[:rows]
    ]


def _cut(marks: str) -> str:
    return marks if len(marks) <= LETTERS_WIDTH else f"{marks[: LETTERS_WIDTH - 1]}…"


def caption_of_rank_sets(r: RankSets) -> list[str]:
    """Sentences: level, simultaneous or not, letters, best, critical value, covariance."""
    where = "" if r.group == "all" else f" in {r.group}"
    kind = "each set holds separately, while the letters hold jointly, so the two may differ"
    if r.simultaneous:
        kind = "all sets hold jointly, and the letters follow from the same tests"
    sides = {"both": "", "lower": ", bounds from below only", "upper": ", bounds from above only"}[r.side]
    out = [
        f"Confidence sets of ranks{where}, level {100 * r.level:g} %{sides}: {kind}; stepwise tests of all differences"
        + (
            "."
            if math.isnan(r.critical)
            else f", first critical value {critical_words(r.critical, r.critical_error)}."
        ),
        f"May be the best (Hsu, a separate statement at {100 * r.level:g} %): {listed(r.best, 20)}.",
        "Items that share a letter cannot be distinguished, all pairs together; that is not evidence that"
        " they are equal, and"
        " letters overlap.",
        f"Standard errors: {r.covariance}.",
    ]
    return [*out, *_infinite_words(r), *left_out_words(r.left_out), *r.cautions]


def _infinite_words(r: RankSets) -> list[str]:
    """What is infinite, and how it was tested."""
    named = [
        f"{listed([i for i, s in zip(r.items, r.status) if s == status], 8)} ({status})"
        for status in dict.fromkeys(s for s in r.status if s)
    ]
    if math.isnan(r.critical_between):
        return []
    return [
        f"Infinite differences of {', '.join(named)}: compared with the profile likelihood at"
        f" {r.critical_between:.4f}, the critical value of a family that includes them and the finite ones; the sets"
        " use the resulting bounds."
    ]


def group_lines(r: RankSets) -> list[str]:
    """Which items cannot be distinguished, a line for each letter that several share; then those that stand
    alone."""
    marks = letters(len(r.groups), [(k,) for k in range(len(r.groups))])
    shared = [(mark, group) for mark, group in zip(marks, r.groups) if len(group) > 1]
    alone = [item for group in r.groups if len(group) == 1 for item in group]
    out = [f"Not distinguished, {mark}: {listed(group, 20)}" for mark, group in shared[:MOST_GROUPS]]
    if len(shared) > MOST_GROUPS:
        out.append(f"and {len(shared) - MOST_GROUPS} more groups")
    return out + ([f"Distinguished from all others: {listed(alone, 20)}"] if alone else [])
