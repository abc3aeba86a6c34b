"""What prefmod makes of a table before it fits: the chosen defects, one after the other in its own order.

The result is a table that says what prefmod read.  A model fitted to it has prefmod's estimates.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...data.respondents import Respondents
from ...errors import DataWarning
from . import answers, persons
from .call import CODES, Call, call_of
from .catalogue import Chosen, choose, defect
from .defect import Defect

#: A change of a call; None where it changes nothing.
Change = Callable[[Call], "Call | None"]

#: In the order in which prefmod commits them: columns, persons, answers, groups, model.
CHANGES: tuple[tuple[str, Change], ...] = (
    ("B24-columns-in-another-order", answers.columns_in_another_order),
    ("A4-covariate-rounded", persons.covariate_rounded),
    ("A18-tied-ranks-left-out", answers.tied_ranks_left_out),
    ("B13-any-column-missing", persons.any_column_missing),
    ("B5-rows-shifted", persons.rows_shifted),
    ("A2-persons-without-covariate", persons.persons_without_covariate),
    ("B4-observed-categories", answers.observed_categories),
    ("B1-ties-as-losses", answers.ties_as_losses),
    ("B20-range-of-the-first-columns", answers.range_of_the_first_columns),
    ("B18-observed-range", answers.observed_range),
    ("B12-gap-in-the-levels", persons.gap_in_the_levels),
    ("B10-covariate-not-in-elim", persons.covariate_not_in_elim),
    ("B22-first-block-complete", answers.first_block_complete),
)


@dataclass(frozen=True)
class Committed:
    """A defect that was applied to a table.

    change: what it changed here, with numbers.
    """

    defect: Defect
    change: str

    def __str__(self) -> str:
        return f"{self.defect.name}: {self.change}"


@dataclass(frozen=True, eq=False)
class AsRead:
    """A table as prefmod reads it.

    call: after the defects.  committed: those that changed something.  without_effect: names of defects that
    were asked for and change nothing here.
    """

    call: Call
    committed: tuple[Committed, ...]
    without_effect: tuple[str, ...]

    @property
    def table(self) -> Respondents:
        """The table that prefmod fits."""
        return self.call.table

    @property
    def by(self) -> str:
        """The formula that prefmod fits."""
        return self.call.by

    @property
    def text(self) -> str:
        """A sentence for a warning; "" if nothing was changed."""
        if not self.committed:
            return ""
        what = "; ".join(str(c) for c in self.committed)
        return (
            f"fitted to what prefmod's {self.call.function} reads, with its defects {what}."
            " Without compat the table is fitted as it is"
        )


def read_as_prefmod(
    table: Respondents,
    function: str,
    *,
    by: str = "",
    elim: Sequence[str] | None = None,
    compat: str | Sequence[str] = "prefmod",
    codes: Sequence[float] = CODES,
    warn: bool = True,
) -> AsRead:
    """The table as a function of prefmod reads it, defects included.

    function: prefmod's function, such as "pattPC.fit".  `by`: formula of the subject covariates (formel).
    elim: covariates that divide the table, where they were stated.  compat: "prefmod": all defects that
    prefmod shows on this call; or names, see :func:`pairproof.native.compat.catalogue.defects`.  codes: codes
    of first preferred, tie, second preferred in the file that prefmod was given.  warn: whether to warn with
    the names of the defects.
    """
    chosen = choose(compat, function)
    call = call_of(table, function, by, elim, codes)
    committed: list[Committed] = []
    idle: list[str] = [n for n in chosen.names if n not in dict(CHANGES) and defect(n).acts_on == "data"]
    for name, change in _changes(chosen):
        if not chosen.has(name) or not _applies(name, call):
            continue
        after = change(call)
        if after is None:
            if name in chosen.names:
                idle.append(name)
            continue
        committed.append(Committed(defect(name), _what(name, call, after)))
        call = after
    found = AsRead(call, tuple(committed), tuple(idle))
    if warn and committed:
        warnings.warn(found.text, DataWarning, stacklevel=2)
    if warn and idle:
        warnings.warn(f"{', '.join(idle)} changes nothing in this table", DataWarning, stacklevel=2)
    return found


def _changes(chosen: Chosen) -> list[tuple[str, Change]]:
    """pattPC.fit counts by B1 what B4 cuts: together they are one change, which is told under B1's name."""
    both = chosen.has("B1-ties-as-losses") and chosen.has("B4-observed-categories")
    if not both:
        return list(CHANGES)
    return [
        (name, answers.product_of_observed if name == "B1-ties-as-losses" else change)
        for name, change in CHANGES
        if name != "B4-observed-categories"
    ]


def _applies(name: str, call: Call) -> bool:
    """Whether the change is about this kind of table."""
    kind = call.table.kind
    needs = {
        "B24": "comparisons",
        "B4": "comparisons",
        "B1": "comparisons",
        "B20": "comparisons",
        "B18": "ratings",
        "A18": "rankings",
    }
    return needs.get(defect(name).id, kind) == kind


def _what(name: str, before: Call, after: Call) -> str:
    """What a defect changed, with numbers."""
    lost = before.n_rows - after.n_rows
    if name in ("B1-ties-as-losses", "B4-observed-categories", "B20-range-of-the-first-columns"):
        ties, preferences = answers.ties_lost(before, after)
        said = [f"{ties} tie{'s' * (ties != 1)} became wins of the second item"] if ties else []
        said += [f"{preferences} preference{'s' * (preferences != 1)} became ties"] if preferences else []
        turned = int((before.table.answers * after.table.answers == -1).sum())
        said += [f"{turned} preference{'s' * (turned != 1)} turned round"] if turned else []
        return " and ".join(said) or "the tie category is lost"
    if name == "B5-rows-shifted":
        return f"{after.n_rows} persons have covariates moved by missing rows"
    if lost:
        return f"{lost} of {before.n_rows} persons are left out"
    if name == "B18-observed-range":
        was, now = len(before.table.scale), len(after.table.scale)
        return f"the scale of {was} points is cut to the {now} from {after.table.scale[0]:g} to {after.table.scale[-1]:g}"
    if name == "B10-covariate-not-in-elim":
        return f"by = {before.by!r} is fitted as {after.by!r}"
    if name == "B12-gap-in-the-levels":
        moved = [k for k in before.covariates if (before.values(k) != after.values(k)).any()]
        return f"levels of {', '.join(moved)} carry the names of the first levels"
    if name == "B22-first-block-complete":
        return "the first pattern of gaps counts as complete"
    if name == "B24-columns-in-another-order":
        return "columns in the order 12 13 14 23 ... are read as 12 13 23 14 ..."
    return "numeric covariates are rounded to seven digits"
