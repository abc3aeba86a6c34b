"""Fits made by hand from closed forms, for tests of what a `Fit` does with its numbers (not of how they are
found).

Two items, one pair, counts (a, t, b): Davidson's model is saturated, and with lambda_B = 0 (Dras 2015,
section 3)

    lambda_A = log(a/b) / 2,  gamma = log t - (log a + log b) / 2,  V from the delta method on Poisson counts.
"""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

import numpy as np

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.fit.estimates.covariance import DenseCovariance
from pairproof.fit.estimates.fit_record import CellTable, Stopping
from pairproof.fit.estimates.specification import ModelSpec, Term
from pairproof.fit.fit import Fit

CLOSED_FORM = Stopping("closed form", True, 0, 0.0)


def one_pair(a: float, t: float, b: float, items: tuple[str, str] = ("A", "B"), **changes: Any) -> Fit:
    """Davidson's model of one pair; ModPref of Dras (2015) is (61, 24, 35)."""
    data = Comparisons.build(items, [0], [1], [a], [t], [b], source="hand-made")
    n = a + t + b
    y = np.array([[a, t, b]])
    lam, gamma = log(a / b) / 2, log(t) - (log(a) + log(b)) / 2
    v = (1 / a + 1 / b) / 4
    cov = np.zeros((3, 3))
    cov[0, 0], cov[2, 2] = v, 1 / t + v
    cov[0, 2] = cov[2, 0] = (1 / b - 1 / a) / 4
    p = y / n
    fit = Fit(
        spec=ModelSpec("llbt", "davidson", reference=items[1]),
        data=data,
        terms=(
            Term(items[0], "item", item=items[0]),
            Term(items[1], "item", item=items[1]),
            Term("tie", "tie"),
        ),
        beta=np.array([lam, 0.0, gamma]),
        is_reference=np.array([False, True, False]),
        covariance=DenseCovariance(cov),
        null_space=np.zeros((3, 0)),
        outcome_model="davidson",
        scale="lambda",
        constraint=f"reference {items[1]}",
        groups={"all": {}},
        cell_table=lambda: CellTable(np.array([0]), np.array([1]), ("",), y, y.copy()),
        llf=float((y * np.log(p)).sum()),
        deviance=0.0,
        df_resid=0,
        null_deviance=0.0,
        df_null=2,
        n_comparisons=n,
        engine="by hand",
        stopping=CLOSED_FORM,
        data_digest=data.digest(),
    )
    return replace(fit, **changes)


def modpref(**changes: Any) -> Fit:
    return one_pair(61, 24, 35, **changes)


def dras() -> Comparisons:
    """Table 1 of Dras (2015): four systems, four judges, 960 comparisons."""
    from tests.certified.load import load_data

    rows = load_data("dras-table1")["rows"]
    items = ("A", "B", "C", "D")
    levels = tuple(sorted({str(r["judge"]) for r in rows}))
    judge = Factor(np.array([levels.index(str(r["judge"])) for r in rows]), levels)
    return Comparisons.build(
        items,
        [items.index(r["first"]) for r in rows],
        [items.index(r["second"]) for r in rows],
        [r["wins"] for r in rows],
        [r["ties"] for r in rows],
        [r["losses"] for r in rows],
        columns={"judge": judge, "age": np.array([20.0, 30.0, 40.0, 60.0])[judge.codes]},
        source="Dras (2015), Table 1",
        item_data={
            "length": np.array([3.0, 1.0, 2.0, 5.0]),
            "kind": Factor(np.array([0, 0, 1, 1]), ("rule", "neural")),
        },
    )


def counts(rows: str, *, ties: bool = True, **extra: Any) -> Comparisons:
    """Rows of 'A B 5 0 3; ...': first, second, wins, ties, losses."""
    found = [row.split() for row in rows.split(";")]
    items = tuple(sorted({name for row in found for name in row[:2]}))
    numbers = np.array([[float(x) for x in row[2:]] for row in found])
    return Comparisons.build(
        items,
        [items.index(row[0]) for row in found],
        [items.index(row[1]) for row in found],
        numbers[:, 0],
        numbers[:, 1] if ties else None,
        numbers[:, 2],
        **extra,
    )
