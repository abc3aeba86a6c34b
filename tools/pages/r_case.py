"""A case for `tools/pages/r_cases.py`: a wide table given to an R function and to pairproof, with both answers.

The R calls are made as a user of R types them: the bridge's own functions refuse some of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import pairproof
from pairproof.bridge import backend, data_frame
from pairproof.bridge.records.calls import RResult
from pairproof.fit.fit import Fit

from .tables import markdown

Columns = Mapping[str, Sequence[float]]
NA = float("nan")
#: R: coefficients, standard errors, deviance and df of a fitted model; of the call in `asked`.
REDUCED = """
fit <- {call}
b <- stats::coef(fit); known <- !is.na(b)
list(names = names(b)[known], coef = as.numeric(b)[known], se = as.numeric(sqrt(diag(as.matrix(stats::vcov(fit)))))[known],
     deviance = stats::deviance(fit), df = as.numeric(stats::df.residual(fit)), worth = as.numeric({worth}))
"""


@dataclass(frozen=True)
class Case:
    """A table, what R makes of it, what it is, and what pairproof does."""

    title: str
    call: str
    happens: str
    rows: tuple[tuple[str, str, str], ...]
    settled: str

    def text(self) -> str:
        table = markdown(("", "R", "pairproof"), self.rows)
        happens, settled = (" ".join(text.split()) for text in (self.happens, self.settled))
        return f"### {self.title}\n\n`{self.call}`. {happens}\n\n{table}\n{settled}\n"


def ask(call: str, data: Columns, worth: str = "numeric(0)", code: str = REDUCED) -> RResult:
    """R's answer to a call in which `d` is the table."""
    text = code.replace("{call}", call).replace("{worth}", worth)
    function = call.partition("(")[0].strip()
    return backend().call(
        code=text,
        args={"d": data_frame({k: np.asarray(v, float) for k, v in data.items()})},
        needs=("prefmod", "gnm"),
        label=f"docs {function}",
    )


def named(result: RResult) -> dict[str, tuple[float, float]]:
    value = result.as_list()
    parts = [value.vector(k).values for k in ("names", "coef", "se")]
    return {str(n): (float(b), float(s)) for n, b, s in zip(*parts)}


def numbers(result: RResult, name: str) -> list[float]:
    return [float(x) for x in result.as_list().vector(name).floats().ravel()]


def read(data: Columns, n_items: int, ties: bool, **options: Any) -> pairproof.Comparisons:
    """The same table, with what its codes mean said."""
    import pandas as pd

    items = [f"o{k + 1}" for k in range(n_items)]
    coding = (
        {"first": 0, "tie": 1, "second": 2, "missing": "NA"}
        if ties
        else {"first": 0, "second": 1, "missing": "NA"}
    )
    return pairproof.read(
        pd.DataFrame(data), layout="prefmod", items=items, pair_order="prefmod", coding=coding, **options
    )


def pair(estimate: float, se: float) -> str:
    """`0.3511 (0.3056)`; a number beyond a thousand short."""
    return f"{number(estimate)} ({number(se)})"


def number(x: float) -> str:
    """Four decimals, none for a number beyond a thousand; what rounds to 0 has no sign."""
    return f"{x:.0f}" if abs(x) >= 1000 else f"{0.0 if abs(x) < 5e-5 else x:.4f}"


def listed(values: Iterable[float]) -> str:
    return ", ".join("none" if np.isnan(v) else f"{v:.4f}" for v in values)


def ours(fit: Fit, name: str) -> str:
    return (
        "not estimable" if np.isnan(fit.params[name]) else pair(float(fit.params[name]), float(fit.bse[name]))
    )


def beside(
    r: Mapping[str, tuple[float, float]], fit: Fit, names: Mapping[str, str]
) -> tuple[tuple[str, str, str], ...]:
    """Rows of parameters: R's name -> ours."""
    return tuple(
        (mine, pair(*r[theirs]) if theirs in r else "no such parameter", ours(fit, mine))
        for theirs, mine in names.items()
    )
