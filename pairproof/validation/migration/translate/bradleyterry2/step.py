"""step and stepAIC: the model that R chose, written as the fit that it is; the path is a note.

What R tried on its way is not fitted again in Python: the script does with the chosen model what the analysis did.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.values import RVector
from ..registry import TRANSLATORS, translates
from ..translation import Context, Translation, outside

#: Classes of a chosen model, the most special first, and whose translator takes it.
KINDS = {"BTm": "BradleyTerry2::BTm", "gnm": "gnm::gnm", "polr": "MASS::polr", "glm": "stats::glm"}
#: Steps of a path that a note names.
MOST = 12
WHOLE = (
    "R's step sees the predictor of a BTm as one term (Y ~ X - 1), so it can only keep it or leave all of it out; drop1 and"
    " add1 choose between terms."
)


@translates("stats::step", "MASS::stepAIC")
def step(call: RecordedCall, context: Context) -> Translation:
    """The chosen model as its own fitting function's call."""
    kind = next((name for name in KINDS if name in call.strings("class")), "")
    translator = TRANSLATORS.get(KINDS.get(kind, ""))
    if translator is None:
        return outside("the model that it chose is of no kind that has a counterpart")
    found = translator(replace(call, function=KINDS[kind], helper=False), context)
    notes = (path_of(call),) + ((WHOLE,) if kind == "BTm" else ())
    return found if found.code is None else replace(found, notes=(*notes, *found.notes))


def path_of(call: RecordedCall) -> str:
    """The path of the choice, in R's words: what was added or left out, and the AIC after it."""
    table = call.frame("anova")
    if table is None or not {"Step", "AIC"} <= set(table.names or ()):
        return "The model that R's step chose; its path was not recorded."
    steps, aic = table["Step"], table["AIC"]
    if not isinstance(steps, RVector) or not isinstance(aic, RVector):
        return "The model that R's step chose; its path was not recorded."
    numbers = aic.floats()
    words = [" ".join(str(v).split()) if v else "start" for v in _texts(steps)]
    said = [f"{w} (AIC {a:.2f})" for w, a in zip(words, numbers) if not np.isnan(a)]
    more = f", and {len(said) - MOST} more" if len(said) > MOST else ""
    return f"The model that R's step chose. Its path: {', '.join(said[:MOST])}{more}."


def _texts(column: RVector) -> list[str]:
    if column.levels is not None:
        return [column.levels[int(v) - 1] for v in column.values.tolist()]
    return ["" if v is None else str(v) for v in column.values.tolist()]
