"""`explain`: which reading of a page gives its numbers, claim by claim, and how many other readings do.

It never says what an author did, only which reading reproduces the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import InputError, PairproofError
from ..claims.paper import Claim, Paper
from ..claims.quantities import LIKELIHOOD_RATIO
from ..report.context import ReportContext, Story
from ..report.findings import as_printed
from ..slips.known import Slip
from ..slips.search import MOST_READINGS, Explanation, Found, GivenReading, count_words, search
from ..slips.target import Target
from ..verdicts.agreement import AGREEING, Agreement, Verdict, exit_code, is_accepted, value_or_none
from ..verdicts.verdict import PrintVerdict
from .checker import Checker


@dataclass(frozen=True)
class Explained:
    """The readings found for the claims of a paper, and a row for each printed number."""

    paper: Paper
    found: tuple[Found, ...]
    readings: int
    agreements: tuple[Agreement, ...]
    not_searched: dict[str, str]

    @property
    def fitting(self) -> int:
        """The number of readings that fit, each counted once."""
        return sum(len(f.explanations) for f in self.found)

    @property
    def exit_code(self) -> int:
        """As for `check`, for the numbers that were checked."""
        return exit_code(self.agreements)

    def to_document(self) -> dict[str, Any]:
        """The JSON of `pairproof explain`."""
        several = len(self.found) > 1
        explanations = [
            {
                "slips": list(e.names),
                "sentence": (f"{', '.join(e.claims)}: " if several else "") + e.sentence,
                "numbers": e.numbers,
                "evidence": _evidence(f),
            }
            for f in self.found
            for e in f.explanations
        ]
        said = {"readings": self.readings, "fitting": self.fitting, "explanations": explanations}
        return said | {"found": [_document(f) for f in self.found]}

    @property
    def title(self) -> str:
        """The question that the report answers."""
        return f"{self.paper.id}: which reading reproduces the printed numbers?"

    def told(self, most: int) -> Iterator[list[str]]:
        """In lines: each group of claims (at most so many readings), what was not searched, and how many there are."""
        for f in self.found:
            yield [*_lines(f, most), *_without_the_defect(f, self.agreements)]
        if self.not_searched:
            yield ["Not searched:", *(f"  {claim}: {why}" for claim, why in self.not_searched.items())]
        yield [
            f"{len(self.found)} group{'s' if len(self.found) != 1 else ''} of claims,"
            f" {self.readings:,} reading{'s' if self.readings != 1 else ''} tried:"
            f" {sum(f.plain for f in self.found)} reproduced as printed,"
            f" {sum(f.clear and not f.plain for f in self.found)} under one other reading,"
            f" {sum(len(f.explanations) > 1 for f in self.found)} under several,"
            f" {sum(not f.explanations for f in self.found)} under none;"
            f" {len(self.not_searched)} not searched"
        ]

    def __str__(self) -> str:
        return "\n\n".join((self.title, *map("\n".join, self.told(SHOWN))))

    def context(self, command: str = "") -> ReportContext:
        """The words around the agreements in a report: one section with every explanation."""
        told = (" ".join(map(str.strip, lines)) for lines in self.told(self.readings))
        story = Story("Explanations", (WHAT_FITS, *told))
        return ReportContext(self.title, self.paper.title, command, story=(story,))


def _evidence(f: Found) -> bool:
    """Whether a reading fits, and not as chance alone would have it."""
    return bool(f.explanations) and (f.plain or not f.by_chance)


def _document(f: Found) -> dict[str, Any]:
    """What was found for claims that share an explanation, in JSON."""
    near = f.nearest
    return {
        "claims": list(f.claims),
        "numbers": f.numbers,
        "readings": f.readings,
        "evidence": _evidence(f),
        "said": count_words(f),
        "chance": f.chance,
        "chance_of_100": value_or_none(f.chance_of_100),
        "cause": f.cause,
        "wrong": list(f.wrong),
        "cell": f.cell,
        "nearest": None if near is None else {"slips": list(near.names), "sentence": near.sentence},
        "left": list(f.left),
    }


WHAT_FITS = (
    "Every known slip of data, model, scale, inference and print was tried, alone and in pairs. A reading fits if it"
    " reproduces every printed number of the claims. A reading that fits is one way to get the numbers; it does not"
    " say what the authors did."
)
#: Readings shown in a terminal; JSON and reports have them all.
SHOWN = 12
#: What the sentence of a slip says that is a defect of prefmod's.
DEFECT = "prefmod's defect"


def _lines(f: Found, most: int) -> list[str]:
    head, seen = ", ".join(f.claims), [f"  {words}" for words in f.sentences]
    if f.plain:
        return [f"{head}: {f.explanations[0].sentence} ({f.numbers} number{'' if f.numbers == 1 else 's'})"]
    if not f.explanations:
        return [f"{head}: reproduced by none of {f.readings:,} readings ({count_words(f)})", *seen]
    if f.clear:
        only = f.explanations[0]
        return [f"{head}: {only.sentence}", f"  ({count_words(f)}; {' + '.join(only.names)})", *seen]
    lines = [f"{head}: ambiguous, {count_words(f)}"]
    lines += [f"  {e.sentence} ({' + '.join(e.names)})" for e in f.explanations[:most]]
    more = len(f.explanations) - most
    return lines + ([f"  ... and {more} more, all in --json"] if more > 0 else []) + seen


def _without_the_defect(f: Found, agreements: Sequence[Agreement]) -> list[str]:
    """Where one reading fits and commits a defect of prefmod: the correct numbers beside those printed."""
    if not f.clear or f.plain or DEFECT not in f.explanations[0].words:
        return []
    off = [a for a in agreements if a.claim in f.claims and a.verdict == "explained" and a.native is not None]
    own = [(a, as_printed(a.native or 0.0, a.printed or "")) for a in off[:SHOWN]]
    said = ", ".join(f"{a.quantity} {value} (printed {a.printed})" for a, value in own)
    more = f" and {len(off) - SHOWN} more" if len(off) > SHOWN else ""
    return [f"  reproduced only with {DEFECT}; correct: {said}{more}"] if off else []


#: Verdicts on a print that is not searched: it is reproduced, does not matter, or was not computed.
SETTLED = (*AGREEING, "immaterial", "not-checkable", "not-run")


def seek(
    checker: Checker,
    rows: Sequence[Agreement],
    most: int = MOST_READINGS,
    accepted_too: bool = False,
    progress: Callable[[str], None] = lambda what: None,
) -> Explained:
    """Search for readings that reproduce the numbers which the checker could not reproduce.

    Claims on one table are searched together: a reading that explains them all is one explanation.  Accepted
    claims are searched only if `accepted_too`; their rows do not change.
    """
    paper, skipped = checker.paper, {}
    plain: list[Found] = []
    groups: dict[str, list[Target]] = {}
    for claim in paper.claims:
        judged, n = checker.judged.get(claim.id, {}), len(claim.numbers)
        why = _out_of_reach(claim, paper)
        if why is None and not judged:
            why = next((a.explanation for a in rows if a.claim == claim.id), "it was not checked")
        off = tuple(name for name, j in judged.items() if j.verdict not in SETTLED)
        marks = [q for q in claim.numbers if q.quantity in off and not re.search(r"\d", q.printed.text)]
        if off and len(marks) == len(off):
            why = "only significance marks differ; many readings change them, so a fit would not be evidence"
        if why is not None:
            if n:
                skipped[claim.id] = why
        elif not off:
            plain.append(Found((claim.id,), n, 1, (Explanation((), (claim.id,), n),)))
        elif accepted_too or any(a.quantity in off and not a.accepted for a in _printed(rows, claim.id)):
            try:
                groups.setdefault(claim.data, []).append(_target(checker, claim, judged, off))
            except PairproofError as error:
                skipped[claim.id] = str(error)
    results = []
    for targets in groups.values():
        what = f"{paper.id}: other readings of {', '.join(t.claim for t in targets)}"
        progress(what)

        def told_of(done: int, total: int, what: str = what) -> None:
            progress(f"{what}: {done:,} of {total:,}")

        results.append(search(targets, _given(targets, checker), most, progress=told_of))
    order = [c.id for c in paper.claims]
    found = sorted((*plain, *(f for r in results for f in r.found)), key=lambda f: order.index(f.claims[0]))
    told = {name: f for f in found for name in f.claims}
    seen = tuple(_told(checker, a, told[a.claim]) if a.claim in told else a for a in rows)
    return Explained(paper, tuple(found), len(plain) + sum(r.readings for r in results), seen, skipped)


def explain(
    paper: Paper, most: int = MOST_READINGS, progress: Callable[[str], None] = lambda what: None
) -> Explained:
    """Check the numbers of a page and search for readings that reproduce those that differ.

    This is `check` without R, statements and computations; accepted claims are searched too.
    """
    models = tuple(replace(c, statement="", test="", compute="") for c in paper.claims if c.model is not None)
    checker = Checker(replace(paper, claims=models))
    rows = checker.all(lambda claim: progress(f"{paper.id}: {claim}")) if models else []
    told = seek(checker, rows, most, True, progress)
    others = {c.id: "its numbers are not from a model" for c in paper.claims if c.numbers and c.model is None}
    seen = [a for a in told.agreements if a.claim in paper.bad]
    seen += [a for c in models if _out_of_reach(c, paper) is None for a in _printed(told.agreements, c.id)]
    return replace(
        told, paper=paper, agreements=tuple(seen), not_searched={**told.not_searched, **others, **paper.bad}
    )


def _printed(rows: Iterable[Agreement], claim: str) -> list[Agreement]:
    return [a for a in rows if a.claim == claim and a.about == "printed"]


def _out_of_reach(claim: Claim, paper: Paper) -> str | None:
    """Why a claim cannot be searched at all; None if it can."""
    if not claim.numbers:
        return "it prints no numbers of a model"
    if claim.model is None or not claim.data:
        return "its numbers do not come from a model"
    if paper.data[claim.data].kind == "games":
        return "its outcomes are not available"
    if claim.model.unsearched:
        return claim.model.unsearched
    if "native" not in claim.engines:
        return "only R is requested for it, but the search uses native fits"
    return None


def _target(
    checker: Checker, claim: Claim, judged: Mapping[str, PrintVerdict], off: tuple[str, ...]
) -> Target:
    """The claim for a search; numbers by another definition are varied by that, or left out if no setting has it."""
    paper = checker.paper
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

    def of(claim: Claim) -> Target:
        target = Target.of(claim, checker.fit(claim.id), others, spec.kind == "matrix")
        stated: dict[str, Any] = {key: value for j in judged.values() for key, value in j.setting.items()}
        solver = replace(target.setting.solver, cells=stated.pop("cells", target.setting.solver.cells))
        target.setting = replace(target.setting, solver=solver, **stated)
        target.off = off
        return target

    known = {name for name, j in judged.items() if j.verdict == "agrees-other-definition"}
    target = of(claim)
    if known:
        values = zip(claim.numbers, target.values([()], target.setting)[0].tolist())
        kept = [q for q, v in values if q.quantity not in known or target.fits_one(q.quantity, v)]
        target = target if len(kept) == len(claim.numbers) else of(replace(claim, numbers=tuple(kept)))
    return target


def _given(targets: Sequence[Target], checker: Checker) -> list[GivenReading]:
    """The readings that the claims file names itself."""
    found = []
    for t, target in enumerate(targets):
        for reading, _, values in checker.readings(checker.paper.claim(target.claim)):
            numbers = np.array([values[q.quantity] for q in target.numbers])
            found.append(GivenReading(Slip(reading.sentence, cost=9, name=reading.name), t, numbers))
    return found


def _told(checker: Checker, row: Agreement, f: Found) -> Agreement:
    """The row once the search is done: explained by the one reading that fits, or ambiguous."""
    judged = checker.judged[row.claim].get(row.quantity)
    if row.about != "printed" or judged is None or judged.verdict in SETTLED or row.accepted or f.plain:
        return row
    if not f.explanations:
        none = f"none of {f.readings:,} other readings reproduces all {f.numbers} numbers"
        seen = [words for words in f.sentences if words != f.wrong_words]  # which are the row's own
        return replace(row, explanation="; ".join((row.explanation, none, *seen)))
    if not _evidence(f):  # what differs does so no less for what chance would give
        return replace(row, explanation=f"{row.explanation}; not explained: {count_words(f)}")
    verdict: Verdict
    if f.clear:
        e = f.explanations[0]
        codes = tuple(map("+".join, (e.names, *e.also_names)))
        verdict, said = "explained", f"{codes[0]}: {e.sentence} ({count_words(f)})"
        finding = f"{', '.join(f.claims)}: {codes[0]}"
    else:
        ways = "; ".join(e.words for e in f.explanations[:3])
        more = " ..." if len(f.explanations) > 3 else ""
        verdict, codes = "ambiguous", ("ambiguous",)
        said, finding = f"ambiguous: {count_words(f)}: if {ways}{more}", row.finding
    accept = checker.paper.claim(row.claim).accept
    return replace(
        row,
        verdict=verdict,
        explanation=said + row.explanation[len(judged.note) :],
        code=codes[0],
        finding=finding,
        accepted=any(is_accepted(verdict, code, accept) for code in codes),
    )
