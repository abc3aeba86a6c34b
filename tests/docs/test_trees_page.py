"""The numbers that the page on trees keeps of data that are not here."""

from __future__ import annotations

import json

import pytest

from tools.pages.trees import TOPMODEL, numbers, topmodel


@pytest.mark.r("psychotree", "psychotools", "partykit")
def test_the_kept_numbers_are_those_of_the_tree_today():
    kept = json.loads(TOPMODEL.read_text("utf-8"))
    now = json.loads(json.dumps(numbers(topmodel(), map(int, kept["tests"]))))
    assert now["tests"].keys() == kept["tests"].keys() and now["df"] == kept["df"]
    for node, tests in kept["tests"].items():
        assert now["tests"][node] == {name: pytest.approx(both, rel=1e-9) for name, both in tests.items()}
    # Sums of another BLAS move the last bits; observed 0 on the machine that made them.
    assert [row[:2] for row in now["leaves"]] == [row[:2] for row in kept["leaves"]]
    assert sum(now["leaves"], []) == pytest.approx(sum(kept["leaves"], []), rel=1e-9)
    assert now["llf"] == pytest.approx(kept["llf"], rel=1e-12)
