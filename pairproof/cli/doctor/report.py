"""What the doctor hands over: a report, as data, as JSON's objects and as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...report.blocks import Code, Page

Kind = Literal["python", "rpy2", "r", "r-package"]


@dataclass(frozen=True)
class Missing:
    """One thing that is not here, or not in a version that works.

    Attributes
    ----------
    what : str
        Its name, with the version found if there is one.
    why : str
        What pairproof does with it.
    cure : str
        A command for this machine.
    kind : {"python", "rpy2", "r", "r-package"}
    """

    what: str
    why: str
    cure: str
    kind: Kind


@dataclass(frozen=True)
class RFound:
    """The R on this machine.

    Attributes
    ----------
    version : str or None
        As R writes it, "4.2.2"; None when R started and did not say.
    home : str or None
        R's own ``R.home()``.
    blas : str or None
        The BLAS it computes with, where its worker could say.
    usable : bool
        Whether pairproof's worker process runs it.
    reason : str or None
        Why not, in one sentence.
    """

    version: str | None
    home: str | None
    blas: str | None
    usable: bool
    reason: str | None


@dataclass(frozen=True)
class Report:
    """What :func:`examine` found; versions are text, None where a thing is not installed."""

    pairproof: str | None
    python: str
    packages: Mapping[str, str | None]
    r: RFound | None
    r_packages: Mapping[str, str | None]
    missing: tuple[Missing, ...]


def to_dict(report: Report) -> dict[str, Any]:
    """The report as the JSON object of ``pairproof doctor --json``."""
    return {
        "pairproof": report.pairproof,
        "python": report.python,
        "packages": dict(report.packages),
        "r": None if report.r is None else vars(report.r),
        "r_packages": dict(report.r_packages),
        "missing": [{"what": m.what, "why": m.why, "cure": m.cure} for m in report.missing],
    }


def render(report: Report) -> str:
    """The report as text, a few lines, the cures last."""
    lines = [f"pairproof {report.pairproof or '(not installed)'} on Python {report.python}"]
    lines += [f"  {name:<16} {version or '-'}" for name, version in report.packages.items()]
    if report.r is None:
        lines.append("R: not found")
    else:
        trouble = "" if report.r.usable else f", which cannot be used: {report.r.reason}"
        lines.append(
            f"R {report.r.version or '(version unknown)'}{f' with {report.r.blas}' if report.r.blas else ''}{trouble}"
        )
        lines += [f"  {name:<16} {version or '-'}" for name, version in report.r_packages.items()]
    if not report.missing:
        return "\n".join([*lines, "Nothing is missing."])
    lines.append("Missing:")
    for entry in report.missing:
        lines += [f"  {entry.what}", f"    for:  {entry.why}", f"    cure: {entry.cure}"]
    return "\n".join(lines)


def page(report: Report) -> Page:
    """The same lines as a report."""
    return Page("pairproof doctor", [Code(render(report))])
