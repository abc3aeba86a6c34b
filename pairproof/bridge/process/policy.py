"""Decides where the answer to an R call comes from: live R, its record, or both, compared.

========== ====================================================================================
mode       a call is answered
========== ====================================================================================
None       by live R if R and the packages needed are installed, else from its record; the result says which
live       by live R; nothing is read from records
recorded   from its record; R is never started
both       by live R, and compared with its record; a difference that matters is raised as RDrift
none       not at all: RUnavailable is raised
========== ====================================================================================

By default the environment variables PAIRPROOF_R and PAIRPROOF_RECORD give the mode (default None) and
``record``.  ``record="once"`` records live answers that had no record, or one made by other versions;
``"all"`` records every live answer again.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union, get_args

from ...errors import InputError, RDrift, RUnavailable
from ..records.calls import Answer, AnswersR, Drift, RCall, RResult, RSessionInfo
from ..records.drift import drift, floor_for, matters, part_of, said_of_words
from ..records.record_files import Record, Records, scrubbed
from .session import RSession, session

Mode = Literal["live", "recorded", "both", "none"]
#: Digits that a live number must share with its record. Another BLAS changes gnm and glm by 3e-13 (12.5
#: digits); functions whose algorithm stops before the last digits have lower floors in `drift_floors.toml`.
DRIFT_FLOOR = 9.0


def _check(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(repr(a) for a in allowed)}")


@dataclass(frozen=True)
class Backend(AnswersR):
    """A policy that decides where the answers to R calls come from; the module describes the modes.

    live: default: the session of this process.  drift_floor: digits that a number must share with the record
    in mode "both", else it is an error; `drift_floors.toml` lists functions that need fewer.
    """

    mode: Mode | None = None
    record: Literal["once", "all"] | None = None
    records: Records = field(default_factory=Records)
    live: RSession | None = None
    drift_floor: float = DRIFT_FLOOR

    def __post_init__(self) -> None:
        _check("mode", self.mode, (*get_args(Mode), None))
        _check("record", self.record, ("once", "all", None))
        if self.record is not None and self.mode in ("recorded", "none"):
            raise ValueError(f"record={self.record!r} needs live R, but mode is {self.mode!r}")

    def ask(self, call: RCall, timeout: float | None = None) -> RResult:
        """Answer a call as the mode says."""
        if self.mode == "none":
            raise RUnavailable(f'{call.name}: R is not asked in mode "none"')
        if self.mode == "recorded":
            return self._replay(call, 'the mode is "recorded"')
        why_not = self._session().missing(call.needs)
        if why_not is None:
            return self._live(call, timeout)
        if self.mode is None:
            return self._replay(call, why_not)
        raise RUnavailable(f"{call.name}: {why_not}")

    def _session(self) -> RSession:
        return session() if self.live is None else self.live

    def _live(self, call: RCall, timeout: float | None) -> RResult:
        comparing = self.mode == "both"
        old = self.records.find(call) if comparing or self.record is not None else None
        if comparing and old is None and self.record is None:
            old = self.records.get(call, 'the mode is "both", and there is nothing to compare it with')
        r = self._session()
        info = r.info()
        current = old is not None and same_versions(old, info, call.needs)
        if old is not None and current and self.record == "once" and not comparing:
            return replayed(old, call, "")
        answer = r.answer(call, timeout)
        differences = [] if old is None else drift(old.answer, scrubbed(answer, r.places()), call.name)
        if comparing and old is not None:
            self._refuse(
                call, old, matters(differences, self.drift_floor, call.name, versions_of(info), call.key)
            )
        if self.record == "all" or self.record == "once" and not current:
            self.records.write(call, answer, info, r.places())
        return answer.result(call, "live", info, drift=tuple(differences), beside=said_of_words(differences))

    def _refuse(self, call: RCall, old: Record, differences: list[Drift]) -> None:
        if differences:
            lines = "".join(f"\n  {d}{self._asked(call, d)}" for d in differences[:12])
            more = f"\n  and {len(differences) - 12} more" if len(differences) > 12 else ""
            raise RDrift(
                f"{call.text}: the answer of R {self._session().info().r_version} differs from the record of "
                f"{old.when} by R {old.session.r_version}{lines}{more}"
            )

    def _asked(self, call: RCall, difference: Drift) -> str:
        if difference.digits is None:
            return ""
        return f"; floor {floor_for(call.name, part_of(difference.field), self.drift_floor, call.key):g}"

    def _replay(self, call: RCall, why: str) -> RResult:
        return replayed(self.records.get(call, f"R itself was not asked: {why}"), call, why)


def versions_of(info: RSessionInfo) -> dict[str, str | None]:
    """The versions of R, as "R", and of its packages."""
    return {**info.packages, "R": info.r_version}


def replayed(record: Record, call: RCall, why: str) -> RResult:
    """The result in a record; if R stopped with an error when it was made, that error is raised."""
    note = f"recorded {record.when} with R {record.session.r_version}" + (f"; not live: {why}" if why else "")
    answer: Answer = record.answer
    return answer.result(call, "recorded", record.session, when=record.when, note=note)


def same_versions(record: Record, info: RSessionInfo, needs: Sequence[str]) -> bool:
    """Whether the record was made by the versions of R and its packages that are installed."""
    return record.session.r_version == info.r_version and all(
        record.session.packages.get(p) == info.packages.get(p) for p in needs
    )


BackendLike = Union[Backend, Mode, None]
_current: contextvars.ContextVar[Backend | None] = contextvars.ContextVar("pairproof_backend", default=None)


def backend(mode: BackendLike = None) -> Backend:
    """The policy for the `backend` argument of a call.

    Parameters
    ----------
    mode : Backend, or one of "live", "recorded", "both", "none", optional
        Default: that of the innermost :func:`using`, else that of the environment.
    """
    if isinstance(mode, Backend):
        return mode
    if mode is None:
        return _current.get() or environment_backend()
    return Backend(mode)


def environment_backend() -> Backend:
    """The policy of the environment: PAIRPROOF_R (a mode) and PAIRPROOF_RECORD ("once" or "all")."""
    mode: Any = os.environ.get("PAIRPROOF_R") or None
    record: Any = os.environ.get("PAIRPROOF_RECORD") or None
    try:
        return Backend(mode, record=record)
    except ValueError as error:
        raise InputError(f"PAIRPROOF_R is {mode!r} and PAIRPROOF_RECORD is {record!r}: {error}") from None


@contextlib.contextmanager
def using(policy: BackendLike) -> Iterator[Backend]:
    """Within the block, calls without a `backend` argument use this policy (per thread and task).

    >>> with using(Backend("live", record="once")):  # doctest: +SKIP
    ...     fit = gnm("y ~ x", data)
    """
    chosen = policy if isinstance(policy, Backend) else Backend(policy)
    token = _current.set(chosen)
    try:
        yield chosen
    finally:
        _current.reset(token)
