"""The index of the certified set: complete, its hashes those of the files, and readable without any code of
ours.
"""

from __future__ import annotations

import csv
import hashlib
import json

import pytest

from tests import places

pytest.importorskip("mpmath", reason="mpmath is a test dependency")
HERE = places.CERTIFIED
from tests.certified import make_index  # noqa: E402


@pytest.fixture(scope="module")
def index() -> list[dict[str, str]]:
    with open(HERE / "index.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_index_is_made_from_the_files_as_they_are() -> None:
    assert (HERE / "index.csv").read_text(
        encoding="utf-8"
    ) == make_index.text(), "python -m tests.certified.make_index --write makes it anew"


def test_every_file_of_the_set_stands_in_the_index_with_its_hash(index: list[dict[str, str]]) -> None:
    for kind in ("data", "fit"):
        listed = {row[f"{kind}_file"]: row[f"{kind}_sha256"] for row in index}
        there = {
            f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
            for path in (HERE / ("data" if kind == "data" else "fits")).glob("*.json")
        }
        assert listed == there


def test_there_are_twelve_data_sets_and_more_with_every_kind_of_model(index: list[dict[str, str]]) -> None:
    assert len({row["data"] for row in index}) >= 12
    assert {row["ties"] for row in index} == {"none", "davidson", "rao-kupper", "half", "drop"}
    assert {row["family"] for row in index} == {"llbt", "bradley-terry"} and {
        row["scale"] for row in index
    } == {"lambda", "log-odds"}
    for column in ("by", "item_covariates", "cells"):
        assert any(row[column] for row in index), column
    assert any(row["order_effect"] == "yes" for row in index) and any(
        row["reference"] == "sum" for row in index
    )


def test_what_has_a_closed_form_is_marked_with_the_numbers_that_have_it(index: list[dict[str, str]]) -> None:
    """Two items are one free multinomial, a chain is a tree of them, and in a circular triad all abilities
    are equal.
    """
    marked = {row["fit"] for row in index if row["closed_form"]}
    by_nature = {
        row["fit"]
        for row in index
        if row["items"] == "2"
        or row["data"].startswith("chain")
        or row["fit"].startswith("circular-triad--llbt")
    }
    assert marked == by_nature and len(marked) >= 12
    for row in index:
        if row["closed_form"] and row["family"] == "llbt" and row["items"] == "2":
            assert {"params.o1", "bse.o1"} <= set(row["closed_form"].split())


def test_the_index_says_what_a_file_says(index: list[dict[str, str]]) -> None:
    for row in index:
        fit = json.loads((HERE / row["fit_file"]).read_text(encoding="utf-8"))
        assert (fit["id"], fit["deviance"], str(fit["df_resid"]), str(fit["n_params"])) == (
            row["fit"],
            row["deviance"],
            row["df_resid"],
            row["n_params"],
        )
