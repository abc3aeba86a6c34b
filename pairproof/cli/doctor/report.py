"""The doctor's report: as a dataclass, as a JSON object and as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...report.blocks import Code, Page

Kind = Literal["python", "rpy2", "r", "r-package"]


@dataclass(frozen=True)
class Missing:
    """Something that is not installed, or not in a version that works.

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
        As R writes it, "4.2.2"; None if R started but did not report it.
    home : str or None
        R's own ``R.home()``.
    blas : str or None
        The BLAS library it uses, if the worker could find out.
    usable : bool
        Whether pairproof's worker process can run it.
    reason : str or None
        Why it cannot, in one sentence.
    """

    version: str | None
    home: str | None
    blas: str | None
    usable: bool
    reason: str | None


@dataclass(frozen=True)
class Report:
    """The result of :func:`examine`; versions are text, None for what is not installed."""

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
    """The report as a few lines of text, with what to install last."""
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
    """The same lines as a page of a report."""
    return Page("pairproof doctor", [Code(render(report))])
