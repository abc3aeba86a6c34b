"""glmmPQL called by itself: R's own through the bridge, with its formula, data frame and random design as values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.packages.bradleyterry2.fit import ContestModel
from .....bridge.values.formulas import checked
from .....bridge.values.values import RList, RVector
from .....errors import FormulaError, InputError
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, File
from ...code.frames import frame_call
from ..registry import translates
from ..rows import row
from ..translation import Context, Translation, outside
from .bridged import LEAST, of_r, settings
from .contests import StaysInR, formula_text

WHY = "glmmPQL by itself is no model of comparisons: its random effects are of any design"
#: Entries of a random design at most.
MOST = 1_000_000


@translates("BradleyTerry2::glmmPQL")
def glmm_pql(call: RecordedCall, context: Context) -> Translation:
    """`pairproof.bridge.bradleyterry2.glmmPQL("y ~ x", random, data=...)`."""
    try:
        code = _code(call)
    except (StaysInR, InputError, FormulaError) as why:
        return outside(f"{WHY}; through the bridge: {why}")
    judge = of_r(call)

    def with_error(model: ContestModel) -> Sequence[Agreement]:
        rows, error = list(judge(model)), call.number("sigma_se")
        if error is not None:
            rows.append(
                row(
                    "sigma_se",
                    model.sigma_se,
                    error,
                    call.function,
                    least=LEAST,
                    why="the same call of R",
                    place="sigma_se",
                )
            )
        return rows

    return Translation("bridge", code, WHY, speaks="r", judge=with_error)


def _code(call: RecordedCall) -> Call:
    data = call.values.get("data")
    if not isinstance(data, RList) or "data.frame" not in data.rclass:
        raise StaysInR("its data were not recorded as a data frame")
    if any(name in call.args for name in ("subset", "weights", "offset", "start", "etastart", "mustart")):
        raise StaysInR("its subset, weights, offset or starting values are not passed on")
    stem = call.variable or "glmmPQL"
    formula = checked(formula_text(call))
    arguments: list[Any] = [formula]
    random = call.values.get("random")
    if isinstance(random, RVector):
        arguments.append(_design(random, stem))
    elif "random" in call.args:
        raise StaysInR("its random design was not recorded")
    family = call.strings("family") or ("binomial", "logit")
    options: dict[str, Any] = {}
    if family[0] != "binomial":
        options["family"] = family[0]
    if family[-1] != {"binomial": "logit", "poisson": "log"}.get(family[0]):
        options["link"] = family[-1]
    options["data"] = frame_call(data, stem)
    return Call("pairproof.bridge.bradleyterry2.glmmPQL", tuple(arguments), options | settings(call))


def _design(random: RVector, stem: str) -> Call:
    """A column an effect, in a file of its own."""
    numbers = random.floats()
    if numbers.ndim != 2 or numbers.size > MOST or np.isnan(numbers).any():
        raise StaysInR(f"its random design is no matrix of at most {MOST:,} numbers")
    columns = {f"effect{k + 1}": [float(v) for v in numbers[:, k]] for k in range(numbers.shape[1])}
    return Call("pairproof.bridge.read_frame", (File(columns, f"{stem}_random"),))
