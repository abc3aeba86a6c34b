"""What came of a migration: a row for each call site of the R script, and the verdict on all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...bridge.capture.recorded import Captured, Mentioned, Place
from ..verdicts.agreement import AGREEING, Agreement, summary
from .translate.translation import Step

#: Verdicts of a number that differs and is not explained.
DIFFERENT = ("differs", "differs-conclusion", "ambiguous")


@dataclass(frozen=True, eq=False)
class Site:
    """A call of the script, with all its evaluations.

    Attributes
    ----------
    place : Place
    function : str
        R's, with its package.
    steps : tuple of Step
        One for each evaluation.
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
    """A call of the script's text that no part of the migration is about.

    Attributes
    ----------
    mentioned : Mentioned
    reason : str
    """

    mentioned: Mentioned
    reason: str


@dataclass(frozen=True, eq=False)
class Migration:
    """A migrated R script: what R did, what Python does, and each number of both.

    Attributes
    ----------
    captured : Captured
        The run of the script.
    steps : tuple of Step
        A recorded call each, in the order in which they began.
    left_out : tuple of LeftOut
        Calls of fitting functions outside this field, which stand in the script's text.
    written : tuple of str
        Files, relative to the current folder or as given; () with `check`.
    ran_seconds : float or None
        How long the Python script took by itself; None if it was not written, or needs R.
    seconds : float
        All in all.
    """

    captured: Captured
    steps: tuple[Step, ...]
    left_out: tuple[LeftOut, ...] = ()
    written: tuple[str, ...] = field(default=())
    ran_seconds: float | None = None
    seconds: float = 0.0

    @property
    def sites(self) -> tuple[Site, ...]:
        """The call sites, in the order of the script, without what a package looked up for itself (the residuals that
        `summary` asks for).
        """
        found: dict[tuple[object, ...], list[Step]] = {}
        for step in self.steps:
            call = step.call
            if call.helper and step.by_package:
                continue
            key = (call.place.file, call.place.line, call.function, call.text, call.task, step.by_package)
            found.setdefault(key, []).append(step)
        sites = [Site(steps[0].call.place, steps[0].call.function, tuple(steps)) for steps in found.values()]
        return tuple(sorted(sites, key=lambda s: (s.first.call.task, s.place.line, s.steps[0].call.id)))

    @property
    def agreements(self) -> tuple[Agreement, ...]:
        """All rows."""
        return tuple(row for step in self.steps for row in step.rows)

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if a number differs without explanation; else 2 if R did not come to the script's end, a call could not be
        recorded, or Python refused one; else 0.
        """
        if any(a.verdict in DIFFERENT and not a.accepted for a in self.agreements):
            return 1
        stopped = self.captured.ending in ("error", "time", "killed")
        refused = any(step.state == "refused" for step in self.steps)
        not_run = any(a.verdict == "not-run" and not a.accepted for a in self.agreements)
        return 2 if stopped or self.captured.lost or refused or not_run else 0

    def __str__(self) -> str:
        from .lines import lines

        return "\n".join(lines(self))

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of `pairproof migrate --json`."""
        from .document import document

        return document(self)


def counts(rows: Sequence[Agreement]) -> dict[str, int]:
    """Numbers that were compared, that agree, are explained, differ; those that cannot be checked."""
    known = summary(rows)
    agree = sum(n for v, n in known.items() if v in AGREEING)
    explained = sum(a.verdict == "explained" or a.accepted and a.verdict in DIFFERENT for a in rows)
    differ = sum(a.verdict in DIFFERENT and not a.accepted for a in rows)
    return {
        "numbers": sum(a.native is not None or a.r is not None for a in rows),
        "agree": agree,
        "explained": explained,
        "differ": differ,
        "not_checkable": known.get("not-checkable", 0),
        "not_run": known.get("not-run", 0),
    }


def fewest(rows: Sequence[Agreement]) -> Agreement | None:
    """The row with the fewest digits among those that agree; None if there is none."""
    compared = [
        (a.digits, str(a.quantity), a) for a in rows if a.verdict in AGREEING and a.digits is not None
    ]
    return min(compared, key=lambda entry: entry[:2])[2] if compared else None
