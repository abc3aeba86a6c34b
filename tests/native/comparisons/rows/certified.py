"""Certified contests (tests/certified/contests) as the arrays that the estimators take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpmath import mpf
from numpy.typing import NDArray

from pairproof.native.comparisons.rows.contest_design import Contests, Design, contest_design
from tests.certified.contests.data_sets import read
from tests.certified.contests.load import load_all
from tests.native.comparisons.counts.certified_cases import digits

FloatArray = NDArray[np.float64]
Case = dict[str, Any]

FITS = load_all(as_text=True)


def cases(*estimators: str, ties: tuple[str, ...] = ("none",), method: str | None = None) -> list[Any]:
    """Certified fits of these kinds, as parameters of a test; data of R have their marker."""
    chosen = [
        fit
        for fit in FITS
        if fit["model"]["estimator"] in estimators
        and fit["model"]["ties"] in ties
        and fit["model"]["method"] == method
    ]
    return [
        pytest.param(case, id=case["id"], marks=[] if "rows" in case else [pytest.mark.r("BradleyTerry2")])
        for case in chosen
    ]


def rows_of(case: Case) -> list[Case]:
    """The contests."""
    rows: list[Case] = read(case["id"].split("--")[0])["rows"]
    return rows


def column(case: Case, name: str) -> FloatArray:
    """A column of the contests."""
    return np.array([float(row.get(name, 0)) for row in rows_of(case)])


def design_of(case: Case) -> Design:
    """The design of the fixed parameters."""
    data, model = read(case["id"].split("--")[0]), case["model"]
    place = {item: k for k, item in enumerate(data["items"])}
    sides = [np.array([place[row[side]] for row in data["rows"]]) for side in ("first", "second")]
    options: dict[str, Any] = {"reference": model["reference"]}
    if model["item_covariates"]:
        values = [
            [data["item_data"][name][item] for name in model["item_covariates"]] for item in data["items"]
        ]
        options["player_columns"] = np.array(
            [[np.nan if v is None else float(v) for v in line] for line in values]
        )
        options["player_names"] = model["item_covariates"]
    if model["columns"]:
        options["contest_columns"] = np.column_stack([column(case, name) for name in model["columns"]])
        options["contest_names"] = model["columns"]
    if model["offset"]:
        options["offset"] = column(case, "offset")
    if model["random"] and not model["item_covariates"] and not model["reference"]:
        raise ValueError(f"{case['id']}: neither covariates nor abilities")
    return contest_design(*sides, data["items"], **options)


def contests_of(case: Case) -> Contests:
    """The contests of a fit without ties."""
    return Contests(design_of(case), column(case, "wins"), column(case, "losses"))


def least_digits(found: dict[str, float], certified: dict[str, str], scale: dict[str, str]) -> float:
    """The least digits over the names, relative to the value or to `scale` where that is larger."""
    assert set(certified) <= set(found)
    return min(digits(found[name], mpf(text), mpf(scale[name])) for name, text in certified.items())


def least_covariance_digits(case: Case, names: list[str], covariance: FloatArray) -> float:
    """The least digits of the covariance, relative to the two standard errors."""
    printed, place = case["cov_params"], [names.index(name) for name in case["cov_params"]["names"]]
    size = [mpf(row[k]) ** mpf("0.5") for k, row in enumerate(printed["rows"])]
    return min(
        digits(covariance[place[a], place[b]], mpf(text), size[a] * size[b])
        for a, row in enumerate(printed["rows"])
        for b, text in enumerate(row)
    )
