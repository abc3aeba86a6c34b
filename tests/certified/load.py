"""Reads the certified files; needs nothing but mpmath (and not even that with `as_text=True`).

    from tests.certified.load import load_all
    for fit in load_all():
        fit["id"], fit["data"], fit["model"], fit["params"]["A"]     # an mpmath.mpf of 50 digits
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

#: Keys whose texts are numbers, all the way down; the other keys hold names, counts and words.
NUMBERS = (
    "params",
    "bse",
    "pvalues",
    "deviance",
    "gof_p",
    "llf",
    "aic",
    "bic",
    "n_comparisons",
    "null",
    "worth",
    "worth_se",
    "quasi_variances",
)


def _numbers(value: Any) -> Any:
    """Every text inside `value` as mpmath.mpf, read at 60 digits."""
    from mpmath import mp, mpf

    if isinstance(value, str):
        with mp.workdps(60):
            return mpf(value)
    if isinstance(value, dict):
        return {key: _numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_numbers(inner) for inner in value]
    return value


def load(name: str, as_text: bool = False) -> dict[str, Any]:
    """One certified fit by its id, the file name without `.json`.

    Parameters
    ----------
    name : str
    as_text : bool
        Leave every number as the 50-digit text of the file; else `mpmath.mpf` read at 60 digits, whatever
        mp.dps is.

    Raises
    ------
    FileNotFoundError
        If there is no such fit; the message lists the ids of the same data set.
    """
    path = HERE / "fits" / f"{name}.json"
    if not path.exists():
        near = sorted(p.stem for p in (HERE / "fits").glob(f"{name.split('--')[0]}--*.json"))
        raise FileNotFoundError(
            f"no certified fit {name!r}; of that data set there are: {', '.join(near) or 'none'}"
        )
    fit: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if as_text:
        return fit
    for key in NUMBERS:
        fit[key] = _numbers(fit[key])
    fit["cov_params"]["rows"] = _numbers(fit["cov_params"]["rows"])
    for cell in fit["cells"]:
        for key in ("wins", "ties", "losses", "p_win", "p_tie", "p_loss"):
            if key in cell:
                cell[key] = _numbers(cell[key])
    return fit


def load_all(as_text: bool = False) -> list[dict[str, Any]]:
    """Every certified fit, in the order of their ids."""
    return [load(path.stem, as_text) for path in sorted((HERE / "fits").glob("*.json"))]


def load_data(name: str) -> dict[str, Any]:
    """One data set by its id: `items`, `tie_category`, `rows`, `what`, `source` and, for some,
    `item_data`.
    """
    data: dict[str, Any] = json.loads((HERE / "data" / f"{name}.json").read_text("utf-8"))
    return data
