"""The R session of this process: one worker, started when first needed and started again after it has died.

``session()`` returns it; it runs one call at a time.  ``probe()`` reports whether R can be used and, if not,
why; it never raises.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputError, RCrashed, RUnavailable
from ...files.r_startup import not_read
from ..records.calls import Answer, AnswersR, RCall, RResult, RSessionInfo, answer_of
from ..values.nodes import RList, RVector, from_node
from .cures import r_package, release, start_cure
from .process import PACKAGES, RProcess, StartFailed

#: Default time limit of a call in seconds (environment variable PAIRPROOF_R_TIMEOUT).
DEFAULT_SECONDS = 600.0
#: Largest time limit, 31 years; beyond about 292 years Python's clocks overflow.
MOST_SECONDS = 1e9
#: For each package the oldest version that is used, and what is wrong in older ones, which are treated as not
#: installed so that records replace them. (Source: gnm's NEWS for 1.1-3; observed with 1.1-2: NA for
#: parameters that are estimable.)
OLDEST = {"gnm": ("1.1-3", "with checkLinear = FALSE and eliminate it loses estimable parameters")}


class RSession(AnswersR):
    """A session with R in a worker process, which the first call starts.

    Safe to share between threads: calls wait for each other.  A fork of this process must not use it;
    ``session()`` there makes a new one.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = environment
        self._lock = threading.RLock()
        self._process: RProcess | None = None
        self._info: RSessionInfo | None = None
        self._places: tuple[tuple[str, str], ...] = ()
        self._failure: RUnavailable | None = None
        #: Lasting changes that a call had made in the last worker, which was replaced because of them.
        self.poisoned: tuple[str, ...] = ()

    def ask(self, call: RCall, timeout: float | None = None) -> RResult:
        """Run a call and return its result; R's own error is raised."""
        return self.answer(call, timeout).result(call, "live", self.info())

    def answer(self, call: RCall, timeout: float | None = None) -> Answer:
        """Run a call and return its outcome, in which R's own error is a value; only a missing answer is
        raised.

        If the call has made lasting changes in the worker (to functions of R, to the search path), the worker
        is ended, and the next call starts a new one.
        """
        seconds = default_seconds() if timeout is None else _seconds(timeout, "timeout")
        with self._lock:
            missing = self.missing(call.needs)
            if missing is not None:
                raise RUnavailable(f"{call.name}: {missing}")
            node, stderr = self._running().ask(call.request(), seconds)
            try:
                answer, reasons = answer_of(node, stderr)
            except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
                self.close()
                raise RCrashed(
                    f"the R process answered {call.name} with something that is not a reply"
                    f" ({type(error).__name__}: {str(error)[:80]}); it was ended, and the next call starts a"
                    " new one"
                ) from None
            if reasons:
                self.close()
                self.poisoned = reasons
            return answer

    def info(self) -> RSessionInfo:
        """Versions and settings of R, which is started for it."""
        with self._lock:
            if self._info is None:
                self._running()
            assert self._info is not None
            return self._info

    def places(self) -> tuple[tuple[str, str], ...]:
        """(path, word for it): the machine's paths that R knows, longest first, kept out of records."""
        self.info()
        return self._places

    def missing(self, needs: Sequence[str] = ()) -> str | None:
        """Why a call that needs these packages cannot run live, with the cure; None if it can."""
        try:
            packages = self.info().packages
        except RUnavailable as error:
            return str(error)
        absent = [p for p in needs if packages.get(p, "not asked") is None]
        if absent:
            hint = not_read(os.environ if self._environment is None else self._environment)
            return (
                f"R package {', '.join(absent)} is not installed;"
                f" {'; '.join(r_package(p) for p in absent)}{f' ({hint})' if hint else ''}"
            )
        reasons = [reason for p in needs if (reason := _too_old(p, packages.get(p)))]
        return "; ".join(reasons) or None

    @property
    def pid(self) -> int | None:
        """The worker's process id; None if none runs."""
        return self._process.pid if self._process is not None and self._process.alive() else None

    @property
    def log(self) -> list[str]:
        """The last lines that R, its C code and the programs it started wrote to standard error."""
        return [] if self._process is None else list(self._process.log)

    def close(self) -> None:
        """End the worker; the next call starts a new one."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process = None

    def forget_failure(self) -> None:
        """Let the next call try to start R again, for example after something was installed."""
        with self._lock:
            self._failure, self._info = None, None

    def __enter__(self) -> RSession:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _running(self) -> RProcess:
        if self._process is not None and not self._process.alive():
            self.close()
        if self._process is None:
            if self._failure is not None:
                raise self._failure
            try:
                self._process = RProcess(self._environment)
            except StartFailed as error:
                self._failure = RUnavailable(f"{error}\n  cure: {start_cure(error.kind, error.text)}")
                raise self._failure from None
            self._info, self._places = _read_about(self._process.about)
        return self._process


_sessions: dict[int, RSession] = {}
_sessions_lock = threading.Lock()


def session() -> RSession:
    """This process's session (a fork has its own)."""
    with _sessions_lock:
        me = os.getpid()
        if me not in _sessions:
            _sessions[me] = RSession()
            atexit.register(_sessions[me].close)
        return _sessions[me]


def default_seconds() -> float:
    """The default time limit of a call in seconds: PAIRPROOF_R_TIMEOUT, or 600."""
    text = os.environ.get("PAIRPROOF_R_TIMEOUT")
    return DEFAULT_SECONDS if text is None else _seconds(text, "PAIRPROOF_R_TIMEOUT")


def _seconds(given: str | float, name: str) -> float:
    try:
        seconds = float(given)
    except (TypeError, ValueError, OverflowError):
        seconds = -1.0
    if not 0 < seconds <= MOST_SECONDS:
        raise InputError(
            f"{name} is {str(given)[:40]!r}; expected seconds, a number above 0 and at most"
            f" {MOST_SECONDS:.0e}"
        )
    return seconds


@dataclass(frozen=True)
class RStatus:
    """The status of R on this machine: whether it can be used, with which versions, and if not why."""

    usable: bool
    why_not: str = ""
    cure: str = ""
    r_version: str | None = None
    r_home: str | None = None
    platform: str | None = None
    blas: str | None = None
    packages: Mapping[str, str | None] | None = None
    package_cures: Mapping[str, str] | None = None
    rpy2_version: str | None = None
    rpy2_rinterface_version: str | None = None


def probe(environment: Mapping[str, str] | None = None) -> RStatus:
    """Start R in a child process, ask for its versions, and end it.  Never raises."""
    nothing: dict[str, str | None] = {p: None for p in PACKAGES}
    try:
        process = RProcess(environment)
    except Exception as error:  # anything that may be wrong with the machine
        why, cure = f"{type(error).__name__}: {error}", "see the message"
        if isinstance(error, StartFailed):
            why, cure = str(error), start_cure(error.kind, error.text)
        return RStatus(False, why, cure, packages=nothing, package_cures={})
    process.kill()
    info, places = _read_about(process.about)
    versions = process.about["rpy2"]
    return RStatus(
        True,
        r_version=info.r_version,
        r_home=next((path for path, word in places if word == "<R_HOME>"), None),
        platform=info.platform,
        blas=info.blas,
        packages=info.packages,
        package_cures={p: r_package(p) for p, version in info.packages.items() if version is None},
        rpy2_version=versions.get("rpy2"),
        rpy2_rinterface_version=versions.get("rpy2-rinterface"),
    )


def _too_old(package: str, version: str | None) -> str:
    """The reason why this version of a package is not used, and the command that helps; "" if it is used."""
    if package not in OLDEST or version is None:
        return ""
    oldest, why = OLDEST[package]
    if release(version) >= release(oldest):
        return ""
    cure = r_package(package, too_old=True)
    return f"R package {package} {version} is too old: {why}; {oldest} or later: {cure}"


def _read_about(about: Mapping[str, Any]) -> tuple[RSessionInfo, tuple[tuple[str, str], ...]]:
    value = from_node(about["info"])
    assert isinstance(value, RList)
    one = {
        name: value.vector(name).scalar()
        for name in ("r_version", "r_string", "platform", "blas", "lapack", "lapack_version", "os", "locale")
    }
    info = RSessionInfo(
        **one, rng=tuple(value.vector("rng").values), packages=value.vector("packages").by_name()
    )
    words = {"library": "<library>", "r_home": "<R_HOME>", "tmp": "<tmp>", "wd": "<wd>", "home": "<home>"}
    found: RList = value["places"]
    places = {
        str(path): words[name]
        for name, item in zip(found.names or (), found.values)
        if isinstance(item, RVector)
        for path in item.values
        if len(str(path)) > 1
    }
    return info, tuple(sorted(places.items(), key=lambda pair: -len(pair[0])))
