"""Confidence limits without a normal approximation: bootstrap limits against boot's, profile limits against MASS's
confint and against constrained refits.

Both sides are given the same replicates and the same influence values, so no seed is in it.  confint interpolates the
profile by a spline and has 4 to 6 digits; a constrained refit, glm with the parameter held fixed by an offset, has 10.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....bridge.cells import count
from ....bridge.packages import boot, profiles
from ....native.hypotheses.profile import profile_intervals
from ....native.resampling.intervals import acceleration, bca, percentile
from ...r_answers.ask import Question
from ...r_answers.clustered import rows_of
from ..compared_with_r import Answer, Held, Place, digits_rows, rows_beside_r

if TYPE_CHECKING:
    from ....bridge.packages.boot import BootLimits
    from ....bridge.packages.profiles import ProfileLimits
    from ....bridge.process.policy import Backend
    from ....fit.fit import Fit
    from ...check import Checker
    from ...verdicts.agreement import Agreement

FloatArray = NDArray[np.float64]
PAPER = "inference"
BOOT, REFITS, CONFINT = "boot::boot.ci", "stats::glm, constrained refits", "MASS::confint"
#: Influence values whose acceleration is 0, and some that are skewed (acceleration .057).
INFLUENCE = {"symmetric": [-1.0, 1.0], "skewed": [-2.0, -1.0, 0.0, 0.0, 0.0, 3.0]}
#: The models whose profiles are taken: claim of the file, with differences of items beside the parameters.
PROFILED = {
    "dras-bradley-terry-model": (),
    "dras-davidson-model": (("A", "B"),),
    "davidson-model": (("A", "B"), ("D", "E")),
}


def rows(checker: Checker, backend: Backend) -> list[Agreement]:
    """Limits of a bootstrap, and of the profiles of three models."""
    found = _boot(backend)
    for claim, pairs in PROFILED.items():
        found += _profiles(claim, checker.fit(claim), pairs, backend)
    return found + _rao_kupper(checker.fit("rao-kupper-model"), backend)


# -- bootstrap -----------------------------------------------------------------------------------------------


def replicates() -> FloatArray:
    """999 replicates of an estimate .8, skewed to the right: .8 + .3 z + .05 (z^2 - 1), z normal quantiles."""
    from scipy.special import ndtri

    z = ndtri(np.arange(1, 1000) / 1000)
    out: FloatArray = 0.8 + 0.3 * z + 0.05 * (z**2 - 1.0)
    return out


def _boot(backend: Backend) -> list[Agreement]:
    t = replicates()
    ordered = np.sort(t)
    found: list[Agreement] = []
    for name, influence in INFLUENCE.items():
        a = acceleration(-np.array(influence))
        own = {"percentile": percentile(ordered, 0.95), "bca": bca(ordered, 0.8, a, 0.95)}
        place = Place(PAPER, f"bootstrap-{name}", f"999 replicates, influence values {influence}")

        def answered(
            answer: Answer[BootLimits], own: dict[str, tuple[float, float]] = own
        ) -> list[Agreement]:
            r = {"percentile": answer.value.percentile, "bca": answer.value.bca}
            held = [
                Held(f"limit_{side}.{method}", own[method][k], float(r[method][k]), BOOT)
                for method in own
                for k, side in enumerate(("low", "high"))
            ]
            return digits_rows(place, held, answer.result)

        ask = partial(boot.boot_ci, 0.8, t, influence, backend=backend)
        found += rows_beside_r(place, {name: None}, BOOT, "bootstrap limits", backend, ask, answered)
    return found


# -- profiles ------------------------------------------------------------------------------------------------


def _profiles(claim: str, fit: Fit, pairs: tuple[tuple[str, str], ...], backend: Backend) -> list[Agreement]:
    names, functions = _functions(fit, pairs)
    low, high = profile_intervals(fit, functions)
    place = Place(PAPER, f"profile-{claim}", f"{fit.title}: profile likelihood, 95 %")
    rows, of_r, _ = rows_of(Question(fit, count(fit), backend))
    asked = functions[:, [fit.names.index(name) for name in of_r]]

    def answered(
        answer: Answer[ProfileLimits], r_call: str = REFITS, order: tuple[str, ...] = names
    ) -> list[Agreement]:
        return digits_rows(place, _held(names, low, high, order, answer.value, r_call), answer.result)

    said = f"profile limits of {', '.join(names)}"
    refits = partial(profiles.constrained_refits, rows, asked, backend=backend)
    spline = partial(profiles.confint, rows, backend=backend)
    return rows_beside_r(place, {"refits": None}, REFITS, said, backend, refits, answered) + rows_beside_r(
        place,
        {"confint": None},
        CONFINT,
        said,
        backend,
        spline,
        partial(answered, r_call=CONFINT, order=of_r),
    )


def _rao_kupper(fit: Fit, backend: Backend) -> list[Agreement]:
    """Of polr confint alone, and nothing of the threshold: it has two, and profiles none."""
    names, functions = _functions(fit, ())
    low, high = profile_intervals(fit, functions)
    place = Place(PAPER, "profile-rao-kupper-model", f"{fit.title}: profile likelihood, 95 %")
    rows, of_r, _ = rows_of(Question(fit, count(fit), backend))

    def answered(answer: Answer[ProfileLimits]) -> list[Agreement]:
        return digits_rows(place, _held(names, low, high, of_r, answer.value, CONFINT), answer.result)

    ask = partial(profiles.confint, rows, backend=backend)
    return rows_beside_r(place, {"confint": None}, CONFINT, "profile limits of polr", backend, ask, answered)


def _functions(fit: Fit, pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], FloatArray]:
    """Every free parameter and some differences of items: their names, and float[m, n_params]."""
    unit = np.eye(len(fit.names))
    place = {name: k for k, name in enumerate(fit.names)}
    free = [name for name, is_reference in zip(fit.names, fit.is_reference) if not is_reference]
    functions = [unit[place[name]] for name in free] + [unit[place[a]] - unit[place[b]] for a, b in pairs]
    return (*free, *(f"{a}-{b}" for a, b in pairs)), np.array(functions)


def _held(
    names: tuple[str, ...],
    low: FloatArray,
    high: FloatArray,
    order: tuple[str, ...],
    r: ProfileLimits,
    r_call: str,
) -> Iterator[Held]:
    """Limits by name; R has them in `order`, and of some names none.  Errors are measured by the interval."""
    for k, name in enumerate(order[: len(r.low)]):
        at = names.index(name)
        width = float(high[at] - low[at])
        yield Held(f"limit_low.profile.{name}", float(low[at]), float(r.low[k]), r_call, width)
        yield Held(f"limit_high.profile.{name}", float(high[at]), float(r.high[k]), r_call, width)
