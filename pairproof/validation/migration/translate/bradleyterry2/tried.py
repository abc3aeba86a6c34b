"""Evaluates the code of a translation before it is settled on: where Python refuses, R has an answer."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path

from .....bridge.values.csv_frames import csv_text
from .....errors import PairproofError
from .....fit.fit import Fit
from ...code.evaluate import evaluate
from ...code.expressions import Call, File, files


def tried(code: Call) -> Fit | PairproofError:
    """The fit that a call gives, or why it gives none.

    Parameters
    ----------
    code : Call
        Of a function that fits.

    Returns
    -------
    Fit or PairproofError
    """
    with tempfile.TemporaryDirectory() as folder:
        places: dict[int, Path] = {}
        for k, file in enumerate(files(code)):
            places[id(file)] = Path(folder) / f"table{k + 1 if k else ''}.csv"
            places[id(file)].write_text(csv_text(file.columns), encoding="utf-8")

        def where(file: File) -> Path:
            return places[id(file)]

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the script shows them when it is run
                found = evaluate(code, where, {})
        except PairproofError as error:
            return PairproofError(str(error).replace(f"{folder}{os.sep}", ""))
    assert isinstance(found, Fit)
    return found
