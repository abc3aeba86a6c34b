"""`audit`: what is wrong with the votes of a board, and what its first places rest on, a sentence each.

A flag is a test that says so at a familywise level: all tests of all kinds together find something on a board without
defects in at most 1 - level of boards (:func:`pairproof.boards.audited.suspicions.flags`).  A note is a number that
readers of the board should know, and not a test.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...data.columns import Factor, FloatArray, each, used_levels, values_of
from ...data.comparisons import Comparisons
from ...data.judgments import check_one_track
from ...data.reading.beside.repeated import TIMES, repeated_votes
from ...data.reading.beside.sides import side_terms, with_sides
from ...errors import InputError
from ...fit.estimates.tails import p_words
from ...report.blocks import Block, Bullets, Column, Heading, Page, Paragraph, Table
from ...report.output import render_text
from ...text import listed, named, quoted
from .fragile import ELO, fewest_votes, note, treatments
from .seen import Votes, board, seen, total
from .suspicions import Finding, all_tests, flags

#: Kind of a flag -> what is looked at.
KINDS = {
    "order": "position",
    "judge-order": "judges for whom position matters",
    "judge-unlike": "judges who disagree with all others",
    "judge-item": "judges for or against an item",
    "judge-repeats": "judges who repeat one answer",
    "judge-ties": "judges who answer only ties",
    "judge-fast": "judges who are too fast",
    "burst": "bursts of votes",
    "ties": "ties by item",
    "both-bad": "both-bad by item",
    "transitivity": "circles",
    "pair": "pairs that the board does not explain",
    "repeated-id": "repeated votes",
}
#: An item has few votes below this, or this share of the median; few opponents below this share of that.
FEW_VOTES, FEW_SHARE, FEW_OPPONENTS = 100, 0.1, 0.25
#: First places that are shown; items of a note, and flags of a kind, that a text lists.
PLACES, LISTED = 5, 10
#: Bounds of p are no nearer to 0 than this.
LEAST_P = 1e-12


@dataclass(frozen=True, eq=False)
class Audit:
    """What :func:`audit` found.

    Attributes
    ----------
    findings : tuple of Finding
        Flags, worst first, then notes.
    tests : mapping of str to int
        Kind -> how many tests were made.
    not_looked_at : tuple of str
        What was not tested, and why.
    before, after : tuple of (str, float)
        The first places and their Elo points (mean 1000), of the table and of what remains.
    remaining : Comparisons
        The table without judges that are flagged and without repeated votes.
    gone : float
        Votes that are not in `remaining`.
    level : float
        With this chance nothing at all is flagged on a board without defects.
    votes : float
    source : str
    """

    findings: tuple[Finding, ...]
    tests: Mapping[str, int]
    not_looked_at: tuple[str, ...]
    before: tuple[tuple[str, float], ...]
    after: tuple[tuple[str, float], ...]
    remaining: Comparisons
    gone: float
    level: float
    votes: float
    source: str

    @property
    def flags(self) -> tuple[Finding, ...]:
        """The findings that are flags."""
        return tuple(f for f in self.findings if f.severity == "flag")

    def __repr__(self) -> str:
        return render_text(self.page())

    def to_frame(self) -> pd.DataFrame:
        """The findings as rows: severity, kind, sentence, p, votes, judges.

        Returns
        -------
        DataFrame
        """
        names = ("severity", "kind", "sentence", "p", "judges")
        rows = [[getattr(f, name) for name in names] for f in self.findings]
        return pd.DataFrame(rows, columns=names)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document.

        Returns
        -------
        dict
        """
        found = {"findings": [asdict(f) for f in self.findings], "not_looked_at": self.not_looked_at}
        how_many = {"votes": self.votes, "gone": self.gone, "level": self.level, "tests": dict(self.tests)}
        before, after = ([{"model": m, "rating": r} for m, r in at] for at in (self.before, self.after))
        return {**found, **how_many, "before": before, "after": after, "source": self.source}

    def page(self) -> Page:
        """The report.

        Returns
        -------
        Page
        """
        n, tests, votes = len(self.flags), sum(self.tests.values()), f"{self.votes:,.10g}"
        said = (
            f"{n} flag{'' if n == 1 else 's'} in {votes} votes, of {tests:,} tests; of boards without defects"
        )
        said += f" {100 * self.level:g} % have no flag (Holm 1979, the same share for each kind of test)"
        if self.not_looked_at:
            said += f". Not looked at: {named([why.partition(':')[0] for why in self.not_looked_at])}; see below for the reasons"
        blocks: list[Block] = [Paragraph(said)]
        parts = {
            "Flags, worst first": tuple(_lines(self.flags)),
            "Notes": tuple(f.sentence for f in self.findings if f.severity == "note"),
            "Not tested": self.not_looked_at,
        }
        for title, sentences in parts.items():
            blocks += [Heading(title), Bullets(sentences)] if sentences else []
        remains = (
            f"{self.gone:,.10g} of {votes} votes are left out: those of flagged judges and repeated ones."
        )
        elo = Column("Elo")
        header = (Column("place"), Column("before", "left"), elo, Column("after", "left"), elo)
        both = zip_longest(self.before, self.after, fillvalue=("-", np.nan))
        rows = tuple((f"{k}", a, f"{x:.1f}", b, f"{y:.1f}") for k, ((a, x), (b, y)) in enumerate(both, 1))
        blocks += [Heading("The board without them"), Paragraph(remains), Table(header, rows)]
        return Page("Audit of the votes", blocks, f"Data: {self.source}")


def _lines(found: Sequence[Finding]) -> Iterator[str]:
    """A line a flag; of a kind with many the first, and how many more there are."""
    for kind in dict.fromkeys(f.kind for f in found):
        own = [f for f in found if f.kind == kind]
        for f in own[:LISTED]:
            p = "" if f.p is None else f" (p < {LEAST_P})" if f.p < LEAST_P else f" (p = {p_words(f.p, 3)})"
            yield f.sentence + p
        if len(own) > LISTED:
            yield f"{KINDS[kind]}: {len(own) - LISTED} more flags, listed in the JSON and the data frame"


def audit(table: Comparisons, *, time: str = "", style: Sequence[str] = (), level: float = 0.95) -> Audit:
    """Look for defects in the votes of a board, and test how its first places depend on them.

    Flags are tests at one familywise level, of position, ties and both-bad votes by item, circles, pairs, judges
    (one-sided, unlike the others, for or against one item, repeating an answer, too fast) and bursts; and votes with
    a repeated identifier.  Notes are not tests: how few votes change the first place, the effects of ties, clusters and
    style, items with few votes or opponents, and items not connected to the others.

    Parameters
    ----------
    table : Comparisons
        Votes; the column `judge` names the voters, `both_bad` marks ties that call both bad.
    time : str
        The column of times, in seconds (or milliseconds) or as dates; default: `tstamp` or a name like it.
    style : sequence of str
        Covariates of the two answers, as in :func:`leaderboard`: "length" for `length_a` and `length_b`,
        "diff(tokens_{a,b})", "rel(...)", "log(...)", or a column that is already a difference.
    level : float
        One minus the share of boards without defects that get any flag.

    Returns
    -------
    Audit

    Raises
    ------
    InputError
        A column that is missing or has no times or numbers; an invalid level.

    Examples
    --------
    Among 30 judges who ignore the position, one always prefers the answer shown first, and so disagrees with the board:

    >>> import numpy as np, pandas as pd, pairproof
    >>> r = np.random.default_rng(1)
    >>> a = r.integers(0, 6, 3000)
    >>> b = (a + r.integers(1, 6, 3000)) % 6
    >>> won = r.random(3000) < 1 / (1 + np.exp((b - a) / 5))
    >>> votes = pd.DataFrame({"model_a": a, "model_b": b, "winner": np.where(won, "model_a", "model_b"),
    ...                       "judge": np.arange(3000) % 31})
    >>> votes.loc[votes.judge == 7, "winner"] = "model_a"
    >>> found = pairproof.audit(pairproof.read(votes))
    >>> [(flag.kind, flag.judges) for flag in found.flags], found.gone
    ([('judge-order', ('7',)), ('judge-unlike', ('7',))], 97.0)
    """
    if not 0 < level < 1:
        raise InputError(f"level={level!r}; expected a number between 0 and 1, such as 0.95")
    check_one_track(table)
    seconds, covariates = _seconds(table, time), _style(table, style)
    repeated, notes = _repeated(table, time), list(_items(table))
    found = [repeated] if isinstance(repeated, Finding) else []
    votes = _votes(table, seconds, found)
    why_not = [f"{KINDS['repeated-id']}: {repeated}"] if isinstance(repeated, str) else []
    tests = []
    if votes is None:
        why_not.append("all tests: no two items both have a chance against each other")
    else:
        s = seen(votes)
        tests = all_tests(s)
        found += flags(tests, 1 - level)
        of_votes = {name: x[votes.row] for name, x in covariates.items()}
        notes = [fewest_votes(s), *treatments(s, of_votes), *notes]
        why_not += [f"{KINDS[t.kind]}: {t.why_not}" for t in tests if not len(t.p)]
    remaining = _without(table, found)
    gone, before = table.n_comparisons - remaining.n_comparisons, _places(table)
    after = _places(remaining) if gone else before
    looked = {t.kind: len(t.p) for t in tests if len(t.p)}
    about = (table.n_comparisons, table.source)
    return Audit((*found, *notes), looked, tuple(why_not), before, after, remaining, gone, level, *about)


def _without(table: Comparisons, found: Sequence[Finding]) -> Comparisons:
    """The table without the judges and the rows of these flags; the table itself where nothing would remain."""
    gone = np.zeros(table.n_rows, bool)
    gone[[row for f in found for row in f.rows]] = True
    names, judge = {name for f in found for name in f.judges}, table.columns.get("judge")
    if names and isinstance(judge, Factor):
        gone |= np.array([*(level in names for level in judge.levels), False])[judge.codes]
    if not gone.any() or gone.all():
        return table
    left = table.select(~gone).only_compared()
    return left.changed(columns=each(left.columns, used_levels))


def _places(table: Comparisons) -> tuple[tuple[str, float], ...]:
    """The first places of the board with ties as half wins, mean 1000."""
    votes = _votes(table, np.full(table.n_rows, np.nan))
    if votes is None:
        return ()
    fit = board(votes, False)[0]
    return tuple((votes.items[k], float(1000 + ELO * fit.ability[k])) for k in fit.order[:PLACES])


# -- the votes -----------------------------------------------------------------------------------------------


def _votes(table: Comparisons, seconds: FloatArray, twice: Sequence[Finding] = ()) -> Votes | None:
    """The votes on the largest set of items that each have a chance against each other, repeated ones once; None where it is
    one item."""
    chosen = set(table.unseparated_sets()[0])
    if len(chosen) < 2:
        return None
    items = tuple(item for item in table.items if item in chosen)
    place = np.cumsum([item in chosen for item in table.items]) - 1
    known = np.array([item in chosen for item in table.items])
    inside = known[table.first] & known[table.second]
    inside[[row for f in twice for row in f.rows]] = False
    games = np.stack([table.wins, table.ties, table.losses], 1) * inside[:, None]
    row, answer = np.nonzero(games)
    judge, both_bad, order = (table.columns.get(name) for name in ("judge", "both_bad", "order"))
    group, judges = row, tuple[str, ...]()
    if isinstance(judge, Factor):
        judges = judge.levels
        group = np.where(judge.codes[row] < 0, len(judges) + row, judge.codes[row])
    bad = None if both_bad is None or isinstance(both_bad, Factor) else (answer == 1) & (both_bad[row] > 0)
    ground = np.ones(len(row))
    if order is not None and not isinstance(order, Factor):
        ground = (order[row] != 0).astype(float)
    a, b, time = place[table.first[row]], place[table.second[row]], seconds[row]
    y, ties = np.array([1.0, 0.5, 0.0])[answer], table.tie_category
    return Votes(items, row, a, b, games[row, answer], y, bad, ground, group, judges, time, ties)


def _seconds(table: Comparisons, name: str) -> FloatArray:
    """The times of the rows; nan without a column of them."""
    name = name or next((c for c in TIMES if c in table.columns), "")
    if not name:
        return np.full(table.n_rows, np.nan)
    column = table.columns.get(name)
    if column is None:
        raise InputError(f"{table.source}: no column {quoted(name)}; columns: {named(table.columns, 40)}")
    if not isinstance(column, Factor):
        # Seconds since 1970 reach 1e11 in the year 5138; milliseconds did in 1973.
        return column / 1000 if np.nanmax(abs(column), initial=0) > 1e11 else column
    with warnings.catch_warnings():
        # a format that pandas does not guess is read word by word
        warnings.simplefilter("ignore", UserWarning)
        times = pd.to_datetime(pd.Series(column.levels), errors="coerce", utc=True)
    for k in np.flatnonzero(times.isna()):
        times[k] = pd.to_datetime(column.levels[k], errors="coerce", utc=True)
    if times.isna().any():
        wrong = listed([level for level, lost in zip(column.levels, times.isna()) if lost], 3)
        expected = "expected seconds, or dates such as 2026-11-28 09:10:00; name another column with time="
        row = int(np.isin(column.codes, np.flatnonzero(times.isna())).argmax()) + 1
        raise InputError(f"{table.source}, row {row}, column {quoted(name)}: {wrong}; {expected}")
    return np.append((times - pd.Timestamp(0, tz="UTC")).dt.total_seconds(), np.nan)[column.codes]


def _style(table: Comparisons, style: Sequence[str]) -> dict[str, FloatArray]:
    """Numbers of the rows in favour of the item named first, each divided by its root mean square."""
    terms = side_terms(style, list(table.columns))
    columns = with_sides(table, terms).columns
    found = {term.name: values_of(columns[term.key]) for term in terms}
    for name, column in found.items():
        if n := int(np.isnan(column).sum()):
            what = f"style {quoted(name)} has no value in {n:,} rows; leave these rows out"
            raise InputError(f"{table.source}: {what}")
    return found


def _repeated(table: Comparisons, time: str) -> Finding | str | None:
    """Votes that are repeated; or why they were not looked for."""
    twice = repeated_votes(table, time)
    if isinstance(twice, str) or not twice.rows.size:
        return twice if isinstance(twice, str) else None
    rows = twice.rows.tolist()
    n = float(table.row_weights[rows].sum())
    said = f"{n:,.10g} votes are repeated: {', '.join(twice.keys)}, pair and answer equal an earlier row's; rows "
    said += named([f"{row + 1}" for row in rows], 6)
    return Finding("repeated-id", "flag", said, None, {"votes": n, "column": twice.column}, (), tuple(rows))


# -- items ---------------------------------------------------------------------------------------------------


def _items(table: Comparisons) -> Iterator[Finding]:
    """Items with few votes or opponents, apart, never won, never lost."""
    k, a, b = len(table.items), table.first, table.second
    votes, won, tied = (
        total(a, of_first, k) + total(b, of_second, k)
        for of_first, of_second in ((table.row_weights,) * 2, (table.wins, table.losses), (table.ties,) * 2)
    )
    met = np.unique(np.concatenate([a * k + b, b * k + a])[np.tile(table.row_weights > 0, 2)])
    opponents = total(met // k, np.ones(len(met)), k)
    least = max(FEW_VOTES, FEW_SHARE * float(np.median(votes)))
    fewest = FEW_OPPONENTS * float(np.median(opponents))
    sets = table.connected_sets()
    apart = np.array([item not in set(sets[0]) for item in table.items])
    never = "that never {} or tied, so have no finite rating"
    found: dict[str, tuple[NDArray[np.bool_], NDArray[Any], str]] = {
        "few-votes": (votes < least, votes, f"with fewer than {least:,.0f} votes"),
        "few-opponents": (opponents < fewest, opponents, f"with fewer than {fewest:,.2g} opponents"),
        "apart": (apart, votes, f"with no chain of votes to the largest of {len(sets)} sets of items"),
        "never-won": ((votes > 0) & (won + tied == 0), votes, never.format("won")),
        "never-lost": ((votes > 0) & (won == votes), votes, never.format("lost")),
    }
    for kind, (chosen, numbers, what) in found.items():
        if chosen.any():
            own = {table.items[i]: float(numbers[i]) for i in np.flatnonzero(chosen)}
            which = named([f"{item} ({n:,.10g})" for item, n in own.items()], LISTED)
            yield note(kind, f"{len(own)} of {k} items {what}: {which}", items=own)
