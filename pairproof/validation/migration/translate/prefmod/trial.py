"""Whether Python fits a call at all: the expression is evaluated once before it is chosen.

Where Python refuses what R has a number for (infinite estimates, too many patterns), the call goes to R
instead, with Python's own sentence as the reason.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

from .....bridge.values.csv_frames import csv_text
from .....errors import PairproofError, PairproofWarning
from ...code.evaluate import evaluate
from ...code.expressions import Expression, File, files


def trial(code: Expression, results: dict[int, Any] | None = None) -> tuple[Any, str]:
    """The value of an expression and "", or None and why Python refuses it.

    Parameters
    ----------
    code : Expression
    results : mapping of call id to value, optional
        Of the calls before.
    """
    with tempfile.TemporaryDirectory() as folder:
        places: dict[int, Path] = {}
        for k, file in enumerate(files(code)):
            place = Path(folder) / f"{k}.csv"
            place.write_text(csv_text(file.columns), encoding="utf-8")
            places[id(file)] = place

        def where(file: File) -> Path:
            return places[id(file)]

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PairproofWarning)
                return evaluate(code, where, results or {}), ""
        except PairproofError as error:
            return None, " ".join(str(error).split())
