"""Evaluates code before it is settled on: where Python refuses what R has an answer for, the call goes to R, with Python's
own sentence as the reason.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ....bridge.values.csv_frames import csv_text
from ....errors import PairproofError
from ....fit.fit import Fit
from ..code.evaluate import evaluate
from ..code.expressions import Expression, File, files


def tried(code: Expression, results: Mapping[int, Any] | None = None) -> tuple[Any, str]:
    """The value of code and "", or None and why Python refuses it.

    results: of earlier calls that it takes.
    """
    with tempfile.TemporaryDirectory(prefix="pairproof-tried-") as folder:
        places: dict[int, Path] = {}
        for k, file in enumerate(files(code)):
            places[id(file)] = Path(folder) / f"table{k + 1 if k else ''}.csv"
            places[id(file)].write_text(csv_text(file.columns), encoding="utf-8")

        def where(file: File) -> Path:
            return places[id(file)]

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the script shows them when it is run
                return evaluate(code, where, results or {}), ""
        except PairproofError as error:
            return None, " ".join(str(error).replace(f"{folder}{os.sep}", "").split())


def why_not_finite(code: Expression) -> str:
    """Why Python has no finite estimates for a call of a fitting function; "" if it has."""
    fit, refused = tried(code)
    if refused or not isinstance(fit, Fit):
        return refused
    lost = [str(n) for n, v in fit.params.items() if np.isnan(v)]
    return f"the estimate of {', '.join(lost[:6])} is infinite or not determined" if lost else ""
