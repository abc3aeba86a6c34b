"""Versions of pairproof, Python, R and its packages, and which of them are absent: for the head of a report."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...bridge.process.policy import Backend
    from ...bridge.process.session import RSession

#: R packages whose functions are held against native fits.
ASKED = ("prefmod", "gnm", "BradleyTerry2", "psychotools", "MASS")


def further_packages(r_calls: Iterable[str | None]) -> tuple[str, ...]:
    """R packages beyond `ASKED` that these calls name, "sandwich" of "sandwich::vcovCL"."""
    from ...bridge.process.process import PACKAGES

    named = {call.partition("::")[0] for call in r_calls if call}
    return tuple(package for package in PACKAGES if package in named and package not in ASKED)


def absences(backend: Backend, further: Sequence[str] = ()) -> dict[str, str]:
    """What should answer live and is not installed: "R" or an R package, with the reason and the cure.

    `further` are packages beyond `ASKED` that were asked too.
    """
    if backend.mode in ("recorded", "none"):
        return {}
    session = backend.live if backend.live is not None else _own_session()
    without_r = session.missing()
    if without_r is not None:
        return {"R": " ".join(without_r.split())}
    found = {package: session.missing((package,)) for package in (*ASKED, *further)}
    return {package: why for package, why in found.items() if why is not None}


def versions(backend: Backend, further: Sequence[str] = ()) -> dict[str, str | None]:
    """Versions of pairproof, Python and numpy, and of R and its packages: those that run, else those recorded."""
    asked = (*ASKED, *further)
    import numpy

    import pairproof

    from ...errors import RUnavailable

    found: dict[str, str | None] = {
        "pairproof": pairproof.__version__,
        "Python": platform.python_version(),
        "numpy": numpy.__version__,
    }
    if backend.mode == "none":
        return found
    if backend.mode != "recorded":
        session = backend.live if backend.live is not None else _own_session()
        try:
            info = session.info()
        except RUnavailable:
            return {**found, **_recorded(backend, asked)}
        absent = {
            p: v for p, v in _recorded(backend, asked).items() if p in asked and info.packages.get(p) is None
        }
        return {**found, "R": info.r_version, **{p: info.packages.get(p) for p in asked}, **absent}
    return {**found, **_recorded(backend, asked)}


def _recorded(backend: Backend, asked: Sequence[str]) -> dict[str, str | None]:
    """Versions of R and its packages in the records; if records differ, all of them."""
    seen: dict[str, dict[str, None]] = {}
    for record in backend.records.all():
        seen.setdefault("R", {}).setdefault(record.session.r_version)
        for package, version in record.session.packages.items():
            if package in asked and version is not None:
                seen.setdefault(package, {}).setdefault(version)
    return {name: f"{' and '.join(seen[name])} (recorded)" for name in ("R", *asked) if name in seen}


def _own_session() -> RSession:
    from ...bridge.process.session import session

    return session()
