"""What comparisons of many items give, with their text: families of differences, the best, rank sets."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...text import WIDTH, label, number, safe, shorten
from ..estimates.fit_record import listed
from ..estimates.tails import p_value
from .comparison_numbers import BestNumbers, ContrastNumbers, RankNumbers

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


def contrasts_rows(
    c: ContrastNumbers, rows: int | None = None
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
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
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
    return [
        "  ".join(
            f"{c:<{w}}" if k < texts else f"{c:>{w}}" for k, (c, w) in enumerate(zip(row, widths))
        ).rstrip()
        for row in cells
    ]


def caption_of_contrasts(c: ContrastNumbers) -> list[str]:
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
    return (
        f"{critical:.6f} (exact)"
        if error == 0.0
        else f"{critical:.4f} (Monte Carlo error {error_words(error)})"
    )


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
    return safe("\n".join([*table(header, body, texts), *_more(len(body), n, what), *_wrapped(sentences)]))


def _letters_words(c: ContrastNumbers, rows: int) -> list[str]:
    """A sentence of which items share letters, if there are any."""
    marks = ", ".join(f"{item} {marks}" for item, marks in list(zip(c.items, c.letters))[:rows])
    return (
        [
            f"Letters (items that share one cannot be distinguished by the p-values above): {marks}. Rank sets test"
            " stepwise, and may distinguish more items."
        ]
        if c.letters
        else []
    )


def _wrapped(sentences: Iterable[str]) -> list[str]:
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(label(sentence), WIDTH, subsequent_indent="  ", break_long_words=True)
    ]


def _more(shown: int, all_of_them: int, what: str) -> list[str]:
    hidden = all_of_them - shown
    return [f"... {hidden:,} of {all_of_them:,} {what} are not shown; see to_frame()"] if hidden > 0 else []


def best_rows(b: BestNumbers, rows: int | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the first rows of the table, as text: possible best first, then by estimate."""
    order = sorted(
        range(len(b.items)), key=lambda k: (not b.may_be_best[k], -_or(float(b.estimate[k]), 0.0), k)
    )
    header = ("", "against best other", *_interval_limits(b.level), "p (is the best)", "may be best")
    return header, [
        (
            b.items[k],
            number(b.estimate[k]),
            _limit(b.low[k]),
            _limit(b.high[k]),
            "-" if b.log10_adjusted[k] == 0.0 else p_value(b.adjusted[k]),
            "yes" if b.may_be_best[k] else "no",
        )
        for k in order[:rows]
    ]


def _interval_limits(level: float) -> tuple[str, str]:
    return f"{100 * level:g} % low", f"{100 * level:g} % high"


def _or(x: float, other: float) -> float:
    return other if math.isnan(x) else x


def _limit(x: float) -> str:
    return f"{x:g}" if math.isinf(x) else number(x)


def caption_of_best(b: BestNumbers) -> list[str]:
    """Sentences: family, level, critical values, covariance."""
    where = "" if b.group == "all" else f" in {b.group}"
    known = [x for x in b.critical if not math.isnan(x)]
    out = [
        f"Each item against the best of the others{where}, in {scale_of(b.per_unit)} (Hsu): simultaneous {100 * b.level:g} % intervals, cut at 0;"
        f" may be the best: {', '.join(b.best[:20])}{f' and {len(b.best) - 20} more' if len(b.best) > 20 else ''}."
    ]
    if known:
        error = (
            "exact"
            if b.critical_error == 0.0
            else f"largest Monte Carlo error {error_words(b.critical_error)}"
        )
        out.append(f"One-sided critical values {min(known):.4f} to {max(known):.4f} ({error}).")
    out.append(f"Standard errors: {b.covariance}.")
    return [*out, *left_out_words(b.left_out), *b.cautions]


def ranks_rows(r: RankNumbers, rows: int | None = None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
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


def caption_of_rank_sets(r: RankNumbers) -> list[str]:
    """Sentences: level, simultaneous or not, letters, best, critical value, covariance."""
    where = "" if r.group == "all" else f" in {r.group}"
    kind = (
        "all sets hold jointly, and the letters follow from the same tests"
        if r.simultaneous
        else "each set holds separately, while the letters hold jointly, so the two may differ"
    )
    sides = {"both": "", "lower": ", bounds from below only", "upper": ", bounds from above only"}[r.side]
    out = [
        f"Confidence sets of ranks{where}, level {100 * r.level:g} %{sides}: {kind}; stepwise tests of all differences,"
        f" first critical value {critical_words(r.critical, r.critical_error)}.",
        f"May be the best (Hsu, a separate statement at {100 * r.level:g} %): {listed(r.best, 20)}.",
        "Items that share a letter cannot be distinguished, all pairs together; that is not evidence that"
        " they are equal, and"
        " letters overlap.",
        f"Standard errors: {r.covariance}.",
    ]
    return [*out, *_infinite_words(r), *left_out_words(r.left_out), *r.cautions]


def _infinite_words(r: RankNumbers) -> list[str]:
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


def group_lines(r: RankNumbers) -> list[str]:
    """Which items cannot be distinguished, a line for each letter that several share; then those that stand
    alone."""
    shared = [(mark, group) for mark, group in zip(_marks(r), r.groups) if len(group) > 1]
    alone = [item for group in r.groups if len(group) == 1 for item in group]
    out = [f"Not distinguished, {mark}: {listed(group, 20)}" for mark, group in shared[:MOST_GROUPS]]
    if len(shared) > MOST_GROUPS:
        out.append(f"and {len(shared) - MOST_GROUPS} more groups")
    return out + ([f"Distinguished from all others: {listed(alone, 20)}"] if alone else [])


def _marks(r: RankNumbers) -> list[str]:
    from .comparison_numbers import letters

    return [letters(1, [()] * k + [(0,)])[0] for k in range(len(r.groups))]


@dataclass(frozen=True, eq=False, repr=False)
class Contrasts(ContrastNumbers):
    """Differences of items with simultaneous intervals and adjusted p-values.

    The attributes are those of :class:`pairproof.fit.many.comparison_numbers.ContrastNumbers`.
    """

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


@dataclass(frozen=True, eq=False, repr=False)
class AgainstTheBest(BestNumbers):
    """Each item against the best of the others, by Hsu's multiple comparisons with the best.

    The attributes are those of :class:`pairproof.fit.many.comparison_numbers.BestNumbers`.
    """

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
class RankSets(RankNumbers):
    """Ranks of items with confidence sets.

    The attributes are those of :class:`pairproof.fit.many.comparison_numbers.RankNumbers`.
    """

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
