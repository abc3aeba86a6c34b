"""An answer of R prints as a table of its coefficients and a line for each other number."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from pairproof.bridge.packages.asking import Estimates, Floats


@dataclass(frozen=True, eq=False)
class Fitted(Estimates):
    """A model with more numbers, names and a number a row."""

    deviance: float
    converged: bool
    effects: tuple[str, ...]
    sd: Floats
    fitted: Floats


def test_an_answer_prints_its_coefficients_and_its_other_numbers() -> None:
    result: Any = SimpleNamespace(call=SimpleNamespace(name="lme4::glmer"))
    answer = Fitted(
        names=("A", "B\x1b\n"),
        coef=np.array([0.5, np.nan]),
        se=np.array([0.125, np.nan]),
        vcov=np.eye(2),
        deviance=3.25,
        converged=True,
        effects=("judge",),
        sd=np.array([0.75]),
        fitted=np.zeros(1000),
        result=result,
    )
    assert str(answer).split("\n") == [
        "lme4::glmer",
        "             estimate            se             z             p",
        "A                 0.5         0.125             4     6.334e-05",
        "B\\x1b\\n           nan           nan           nan           nan",
        "deviance: 3.25",
        "converged: yes",
        "effects: judge",
        "sd: 0.75",
    ]
