"""prefmod's helpers: checkMIS, tables of designs, tables drawn or made larger.

checkMIS: `table.gaps()`, how often each comparison is missing; its flags say which items, or comparisons,
lack any. llbt.design, patt.design: no Python of their own; the fits on them are written on tables of
comparisons and answers. expand.mat, simPC, simR: no Python of their own; what they gave in this run stands
in the files of the calls that use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....data.wide import prefmod_pair_order
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, File, Method
from ..registry import translates
from ..rows import SAME, row
from ..translation import Context, Translation, outside
from ..tried import tried
from .pairs import coding_of
from .table import count, given, scalar, texts


@translates("prefmod::checkMIS")
def check_missing(call: RecordedCall, context: Context) -> Translation:
    """Which comparisons are missing."""
    n = count(call, "nitems")
    if n < 2:
        return outside("the number of its items was not recorded")
    table = given(call, n * (n - 1) // 2)
    if isinstance(table, str):
        return outside(table)
    flags = call.vector("value")
    coding = coding_of(table.answers)
    if isinstance(coding, str) or flags is None:
        return outside("its answers are all the same" if flags is not None else "R's flags were not recorded")
    stated = texts(call, "obj.names")
    items = list(stated) if len(stated) == n else [f"o{k + 1}" for k in range(n)]
    options = {"items": items, "pair_order": "prefmod", "coding": coding.written}
    file = File(table.written(), call.variable)
    read = Call("pairproof.read_respondents", (file, "pairs"), options)
    if tried(read)[1]:
        read = Call("pairproof.read_respondents", (file, "pairs"), {**options, "pair_names": "ignore"})
    code = Method(read, "gaps")
    _, refused = tried(code)
    if refused:
        return outside(f"its table cannot be read: {refused}")
    r_flags = np.asarray(flags.values, float).ravel().tolist()
    of_items = str(scalar(call, "MISmodel", "obj")) == "obj"

    def judge(gaps: Any) -> Sequence[Agreement]:
        missing = {(a, b): int(m) for a, b, m in zip(gaps["first"], gaps["second"], gaps["missing"])}
        pairs = [(items[i], items[j]) for i, j in prefmod_pair_order(n)]
        if of_items:
            ours = {i: float(any(missing[p] for p in pairs if i in p)) for i in items}
        else:
            ours = {f"{a}:{b}": float(missing[a, b] > 0) for a, b in pairs}
        return [
            row(f"missing.{name}", own, r, call.function, least=SAME, why="a count")
            for (name, own), r in zip(ours.items(), r_flags)
        ]

    return Translation("native", code, speaks="value", judge=judge)


@translates("prefmod::llbt.design", "prefmod::patt.design")
def design(call: RecordedCall, context: Context) -> Translation:
    """A table for gnm or glm."""
    return outside(
        "it makes the table of a Poisson model; a fit on it is written on a table of the answers themselves"
    )


@translates("prefmod::expand.mat", "prefmod::simPC", "prefmod::simR")
def made(call: RecordedCall, context: Context) -> Translation:
    """A table of answers that is made, or drawn."""
    return outside("it makes a table of answers, which stands in the files of the calls that use it")
