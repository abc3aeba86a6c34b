"""anova of fits that are in Python, and why other tables are left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pairproof.migration.delivery import Stage
from pairproof.migration.migrate import steps_of
from pairproof.migration.translate.translation import Step
from tests.migration.translate.designs.evaluated import steps, written
from tests.migration.translate.designs.recorded import captured, recorded


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Step]:
    return steps("tables", tmp_path_factory.mktemp("tables"))


@pytest.mark.parametrize("name, models, rows", [("a1", 3, 6), ("a3", 2, 2), ("a4", 2, 3), ("a5", 2, 3)])
def test_anova_of_several_fits_is_a_likelihood_ratio_with_rs_numbers(
    name: str, models: int, rows: int, tables: dict[str, Step]
) -> None:
    step = tables[name]
    assert written(step).startswith("pairproof.anova(m") and len(step.value) == models
    assert len(step.rows) == rows and all(r.verdict == "agrees" for r in step.rows)
    # Differences of deviances that glm has to 13 digits and more: fewest observed 13.4.
    assert min(r.digits or 0.0 for r in step.rows) >= 11.0


def test_anova_of_one_fit_is_left_out_because_r_adds_items_one_by_one(tables: dict[str, Step]) -> None:
    assert tables["a2"].translation.route == "outside"
    assert "one by one" in tables["a2"].translation.reason


def test_anova_of_a_fit_that_is_not_in_python_says_which(tmp_path: Path) -> None:
    calls = dict(recorded("tables"))
    calls["m1"] = replace(calls["m1"], error="stopped")
    found = {s.call.variable: s for s in steps_of(captured(calls), Stage(tmp_path).place)}
    assert found["a3"].translation.reason == "m1 is not in the Python script"
    calls["a3"] = replace(calls["a3"], fits={}, args={**calls["a3"].args, "object": "changed(m1)"})
    found = {s.call.variable: s for s in steps_of(captured(calls), Stage(tmp_path).place)}
    assert found["a3"].translation.reason == "changed(m1) is not a model from a recorded call of this run"
