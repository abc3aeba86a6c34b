"""Whether Python gives an answer at all: a call tried before it is written, where R answers and Python may
decline.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path

import numpy as np

from .....bridge.values.csv_frames import csv_text
from .....errors import PairproofError
from .....fit.fit import Fit
from ...code.evaluate import evaluate
from ...code.expressions import Call, File


def why_refused(code: Call) -> str:
    """Why Python has no finite estimates for a call of a fitting function; "" if it has.

    Parameters
    ----------
    code : Call
        That needs no earlier result.
    """
    with tempfile.TemporaryDirectory(prefix="pairproof-tried-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")

        def written(file: File) -> Path:
            path = Path(folder) / f"{file.stem or 'table'}_{len(list(Path(folder).iterdir()))}.csv"
            path.write_text(csv_text(file.columns), encoding="utf-8")
            return path

        try:
            fit = evaluate(code, written, {})
        except PairproofError as error:
            return " ".join(str(error).replace(f"{folder}{os.sep}", "").split())
    if isinstance(fit, Fit):
        lost = [str(n) for n, v in fit.params.items() if np.isnan(v)]
        if lost:
            return f"the estimate of {', '.join(lost[:6])} is infinite or not determined"
    return ""
