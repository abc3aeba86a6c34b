"""prefmod's own answers, from a live R."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.packages.asking import ask

FIT = """
suppressMessages(suppressWarnings(library(prefmod)))
m <- %s
list(coef = m$coefficients, ll = -m$result$minimum, saturated = m$fl, se = sqrt(diag(solve(m$result$hessian))))
"""


class PrefmodFit:
    """What a `patt*.fit` stored: nlm's estimate, maximum, and SE from its numerical Hessian."""

    def __init__(self, call: str) -> None:
        answer = ask("live", "prefmod", FIT % call, {}, ("prefmod",)).as_list()
        self.coef, self.se = answer.vector("coef").floats(), answer.vector("se").floats()
        self.ll = float(answer.vector("ll").floats()[0])
        self.saturated = float(answer.vector("saturated").floats()[0])


def table(expression: str) -> NDArray[np.float64]:
    """An R matrix or data frame of numbers; NA is nan."""
    code = f"""
    suppressMessages(suppressWarnings(library(prefmod)))
    x <- as.matrix({expression})
    list(values = as.numeric(x), rows = nrow(x))
    """
    answer = ask("live", "prefmod data", code, {}, ("prefmod",)).as_list()
    rows = int(answer.vector("rows").floats()[0])
    return np.asarray(answer.vector("values").floats()).reshape(rows, -1, order="F")
