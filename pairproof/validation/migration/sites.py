"""The call sites of a migrated script, and what became of their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...bridge.capture.recorded import Captured, Mentioned, Place, RecordedCall
from ..verdicts.agreement import AGREEING, Agreement, summary
from .translate.translation import Step

#: Verdicts of a number that differs and is not explained.
DIFFERENT = ("differs", "differs-conclusion", "ambiguous")


@dataclass(frozen=True, eq=False)
class Site:
    """A call of the script, with all its evaluations.

    function: R's, with its package.  steps: one for each evaluation.
    """

    place: Place
    function: str
    steps: tuple[Step, ...]

    @property
    def first(self) -> Step:
        """The first evaluation that became Python; else the first of all."""
        coded = (s for s in self.steps if s.state in ("native", "bridge"))
        return next(coded, self.steps[0])

    @property
    def rows(self) -> tuple[Agreement, ...]:
        """Of all evaluations."""
        return tuple(row for step in self.steps for row in step.rows)

    @property
    def states(self) -> dict[str, int]:
        """How many evaluations are "native", "bridge", "outside", "refused", "failed", "counted"."""
        found: dict[str, int] = {}
        for step in self.steps:
            found[step.state] = found.get(step.state, 0) + 1
        return found


@dataclass(frozen=True)
class LeftOut:
    """A call of the script's text that no part of the migration is about."""

    mentioned: Mentioned
    reason: str


def sites_of(steps: Sequence[Step]) -> tuple[Site, ...]:
    """The call sites, in the order of the script, without what a package looked up for itself (the residuals that
    `summary` asks for).
    """
    found: dict[tuple[object, ...], list[Step]] = {}
    for step in steps:
        call = step.call
        if call.helper and step.by_package:
            continue
        key = (call.place.file, call.place.line, call.function, call.text, call.task, step.by_package)
        found.setdefault(key, []).append(step)
    sites = [Site(of[0].call.place, of[0].call.function, tuple(of)) for of in found.values()]
    return tuple(sorted(sites, key=lambda s: (s.first.call.task, s.place.line, s.steps[0].call.id)))


def called_in(captured: Captured, call: RecordedCall) -> int:
    """The line of the top-level expression that ran a call which stands in a function elsewhere; 0 if it stands there."""
    expressions = captured.text.expressions
    if not 1 <= call.task <= len(expressions) or not call.place.line:
        return 0
    span = expressions[call.task - 1]
    inside = span.line <= call.place.line <= span.last and call.place.file in ("", captured.text.name)
    return 0 if inside else span.line


def counts(rows: Sequence[Agreement]) -> dict[str, int]:
    """Numbers that were compared, that agree, are explained, differ; those that cannot be checked or
    estimated."""
    known = summary(rows)
    agree = sum(n for v, n in known.items() if v in AGREEING)
    explained = sum(a.verdict == "explained" or a.accepted and a.verdict in DIFFERENT for a in rows)
    differ = sum(a.verdict in DIFFERENT and not a.accepted for a in rows)
    return {
        "numbers": sum(a.native is not None or a.r is not None for a in rows),
        "agree": agree,
        "explained": explained,
        "differ": differ,
        "not_estimable": known.get("not-estimable", 0),
        "not_checkable": known.get("not-checkable", 0),
        "not_run": known.get("not-run", 0),
    }


def fewest(rows: Sequence[Agreement]) -> Agreement | None:
    """The row with the fewest digits among those that agree; None if there is none."""
    compared = [
        (a.digits, str(a.quantity), a) for a in rows if a.verdict in AGREEING and a.digits is not None
    ]
    return min(compared, key=lambda entry: entry[:2])[2] if compared else None
