"""Reads the certified files of whole answers; needs nothing but mpmath (and not even that with
`as_text=True`).

    from tests.certified.answers.load import load, load_all fit = load("salad--plackett-luce")
    fit["params"]["B"], fit["bse"]["B"], fit["deviance"], fit["worth"]["all"]["B"]     # mpmath.mpf of 50
    digits
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: Keys whose texts are numbers, all the way down.
NUMBERS = (
    *("params", "bse", "llf", "deviance", "aic", "bic", "shares", "share_errors"),
    *("worth", "worth_se", "centred_se", "quasi_variances"),
)


def numbers(value: Any) -> Any:
    """Texts that are numbers as mpf, all the way down."""
    from mpmath import mp, mpf

    if isinstance(value, str):
        with mp.workdps(60):
            return mpf(value)
    if isinstance(value, dict):
        return {key: numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [numbers(inner) for inner in value]
    return value


def load(name: str, as_text: bool = False) -> dict[str, Any]:
    """One certified fit by its id, the file name without `.json`.

    Parameters
    ----------
    name : str
    as_text : bool
        Leave every number as the 50-digit text of the file.

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


def load_data(name: str) -> dict[str, Any]:
    """One data set by its id; `rows` is None where the data are read in place from R."""
    found: dict[str, Any] = json.loads((HERE / "data" / f"{name}.json").read_text("utf-8"))
    return found
