"""anova of glm and gnm fits: `pairproof.anova(m0, m1)` where the fits are in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.values import RList, RVector
from .....errors import PairproofError
from .....fit.fit import Fit
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, Result
from ..registry import translates
from ..rows import in_column, row
from ..translation import Context, Step, Translation, outside

#: R takes deviances of fits that stopped at 1e-8 of their change: their difference has fewer digits than they
#: have.
LEAST, WHY = 7.0, "differences of deviances of fits that stopped at R's default"
ONE = (
    "anova of one fit adds R's columns one by one, an item alone among them, which is no hypothesis about the items;"
    " pairproof.anova(fit) adds whole terms"
)


@translates("stats::anova.glm", "stats::anova.glmlist", "gnm::anova.gnm")
def anova(call: RecordedCall, context: Context) -> Translation:
    """anova of several fits, each beside the one before."""
    steps = _models(call, context)
    if isinstance(steps, str):
        return outside(steps)
    if len(steps) < 2:
        return outside(ONE)
    families = {s.call.strings("family")[:1] for s in steps}
    if any(f and f[0].startswith("quasi") for f in families):
        return outside(
            "it divides by the dispersion of a quasi family, which a likelihood ratio does not have"
        )
    table = call.frame("value")
    if table is None or "Deviance" not in table or "Df" not in table:
        return outside("its table was not recorded")
    code = Call("pairproof.anova", tuple(Result(s.call.id) for s in steps))
    refused = _refusal(steps)
    if refused:
        return outside(f"pairproof.anova refuses it: {refused}")
    return Translation("native", code, speaks="value", judge=_judge(call, table))


def _models(call: RecordedCall, context: Context) -> list[Step] | str:
    """The steps of the fits given, in R's order; why one is no fit of Python's."""
    found = []
    for argument in sorted(call.fits, key=_place):
        step = context.fit_of(call, argument)
        said = call.args.get(argument, argument)
        if step is None:
            return f"{said} is no fit of this run"
        if not isinstance(step.value, Fit):
            return f"{said} is not fitted in Python, so there is nothing to compare here"
        found.append(step)
    models = [a for a in call.args if a == "object" or a.startswith("..")]
    if not found or len(models) != len(found):
        return "one of its models is no fit of this run"
    return found


def _place(argument: str) -> tuple[int, str]:
    number = argument.lstrip(".")
    return (int(number), argument) if number.isdigit() else (0, argument)


def _refusal(steps: Sequence[Step]) -> str:
    """Why Python does not compare them; "" if it does."""
    from .....native.contests.inference.tested import anova as compared

    try:
        compared(*(s.value for s in steps))
    except PairproofError as error:
        return str(error)
    return ""


def _judge(call: RecordedCall, table: RList) -> Callable[[Any], Sequence[Agreement]]:
    def judge(frame: Any) -> Sequence[Agreement]:
        rows = []
        p = next((n for n in table.names or () if n.startswith("Pr(")), "")
        for quantity, theirs in (("df", "Df"), ("statistic", "Deviance"), ("p", p)):
            if not theirs:
                continue
            column = table[theirs]
            assert isinstance(column, RVector)
            values = column.floats()
            size = float(np.nanmax(np.abs(table.vector("Resid. Dev").floats()), initial=0.0))
            places = in_column(frame, quantity)
            for k in range(1, len(values)):
                python, r = float(frame[quantity].iloc[k]), float(values[k])
                if quantity != "p":
                    # R subtracts in the order given, and a smaller model after a larger one gives a negative
                    # difference.
                    python, r = abs(python), abs(r)
                scale = {"statistic": size, "p": 0.0, "df": 0.0}[quantity]
                rows.append(
                    row(
                        f"anova.{k + 1}.{quantity}",
                        python,
                        r,
                        call.function,
                        least=LEAST,
                        why=WHY,
                        scale=scale,
                        place=places[k],
                    )
                )
        return rows

    return judge
