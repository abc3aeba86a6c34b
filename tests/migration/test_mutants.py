"""Recorded runs whose numbers of R are changed: a migration must not call them equal, and says so by exit code 1.

Whether a change is noticed is asked of every translator of which records are kept, for fits of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pytest

from pairproof.bridge.capture.recorded import RecordedCall
from pairproof.bridge.values.nodes import RVector
from pairproof.migration.migrate import translators
from pairproof.migration.outcome import Migration
from pairproof.migration.translate.translation import NUMBERS, Context, Step, not_compared, tried
from tests.migration.made import a_run
from tests.migration.translate import recorded as others
from tests.migration.translate.bradleyterry2 import league
from tests.migration.translate.designs import recorded as designs
from tests.migration.translate.prefmod import made as prefmod

pytestmark = pytest.mark.xdist_group("numbers of R changed")

#: Runs that are kept, each of several fits.
RUNS: Mapping[str, Callable[[], tuple[RecordedCall, ...]]] = {
    "league": league.calls,
    "others": others.calls,
    "llbt": lambda: prefmod.calls_of("llbt"),
    "patterns": lambda: prefmod.calls_of("patterns"),
    **{
        name: (lambda n=name: tuple(designs.recorded(n).values()))
        for name in ("binomial", "poisson", "ordered")
    },
}
#: Fits of a translator that are mutated, the first ones of a run: the others are of the same judges.
MOST = 2
#: R's own stop leaves a thousandth of a coefficient within its floor: llbt.fit and pladmm (a change of 1e-4),
#: polr (BFGS, a relative change of 1e-8), nlm (patt*.fit). Signs and exchanged items are noticed.
COARSE = ("prefmod::llbt.fit", "PlackettLuce::pladmm", "MASS::polr", "prefmod::patt")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A call and its Python value."""

    call: RecordedCall
    value: Any

    def numbers(self, call: RecordedCall) -> list[float | None]:
        """R's numbers in the rows."""
        translation = translators()[call.function](call, Context(a_run([call])))
        return [a.r for a in translation.judge(self.value)]

    def exit_code(self, call: RecordedCall) -> int:
        """Of a migration in which R gave the numbers of `call`; 1 too if it then stays in R, which is said with why."""
        translation = translators()[call.function](call, Context(a_run([call])))
        if translation.route != "native":
            assert translation.reason
            return 1
        step = Step(call, translation, self.value, tuple(translation.judge(self.value)))
        return Migration(a_run([call]), (step,)).exit_code


@lru_cache(maxsize=None)
def fits(run: str) -> tuple[Fitted, ...]:
    """Native fits of a run whose numbers agree, at most MOST of a function."""
    found: list[Fitted] = []
    for call in RUNS[run]():
        if call.error or call.helper or call.fits or "coef" not in call.result:
            continue
        if call.function not in translators() or sum(f.call.function == call.function for f in found) >= MOST:
            continue
        translation = translators()[call.function](call, Context(a_run([call])))
        if translation.route != "native" or translation.code is None:
            continue
        value, refused = tried(translation.code)
        assert not refused
        rows = translation.judge(value)
        # What is explained, or cannot be had, has tests of its own.
        if {a.verdict for a in rows} <= {"agrees", "explained"}:
            found.append(Fitted(call, value))
    return tuple(found)


def changed(call: RecordedCall, name: str, change: Callable[[Any], Any]) -> RecordedCall:
    """The call, R's numbers of a name changed."""
    vector = call.result[name]
    assert isinstance(vector, RVector)
    return replace(call, result={**call.result, name: replace(vector, values=change(vector.floats().copy()))})


def compared(fitted: Fitted) -> list[int]:
    """Places of the coefficients that rows are about, the largest first: others are constants of contests, which a fit has
    not.
    """
    vector = fitted.call.result["coef"]
    assert isinstance(vector, RVector)
    values, rows = vector.floats(), fitted.numbers(fitted.call)

    def moved(k: int) -> Any:
        return lambda v: np.where(np.arange(v.size) == k, values.ravel()[k] + 0.125, v.ravel()).reshape(
            v.shape
        )

    known = [k for k in range(values.size) if np.isfinite(values.ravel()[k])]
    found = [k for k in known if fitted.numbers(changed(fitted.call, "coef", moved(k))) != rows]
    return sorted(found, key=lambda k: -abs(float(values.ravel()[k])))


def scaled(values: Any, at: list[int]) -> Any:
    values.ravel()[at[0]] *= 1.001
    return values


def turned(values: Any, at: list[int]) -> Any:
    values.ravel()[at[0]] *= -1.0
    return values


def exchanged(values: Any, at: list[int]) -> Any:
    flat = values.ravel()
    other = max(at, key=lambda k: abs(flat[k] - flat[at[0]]))
    flat[[at[0], other]] = flat[[other, at[0]]]
    return values


#: What is changed, in which recorded number, and by what a reader knows it.
MUTANTS: Mapping[str, tuple[str, Callable[[Any, list[int]], Any]]] = {
    "a coefficient by a thousandth": ("coef", scaled),
    "a sign": ("coef", turned),
    "two items": ("coef", exchanged),
    "the covariance by a tenth": ("vcov", lambda v, at: np.where(np.isfinite(v), 1.1, 1.0) * v),
    "the deviance by a thousandth": ("deviance", lambda v, at: 1.001 * v),
    "the log-likelihood by a thousandth": ("loglik", lambda v, at: 1.001 * v),
    "one degree of freedom": ("df_residual", lambda v, at: v + 1.0),
    "one degree of freedom of the null model": ("df_null", lambda v, at: v + 1.0),
    "the null deviance by a thousandth": ("null_deviance", lambda v, at: 1.001 * v),
    "AIC by a thousandth": ("aic", lambda v, at: 1.001 * v),
}


def named_as_not_compared(fitted: Fitted, name: str) -> bool:
    """Whether the report says that this number is not compared."""
    translation = translators()[fitted.call.function](fitted.call, Context(a_run([fitted.call])))
    return NUMBERS[name][0] in not_compared(fitted.call, translation.judge(fitted.value))


def mutants(run: str) -> Iterator[tuple[str, Fitted, str, RecordedCall]]:
    for fitted in fits(run):
        at = compared(fitted)
        for what, (name, change) in MUTANTS.items():
            vector = fitted.call.result.get(name)
            if not isinstance(vector, RVector) or not np.isfinite(vector.floats()).any():
                continue
            if name == "loglik" and "ll" in fitted.call.result:
                continue  # prefmod's patt*.fit: what logLik() makes of the stored `ll`, which is compared
            yield what, fitted, name, changed(fitted.call, name, partial(change, at=at))


@pytest.mark.nightly
@pytest.mark.parametrize("run", RUNS)
def test_a_changed_number_of_r_ends_a_migration_with_1_or_is_named_as_not_compared(run):
    found = list(mutants(run))
    assert len(found) >= 10
    missed = [
        f"{f.call.function} {f.call.variable or f.call.text[:60]}: {what}"
        for what, f, name, call in found
        if not named_as_not_compared(f, name)
        and f.exit_code(call) != 1
        and not (what == "a coefficient by a thousandth" and f.call.function.startswith(COARSE))
    ]
    assert missed == []


@pytest.mark.parametrize("run", RUNS)
def test_the_numbers_of_r_as_they_are_end_a_migration_with_0(run):
    assert {f.exit_code(f.call) for f in fits(run)} == {0}


def test_a_coefficient_that_is_lost_ends_a_migration_with_1_or_leaves_it_to_r():
    for fitted in fits("binomial"):
        vector = fitted.call.result["coef"]
        assert isinstance(vector, RVector) and vector.names is not None
        values, na, lost = vector.floats().copy(), vector.na.copy(), compared(fitted)[0]
        values[lost], na[lost] = np.nan, True
        call = replace(
            fitted.call, result={**fitted.call.result, "coef": replace(vector, values=values, na=na)}
        )
        translation = translators()[call.function](call, Context(a_run([call])))
        if translation.route != "native" or translation.code is None:
            continue
        value, refused = tried(translation.code)
        assert refused or Fitted(call, value).exit_code(call) == 1
