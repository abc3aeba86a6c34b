"""Reads the certified files of contests; needs mpmath only, and not even that with `as_text=True`.

    from tests.certified.contests.load import load, load_all
    fit = load("four-players--logit-covariates-random-item")
    fit["sigma"], fit["params"]["x"], fit["llf"], fit["p"]            # mpmath.mpf of 40 digits
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.certified.answers.load import numbers

HERE = Path(__file__).resolve().parent
#: Keys whose texts are numbers, all the way down.
NUMBERS = (
    *("params", "bse", "bse_expected", "llf", "log_coefficients", "deviance", "penalised"),
    *("sigma", "sigma_se", "log_sigma_se", "null", "lr", "p", "effects"),
)


def load(name: str, as_text: bool = False) -> dict[str, Any]:
    """One certified fit by its id, the file name without `.json`.

    Parameters
    ----------
    name : str
    as_text : bool
        Leave every number as the text of the file.

    Raises
    ------
    FileNotFoundError
        There is no such fit; the message lists those of the same data set.
    """
    path = HERE / "fits" / f"{name}.json"
    if not path.exists():
        near = sorted(p.stem for p in (HERE / "fits").glob(f"{name.split('--')[0]}--*.json"))
        raise FileNotFoundError(
            f"no certified fit {name!r}; of that data set there are: {', '.join(near) or 'none'}"
        )
    fit: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if not as_text:
        fit.update({key: numbers(fit[key]) for key in NUMBERS if key in fit})
        fit["cov_params"]["rows"] = numbers(fit["cov_params"]["rows"])
    return fit


def load_all(as_text: bool = False) -> list[dict[str, Any]]:
    """Every certified fit, in the order of their ids."""
    return [load(path.stem, as_text) for path in sorted((HERE / "fits").glob("*.json"))]
