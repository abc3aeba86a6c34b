"""pattnpml.fit: in R, from the seed that it used.

It mixes cells of the table of patterns, those that nobody gave among them, and not persons (defect B17), so
that no model of `fit_latent_classes` has its likelihood. Its seed is the time of day unless stated; the
record has the one used. `tol` and `startp` have no effect in prefmod. With one class it drops `random` and
is a Poisson model of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.formulas import checked
from .....bridge.values.values import RLang, RList
from .....errors import FormulaError, InputError
from ....verdicts.agreement import Agreement
from ...code.expressions import Call
from ...code.frames import frame_call
from ..registry import translates
from ..rows import SAME, at, named, row, rows_of
from ..translation import Context, Translation, outside
from .bridged import AGAIN
from .table import count, scalar

REASON = (
    "it mixes cells of the table of patterns, not persons; fit_latent_classes has classes of persons, another"
    " model"
)


@translates("prefmod::pattnpml.fit")
def npml(call: RecordedCall, context: Context) -> Translation:
    """Latent classes of cells."""
    design = call.values.get("design")
    if not isinstance(design, RList):
        design = call.frame("design")
    if not isinstance(design, RList):
        return outside("its design was not recorded")
    try:
        texts = [_formula(call, "formula"), _formula(call, "random") or "~1"]
        frame = frame_call(design, call.variable)
    except (FormulaError, InputError) as error:
        return outside(f"its table or formula has no plain form: {error}")
    k = count(call, "k", 1)
    if k < 2:
        code = Call("pairproof.bridge.prefmod.fit_design", (texts[0], frame))
        reason = "with one class prefmod drops the random terms: a Poisson model of the table of patterns"
        return Translation("bridge", code, reason=reason, speaks="r", judge=_judge_one(call))
    seed = call.number("seed_used")
    if seed is None:
        return outside("the seed that it used was not recorded")
    options: dict[str, Any] = {
        "EMmaxit": count(call, "EMmaxit", 500),
        "EMdev_change": float(scalar(call, "EMdev.change", 0.001)),
        "seed": int(seed),
    }
    notes = (
        ()
        if "seed" in call.values
        else ("R took the seed from the time of day; this script states the one of that run",)
    )
    code = Call("pairproof.bridge.prefmod.pattnpml_fit", (*texts, k, frame), options)
    return Translation("bridge", code, reason=REASON, notes=notes, speaks="r", judge=_judge(call))


def _formula(call: RecordedCall, argument: str) -> str:
    """A formula as it may go back to R: one line, checked; "" where it was not given."""
    value = call.values.get(argument)
    if not isinstance(value, RLang):
        return ""
    return checked(" ".join(value.text.split()), argument)


def _judge(call: RecordedCall) -> Any:
    def judge(model: Any) -> Sequence[Agreement]:
        r = {n: v for n, v in named(call.vector("coef")).items() if not n.startswith("z")} or named(
            call.vector("coef")
        )
        rows = rows_of(
            "coef", model.params(), r, call.function, least=SAME, why=AGAIN, places=at("coef", model.names)
        )
        for name, place, value in (
            ("disparity", "disparity", model.disparity),
            ("deviance", "deviance", model.deviance),
            ("loglik", "loglik", model.loglik),
            ("em_iter", "iterations", float(model.iterations)),
        ):
            theirs = call.number(name)
            if theirs is not None:
                rows.append(row(name, value, theirs, call.function, least=SAME, why=AGAIN, place=place))
        masses = call.vector("pis")
        if masses is not None:
            r_masses = {str(j + 1): float(v) for j, v in enumerate(masses.floats().ravel())}
            ours = {str(j + 1): float(v) for j, v in enumerate(np.ravel(model.masses))}
            rows += rows_of(
                "mass", ours, r_masses, call.function, least=SAME, why=AGAIN, places=at("masses", ours)
            )
        return rows

    return judge


def _judge_one(call: RecordedCall) -> Any:
    def judge(model: Any) -> Sequence[Agreement]:
        r = named(call.vector("coef"))
        rows = rows_of(
            "coef", model.params(), r, call.function, least=SAME, why=AGAIN, places=at("coef", model.names)
        )
        deviance = call.number("deviance")
        if deviance is not None:
            rows.append(
                row(
                    "deviance",
                    model.deviance,
                    deviance,
                    call.function,
                    least=SAME,
                    why=AGAIN,
                    place="deviance",
                )
            )
        return rows

    return judge
