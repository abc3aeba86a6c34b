"""`explain`: which reading of a page gives its numbers, claim by claim, and how many other readings do.

It never says what an author did, only under which reading the numbers come out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import DataNotHere, InputError, PairproofError
from ..claims.data import DataFileError
from ..claims.paper import Claim, Paper
from ..claims.quantities import LIKELIHOOD_RATIO, error_of
from ..report.context import ReportContext
from ..slips.known import Slip
from ..slips.search import MOST_READINGS, Found, GivenReading, Searched, count_words, search
from ..slips.target import Target
from ..verdicts.agreement import Agreement, Verdict, is_accepted, join, value_or_none
from ..verdicts.verdict import PrintVerdict, judge_print
from .checker import Checker


@dataclass(frozen=True)
class Explained:
    """The readings found for the claims of a paper, and a row for each printed number."""

    paper: Paper
    found: tuple[Found, ...]
    readings: int
    agreements: tuple[Agreement, ...]
    not_searched: dict[str, str]
    not_here: bool = False

    @property
    def fitting(self) -> int:
        """Readings that fit, told once each."""
        return sum(len(f.explanations) for f in self.found)

    @property
    def exit_code(self) -> int:
        """0: all comes out or is explained and accepted; 1: not so; 2: something was not read or fitted."""
        if any(not a.passes for a in self.agreements):
            return 1
        return 2 if self.not_here else 0

    def to_document(self) -> dict[str, Any]:
        """The JSON of `pairproof explain`."""
        several = len(self.found) > 1
        return {
            "readings": self.readings,
            "fitting": self.fitting,
            "explanations": [
                {
                    "slips": list(e.names),
                    "sentence": (f"{', '.join(e.claims)}: " if several else "") + e.sentence,
                    "numbers": e.numbers,
                }
                for f in self.found
                for e in f.explanations
            ],
        }

    def __str__(self) -> str:
        lines = [f"{self.paper.id}: under which reading do the printed numbers come out?"]
        for f in self.found:
            lines += ["", *_lines(f), *_without_the_defect(f, self.agreements)]
        if self.not_searched:
            lines += ["", "Not searched:", *(f"  {claim}: {why}" for claim, why in self.not_searched.items())]
        open_ = [f for f in self.found if not f.explanations]
        lines += [
            "",
            (
                f"{len(self.found)} group{'s' if len(self.found) != 1 else ''} of claims,"
                f" {self.readings:,} reading{'s' if self.readings != 1 else ''} tried:"
                f" {sum(f.plain for f in self.found)} come out as they stand,"
                f" {sum(f.clear and not f.plain for f in self.found)} under one other reading,"
                f" {sum(len(f.explanations) > 1 for f in self.found)} under several, {len(open_)} under none;"
                f" {len(self.not_searched)} not searched"
            ),
        ]
        return "\n".join(lines)

    def context(self, command: str = "") -> ReportContext:
        """The words around the agreements in a report: one section with every explanation."""
        from ...report.blocks import Table
        from ..report.context import ReportContext, Story

        rows = [
            (
                ", ".join(f.claims),
                e.sentence.removeprefix("comes out if "),
                " + ".join(e.names) or "none",
                str(e.numbers),
            )
            for f in self.found
            for e in f.explanations
        ]
        rows += [
            (", ".join(f.claims), "no reading that was tried", "", str(f.numbers))
            for f in self.found
            if not f.explanations
        ]
        paragraphs = (
            (
                f"{self.readings:,} readings were tried: the claims as they stand, and every known slip of"
                " data, model, scale, inference and print, alone and in twos. A reading fits if every"
                " printed number of the claims comes out of it. What fits is a way to get the numbers; it"
                " does not say what anybody did."
            ),
            *(f"{', '.join(f.claims)}: {count_words(f)}." for f in self.found),
            *(f"{claim} was not searched: {why}." for claim, why in self.not_searched.items()),
        )
        table = Table(("claims", "comes out if", "slips", "numbers"), tuple(rows)) if rows else None
        return ReportContext(
            title=f"{self.paper.id}: under which reading do the printed numbers come out?",
            subtitle=self.paper.title,
            command=command,
            story=(Story("Explanations", paragraphs, table),),
        )


#: Readings shown in a terminal; JSON has them all.
SHOWN = 12
#: What the sentence of a slip says that is a defect of prefmod's.
DEFECT = "prefmod's defect"


def _lines(f: Found) -> list[str]:
    head = ", ".join(f.claims)
    if f.plain:
        return [f"{head}: {f.explanations[0].sentence} ({f.numbers} number{'' if f.numbers == 1 else 's'})"]
    if not f.explanations:
        return [f"{head}: comes out under none of {f.readings:,} readings ({count_words(f)})"]
    if f.clear:
        return [
            f"{head}: {f.explanations[0].sentence}",
            f"  ({count_words(f)}; {' + '.join(f.explanations[0].names)})",
        ]
    lines = [f"{head}: ambiguous, {count_words(f)}"]
    lines += [f"  {e.sentence} ({' + '.join(e.names)})" for e in f.explanations[:SHOWN]]
    more = len(f.explanations) - SHOWN
    return lines + ([f"  ... and {more} more, all in --json"] if more > 0 else [])


def _without_the_defect(f: Found, agreements: Sequence[Agreement]) -> list[str]:
    """Where one reading fits and commits a defect of prefmod: the correct numbers beside those printed."""
    if not f.clear or f.plain or DEFECT not in f.explanations[0].words:
        return []
    off = [a for a in agreements if a.claim in f.claims and a.verdict == "explained" and a.native is not None]
    shown = [f"{a.quantity} {_as_printed(a)} (printed {a.printed})" for a in off[:SHOWN]]
    more = len(off) - len(shown)
    said = ", ".join(shown) + (f" and {more} more" if more else "")
    return [f"  reproduced only with {DEFECT}; correct: {said}"] if shown else []


def _as_printed(a: Agreement) -> str:
    """The computed number with the decimals of the printed one."""
    found = re.search(r"\.([0-9]*)", a.printed or "")
    return f"{a.native:.{len(found[1]) if found else 0}f}"


def explain(paper: Paper, most: int = MOST_READINGS) -> Explained:
    """Search for the readings of a page under which its printed numbers come out.

    Claims on one table are searched together: a reading that explains them all is one explanation.
    """
    checker = Checker(paper)
    skipped: dict[str, str] = {}
    not_here = False
    groups: dict[str, list[Target]] = {}
    for claim in paper.claims:
        why = _out_of_reach(claim, paper)
        if why is not None:
            if claim.numbers:
                skipped[claim.id] = why
            continue
        try:
            target = _target(paper, claim, checker)
        except DataFileError:
            raise  # to go on without the data would look like a page with nothing to explain
        except (DataNotHere, InputError) as error:
            skipped[claim.id] = str(error)
            not_here |= isinstance(error, DataNotHere)
            continue
        except PairproofError as error:
            skipped[claim.id], not_here = str(error), True
            continue
        groups.setdefault(claim.data, []).append(target)
    results = [search(targets, _given(paper, targets, checker), most) for targets in groups.values()]
    order = [c.id for c in paper.claims]
    found = sorted((f for r in results for f in r.found), key=lambda f: order.index(f.claims[0]))
    return Explained(
        paper, tuple(found), _total(results), tuple(_agreements(paper, found, checker)), skipped, not_here
    )


def _total(results: Sequence[Searched]) -> int:
    return sum(r.readings for r in results)


def _out_of_reach(claim: Claim, paper: Paper) -> str | None:
    """Why a claim cannot be searched at all; None if it can."""
    if not claim.numbers:
        return "it prints no number of a model"
    if claim.model is None or not claim.data:
        return "its numbers are of no model"
    if paper.data[claim.data].kind == "games":
        return "its outcomes are not at hand"
    if claim.model.unsearched:
        return claim.model.unsearched
    if "native" not in claim.engines:
        return "only R is asked for it, and the search is native"
    return None


def _target(paper: Paper, claim: Claim, checker: Checker) -> Target:
    others = {}
    for q in claim.numbers:
        name = q.quantity.name
        if q.quantity.kind in LIKELIHOOD_RATIO and name not in others:
            other = paper.claim(name) if name in [c.id for c in paper.claims] else None
            if other is None or other.data != claim.data:
                raise InputError(f"{q.quantity} needs a claim {name!r} on the same data")
            others[name] = Target.of(other, checker.fit(name))
    spec = paper.data[claim.data]
    while spec.from_:
        spec = paper.data[spec.from_]
    return Target.of(claim, checker.fit(claim.id), others, spec.kind == "matrix")


def _given(paper: Paper, targets: Sequence[Target], checker: Checker) -> list[GivenReading]:
    """The readings that the claims file names itself."""
    found = []
    for t, target in enumerate(targets):
        claim = paper.claim(target.claim)
        for reading in claim.readings:
            slip = Slip(reading.name, "data", 9, reading.sentence)
            if reading.stops == "glm":
                setting = replace(target.setting, solver=replace(target.setting.solver, stop="glm"))
                found.append(GivenReading(slip, t, target.values([((), target.model.rows)], setting)[0]))
                continue
            model = reading.model or claim.model
            assert model is not None  # a claim without a model is no target
            fit = checker.asked(reading.data or claim.data, model).fit
            values = [
                math.nan if q.quantity.kind in LIKELIHOOD_RATIO else checker.value(claim, fit, q)
                for q in claim.numbers
            ]
            found.append(GivenReading(slip, t, np.array(values)))
    return found


def _agreements(paper: Paper, found: Sequence[Found], checker: Checker) -> list[Agreement]:
    """A row for each printed number that was searched for, with what the search found."""
    rows = []
    for f in found:
        for name in f.claims:
            claim, fit = paper.claim(name), checker.fit(name)
            for q in claim.numbers:
                value = checker.value(claim, fit, q)
                judged = judge_print(
                    q, value, float(claim.alpha), fit.df_resid, fit.n_comparisons, error_of(q.quantity, fit)
                )
                verdict, words, codes = _verdict(f, judged)
                accepted = any(is_accepted(verdict, code, claim.accept) for code in codes)
                numbers = {"printed": q.printed.text, "native": value_or_none(value), "accepted": accepted}
                rows.append(checker.row(claim, q.quantity, verdict, words, codes[0], **numbers))
    return rows


def _verdict(f: Found, judged: PrintVerdict) -> tuple[Verdict, str, tuple[str, ...]]:
    """The verdict on a number once the search is done, its explanation, and the codes by which a person may
    have accepted it: the row's own, then those of readings that give the same numbers.
    """
    if judged.comes_out or f.plain or not f.explanations:
        return judged.verdict, judged.note, (judged.code,)
    if not f.clear:
        ways = "; ".join(e.words for e in f.explanations[:3])
        more = " ..." if len(f.explanations) > 3 else ""
        return "ambiguous", f"ambiguous: {count_words(f)}: if {ways}{more}", ("ambiguous",)
    e = f.explanations[0]
    codes = tuple(join(names) for names in (e.names, *e.also_names))
    return "explained", f"{codes[0]}: {e.sentence} ({count_words(f)})", codes
