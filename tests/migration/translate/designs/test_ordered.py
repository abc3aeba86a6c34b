"""polr of three answers and gnm with GenDavidson, each number beside R's of that run."""

from __future__ import annotations

import pytest

from pairproof.migration.migrate import translators
from pairproof.migration.translate.translation import Context, Step
from tests.migration.translate.designs.evaluated import fewest, options, steps, written
from tests.migration.translate.designs.recorded import captured, recorded

NATIVE = {
    "d1": {},
    "d2": {"order_effect": True},
    "d3": {"order_effect": True, "tie_shift": True, "tie_scale": True},
    "d4": {"tie_scale": True},
    "r1": {"ties": "rao-kupper", "reference": "D", "order_effect": True},
    "r3": {"ties": "rao-kupper", "reference": "D"},
    "r4": {"ties": "rao-kupper", "reference": "D", "order_effect": True},
}


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Step]:
    return steps("ordered", tmp_path_factory.mktemp("ordered"), NATIVE)


@pytest.mark.parametrize("name", NATIVE)
def test_ties_by_gnm_or_polr_are_fit_bradley_terry_with_the_same_numbers(
    name: str, ordered: dict[str, Step]
) -> None:
    step = ordered[name]
    assert step.translation.route == "native" and not step.refused
    assert options(step) == NATIVE[name]
    assert [str(r.quantity) for r in step.rows if r.verdict != "agrees"] == []
    # gnm stops at 1e-6, polr's BFGS at a relative change of 1e-8: fewest observed 6.0.
    assert fewest(step, "estimate") >= 5.5
    assert fewest(step, "llf") >= 12.0  # flat at the maximum; fewest observed 14.4


def test_the_tie_parameter_of_gendavidson_has_log_two_added(ordered: dict[str, Step]) -> None:
    row = next(r for r in ordered["d1"].rows if str(r.quantity) == "estimate.tie")
    coef = recorded("ordered")["d1"].vector("coef")
    assert coef is not None and coef.names is not None
    # log 2, to the rounding of one sum.
    assert float(row.r or 0.0) - float(coef.floats()[coef.names.index("tie.max")]) == pytest.approx(
        0.6931471805599453, abs=1e-12
    )


def test_mirrored_data_have_no_order_effect_and_are_one_row_a_pair(ordered: dict[str, Step]) -> None:
    assert len(ordered["r3"].value.data.first) == 6  # pairs of four items
    assert "read as one contest" in " ".join(ordered["r3"].translation.notes)
    assert "order" in ordered["r1"].value.names and "order" not in ordered["r3"].value.names


def test_other_links_and_more_answers_stay_in_r() -> None:
    calls = recorded("ordered")
    for name, said in (("r2", "link probit"), ("r6", "5 ordered answers")):
        found = translators()["MASS::polr"](calls[name], Context(captured(calls)))
        assert found.route == "bridge" and said in found.reason
        assert "polr_design" in written(Step(calls[name], found))
    assert translators()["MASS::polr"](calls["r5"], Context(captured(calls))).route == "outside"
