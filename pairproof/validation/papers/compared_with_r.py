"""Numbers that no fit has, compared with R: R's answer, or why there is none, and a row of the report for each
number or each case.

Numbers are compared with R in digits, with the floors of floors.toml.  Means of draws have no digits to
compare: they are judged by what their own draws leave uncertain, one row a case, whose `digits` stay empty.

With a and b the two programs' posterior means and their Monte Carlo standard errors, z = (a - b) /
sqrt(se_a^2 + se_b^2) is about standard normal if both sample the same posterior.  Of k quantities all |z|
must lie below the two-sided normal point of false_alarm / k (Bonferroni), so a right sampler fails a whole
comparison with probability false_alarm at most. An error of d standard errors in one quantity is seen with
probability P(|N(d, 1)| > that point): `visible` is the difference that would be seen with probability 0.9,
so it says how much an agreement shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike

from ...bridge.packages.multcomp import ManyComparisons
from ...bridge.process.policy import Backend
from ...bridge.records.calls import RResult
from ...errors import InputError, PairproofError, RDrift, RError
from ...fit.estimates.array_inference import normal_quantile
from ...fit.many.comparison_results import Contrasts
from ...numerics.arrays import FloatArray
from ..claims.quantities import Quantity
from ..verdicts.agreement import Agreement, Verdict
from ..verdicts.verdict import judge_digits

#: Of a whole comparison.
FALSE_ALARM = 0.001
POWER = 0.9


@dataclass(frozen=True, eq=False)
class SampledAgreement:
    """Means of two samplers, with Monte Carlo errors of their differences: native, r, se float[n]."""

    names: tuple[str, ...]
    native: FloatArray
    r: FloatArray
    se: FloatArray
    limit: float

    @property
    def z(self) -> FloatArray:
        """float[n]"""
        return (self.native - self.r) / self.se

    @property
    def agrees(self) -> bool:
        return bool(np.all(np.abs(self.z) <= self.limit))

    @property
    def visible(self) -> FloatArray:
        """float[n]: a difference of this size would be seen with probability 0.9."""
        return (self.limit + normal_quantile(POWER)) * self.se

    def __str__(self) -> str:
        rows = [
            f"{name}: native {a:.5f}, R {b:.5f}, z {z:+.2f} (Monte Carlo standard error {s:.5f};"
            f" {v:.4f} would be detected)"
            for name, a, b, z, s, v in zip(self.names, self.native, self.r, self.z, self.se, self.visible)
        ]
        verdict = "agree" if self.agrees else "DIFFER"
        return "\n".join(
            [f"{verdict}: largest |z| {np.abs(self.z).max():.2f}, at most {self.limit:.2f}", *rows]
        )


def agree_sampled(
    names: Sequence[str],
    native: ArrayLike,
    native_mcse: ArrayLike,
    r: ArrayLike,
    r_mcse: ArrayLike,
    false_alarm: float = FALSE_ALARM,
) -> SampledAgreement:
    """Compare the means of two samplers.  native, native_mcse, r, r_mcse float[n]."""
    if not 0 < false_alarm < 1:
        raise InputError(f"false_alarm={false_alarm}; expected a probability between 0 and 1")
    a, sa, b, sb = (np.asarray(x, np.float64).ravel() for x in (native, native_mcse, r, r_mcse))
    if not len(names) or {len(a), len(sa), len(b), len(sb)} != {len(names)}:
        raise InputError(
            f"{len(names)} names, {len(a)} and {len(b)} means, {len(sa)} and {len(sb)} standard errors;"
            " expected the same number of each, at least 1"
        )
    se = np.sqrt(sa**2 + sb**2)
    if not (np.isfinite(se).all() and (se > 0).all()):
        k = int(np.flatnonzero(~(np.isfinite(se) & (se > 0)))[0])
        raise InputError(
            f"{names[k]}: Monte Carlo standard errors {sa[k]} and {sb[k]}; one of them must be > 0 and both"
            " finite"
        )
    return SampledAgreement(tuple(names), a, b, se, normal_quantile(1 - false_alarm / (2 * len(names))))


T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """Where rows stand: a paper's claim, and in words where that is."""

    paper: str
    claim: str
    where: str

    def row(self, quantity: str, **given: Any) -> Agreement:
        """A row that stands here."""
        name = Quantity.parse(quantity)
        return Agreement(self.paper, self.claim, name, where=self.where, about="native-r", **given)

    def data_not_here(self, why: NoAnswer, r_call: str) -> Agreement:
        """The row of a fit whose data are read in place and are not here."""
        said = {"verdict": why.verdict, "explanation": why.why, "code": why.code}
        return self.row("fit", r_call=r_call, **said)

    def native_did_not_run(self, error: PairproofError) -> Agreement:
        """The row of a fit that could not be made."""
        why = f"native did not run: {_one_line(error)}"
        return self.row("fit", verdict="not-run", code="native-not-run", explanation=why)


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What R said, and the call's own result: live or recorded, by which versions."""

    value: T
    result: RResult


@dataclass(frozen=True)
class NoAnswer:
    """Why R has no answer: not to be asked, could not be, or another answer than recorded."""

    verdict: Verdict
    code: str
    why: str


def answer_of_r(
    backend: Backend, ask: Callable[[], T], result: Callable[[T], RResult] = attrgetter("result")
) -> Union[Answer[T], NoAnswer]:
    """What `ask` returns, with R's result that is in it; or why R has no answer."""
    if backend.mode == "none":
        return NoAnswer("not-checkable", "not-asked", "R was not requested")
    try:
        value = ask()
        return Answer(value, result(value))
    except RDrift as error:
        return NoAnswer("differs", "drift", f"drift: {_one_line(error)}")
    except RError as error:
        return NoAnswer("not-run", "r-not-run", _one_line(error))


def in_place(data: str, package: str, also: str = "") -> str:
    """Why a row did not run whose data an R package has, and what to do; `also` is another way to give them."""
    return (
        f"the data are those of {data}, which may not be copied and are read by R, but R was not requested "
        f"(use --r live, or no --r if R and {package} are installed{also})"
    )


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


@dataclass(frozen=True)
class Held:
    """One number of native's and R's."""

    quantity: str
    native: float
    r: float
    r_call: str
    scale: float = 0.0

    def row(self, place: Place, result: RResult, **given: Any) -> Agreement:
        """Its row, with the verdict that is given."""
        of_r = {"r": self.r, "r_call": self.r_call, "r_source": result.source}
        return place.row(self.quantity, native=self.native, **of_r, **given)


def digits_rows(place: Place, numbers: Iterable[Held], result: RResult, said: str = "") -> list[Agreement]:
    """A row for each number; one with fewer digits than its floor differs."""
    rows = []
    for n in numbers:
        judged = judge_digits(n.quantity, n.native, n.r, n.scale, n.r_call)
        why = {"verdict": "differs", "explanation": judged.shortfall(n.r_call), "code": "few-digits"}
        if judged.enough:
            why = {"verdict": "agrees", "explanation": said, "code": ""}
        rows.append(n.row(place, result, digits=judged.digits, floor=judged.floor.digits, **why))
    return rows


def held_beside_r(
    place: Place,
    what: str,
    r_call: str,
    said: str,
    backend: Backend,
    ask: Callable[[], T],
    held: Callable[[T], Iterable[Held]],
    explanation: str = "",
) -> list[Agreement]:
    """A row for each number that native and R's answer have; without an answer, one for `what` that says why."""

    def rows(answer: Answer[T]) -> list[Agreement]:
        return digits_rows(place, held(answer.value), answer.result, explanation)

    return rows_beside_r(place, {what: None}, r_call, said, backend, ask, rows)


def bounded_row(place: Place, number: Held, bound: float, result: RResult, said: str) -> Agreement:
    """A row for a number that both sides integrate by points drawn at random: no further apart than `bound`."""
    apart = abs(number.native - number.r)
    verdict = "agrees" if apart <= bound else "differs"
    why = f"{said}: {apart:.1g} apart, at most {bound:.1g} allowed"
    return number.row(place, result, verdict=verdict, explanation=why, code="monte-carlo")


#: Errors of native's single-step p-values, in units of theirs (four standard errors of 1e5 points), and of
#: critical values.
OF_POINTS, OF_CRITICAL = 1e-3, 5e-3


def single_step_rows(
    place: Place, names: Sequence[str], own: Contrasts, answer: Answer[ManyComparisons], r_call: str
) -> Iterator[Agreement]:
    """Rows of all differences together: p-values and the critical value, integrals by points on both sides."""
    r = answer.value
    said = f"single-step, compared by the errors of both integrals (mvtnorm's own bound {r.error:.1g})"
    for name, adjusted, of_r in zip(names, own.adjusted.tolist(), r.single_step.tolist()):
        number = Held(f"test_p.single-step.{name}", adjusted, of_r, r_call)
        yield bounded_row(place, number, r.error + OF_POINTS, answer.result, said)
    said = f"critical value of the largest of {len(names)}, compared by the errors of both integrals"
    critical = Held("test_statistic.critical", own.critical, r.critical, r_call)
    yield bounded_row(place, critical, OF_CRITICAL, answer.result, said)


def rows_beside_r(
    place: Place,
    native: Mapping[str, float | None],
    r_call: str,
    said: str,
    backend: Backend,
    ask: Callable[[], T],
    rows: Callable[[Answer[T]], list[Agreement]],
    result: Callable[[T], RResult] = attrgetter("result"),
) -> list[Agreement]:
    """`rows` of R's answer; without one, a row for each number (None for several) that says why."""
    answer = answer_of_r(backend, ask, result)
    if isinstance(answer, Answer):
        return rows(answer)
    if answer.verdict == "not-checkable":  # not asked: a row that names an R call did not run in R
        call, why = None, "; ".join(filter(None, (said, answer.why)))
    else:
        call = r_call
        why = f"{r_call} did not run: {answer.why}" if answer.verdict == "not-run" else answer.why
    said_of_r = {"r_call": call, "verdict": answer.verdict, "explanation": why, "code": answer.code}
    return [place.row(name, native=value, **said_of_r) for name, value in native.items()]


def sampled_row(
    place: Place, quantity: str, found: SampledAgreement, result: RResult, what: str, seen: str = ""
) -> Agreement:
    """One row for a case, with the two numbers that lie furthest apart in Monte Carlo errors."""
    k = int(np.argmax(np.abs(found.z)))
    r_call = result.call.name
    packages = ", ".join(f"{p} {result.session.packages.get(p)}" for p in result.call.needs)
    # A record's note says when it was made, and why R was not asked live.
    source = _one_line(result.note) or f"{result.source}, R {result.session.r_version}"
    explanation = (
        f"{what}, compared by Monte Carlo error, not by digits: largest |z| {abs(found.z[k]):.2f}, at"
        f" {found.names[k]} (shown), at most {found.limit:.2f} allowed; a difference of"
        f" {found.visible.max():.2g}{f' ({seen})' if seen else ''} in any of them would be detected with"
        f" probability 0.9; {r_call} ({packages}; {source})"
    )
    number = Held(quantity, float(found.native[k]), float(found.r[k]), r_call)
    verdict = "agrees" if found.agrees else "differs"
    return number.row(place, result, verdict=verdict, explanation=explanation, code="sampled")
