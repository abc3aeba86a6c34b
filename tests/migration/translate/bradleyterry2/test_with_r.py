"""The script of these tests, run by R and migrated whole: what was recorded for the other tests is what R gives."""

from __future__ import annotations

import pytest

import pairproof
from tests.migration.translate.bradleyterry2.league import SCRIPT

pytestmark = pytest.mark.r("BradleyTerry2", "brglm", "qvcalc")


def test_every_call_of_the_script_is_python_or_the_bridge_and_no_number_differs():
    found = pairproof.migrate(SCRIPT, check=True)
    states: dict[str, int] = {}
    for step in found.steps:
        if step.call.function.startswith("BradleyTerry2") or step.call.function in (
            "qvcalc::qvcalc",
            "stats::step",
        ):
            states[step.state] = states.get(step.state, 0) + 1
    assert states == {"native": 28, "bridge": 6}
    rows = [a for step in found.steps for a in step.rows]
    assert {a.verdict for a in rows} == {"agrees", "explained", "not-estimable", "not-checkable"}
    # 401 numbers of BTm and its helpers; none that R gave is without a row.
    assert len(rows) >= 401
    bridged = [a.digits for step in found.steps if step.translation.route == "bridge" for a in step.rows]
    assert min(bridged) >= 12  # observed 16: the same R from the same values


def test_a_bridged_model_is_asked_of_r_with_the_values_of_the_script(tmp_path):
    script = tmp_path / "held.R"
    script.write_text(
        "library(BradleyTerry2)\n"
        "d <- data.frame(a = factor(c('x', 'y', 'z'), c('x', 'y', 'z')), b = factor(c('y', 'z', 'x'), c('x', 'y', 'z')))\n"
        "w <- c(3, 4, 2); l <- c(2, 2, 3); z <- c(1, 4, 2)\n"
        "m <- BTm(cbind(w, l), a, b, ~ z[..] + (1 | ..), data = list(d, data.frame(z = z)), sigma = 0.5, sigma.fixed = TRUE)\n"
        "BTabilities(m)\n",
        encoding="utf-8",
    )
    found = pairproof.migrate(script, check=True)
    assert [s.state for s in found.steps] == ["bridge", "bridge"]
    assert {a.verdict for s in found.steps for a in s.rows} == {"agrees"}
