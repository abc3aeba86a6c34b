"""The certified fits as tables, native fits of them, and digits of agreement."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from mpmath import log10, mp, mpf

from pairproof.data.columns import Factor, natural_order
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from tests.certified.load import load_all

FITS: list[dict[str, Any]] = load_all(as_text=True)
SUBJECT_COLUMNS = ("judge", "age", "number", "expert", "order")


def table(case: dict[str, Any]) -> Comparisons:
    """The data of a certified fit."""
    rows, items = case["data"], case["items"]
    place = {name: k for k, name in enumerate(items)}
    columns: dict[str, Any] = {}
    for name in SUBJECT_COLUMNS:
        if name in rows[0]:
            values = [r[name] for r in rows]
            if name == "judge" or isinstance(values[0], str):
                levels = natural_order(str(v) for v in values)
                columns[name] = Factor(np.array([levels.index(str(v)) for v in values]), levels)
            else:
                columns[name] = np.array(values, float)
    ties = [float(r.get("ties", 0)) for r in rows] if case["model"]["tie_category"] else None
    item_data = {k: np.array([float(v[i]) for i in items]) for k, v in (case["item_data"] or {}).items()}
    return Comparisons.build(
        items,
        [place[r["first"]] for r in rows],
        [place[r["second"]] for r in rows],
        [float(r["wins"]) for r in rows],
        ties,
        [float(r["losses"]) for r in rows],
        columns=columns,
        item_data=item_data,
        source=case["id"],
    )


@lru_cache(maxsize=None)
def _native(name: str) -> Fit:
    case = next(f for f in FITS if f["id"] == name)
    m = case["model"]
    fitter = fit_llbt if m["family"] == "llbt" else fit_bradley_terry
    return fitter(
        table(case),
        ties=m["ties"],
        by=m["by"] or "",
        reference=m["reference"],
        order_effect=m["order_effect"],
        cells=m["cells"],
        item_terms=m["item_covariates"] or (),
    )


def native(case: dict[str, Any]) -> Fit:
    """The native fit of a certified model, fitted once a process."""
    return _native(case["id"])


def stated(values: dict[str, str | None]) -> dict[str, mpf]:
    """The entries that have a value."""
    with mp.workdps(60):
        return {k: mpf(v) for k, v in values.items() if v is not None}


def digits(found: float, certified: mpf, scale: mpf | int = 0) -> float:
    """-log10 of |found - certified| / max(|certified|, scale), from 0 to 16; 16 if equal to the last bit."""
    with mp.workdps(60):
        error = abs(mpf(float(found)) - certified)
        size = max(abs(certified), mpf(scale)) or mpf(1)
        return 16.0 if error == 0 else float(min(mpf(16), max(mpf(0), -log10(error / size))))
