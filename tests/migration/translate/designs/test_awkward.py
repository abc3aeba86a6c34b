"""Names that mean something else in Python, rows left out, weights, separation, items that are not joined."""

from __future__ import annotations

import pytest

from pairproof.migration.migrate import translators
from pairproof.migration.translate.translation import Context, Step, Translation
from tests.migration.translate.designs.evaluated import fewest, options, steps, written
from tests.migration.translate.designs.recorded import captured, recorded

pytestmark = pytest.mark.xdist_group("awkward calls in scripts")

NATIVE = ("x1", "x2", "x3", "x4", "x5", "x7", "x11", "x12", "x14", "x15")


def translated(name: str) -> Translation:
    calls = recorded("awkward")
    return translators()[calls[name].function](calls[name], Context(captured(calls)))


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Step]:
    return steps("awkward", tmp_path_factory.mktemp("awkward"), {name: {} for name in (*NATIVE, "x6")})


@pytest.mark.parametrize("name", NATIVE)
def test_awkward_calls_agree_in_every_number(name: str, awkward: dict[str, Step]) -> None:
    assert awkward[name].translation.route == "native" and not awkward[name].refused
    assert [str(r.quantity) for r in awkward[name].rows if r.verdict != "agrees"] == []
    assert fewest(awkward[name], "llf") >= 13.0  # fewest observed 15.7


def test_names_that_a_fit_would_take_for_parameters_are_changed(awkward: dict[str, Step]) -> None:
    assert awkward["x1"].value.items == ("FC A_ _one_", "tie_", "order_", "B-ville", "C.d")
    assert options(awkward["x2"])["comparison_terms"] == ["first_", "`_my cov_`"]
    assert options(awkward["x3"])["by"] == "judge_"


@pytest.mark.parametrize("name", ["x4", "x5"])
def test_players_are_those_of_the_rows_that_r_used(name: str, awkward: dict[str, Step]) -> None:
    assert 'columns={"first": "home", "second": "away"}' in written(awkward[name])
    assert awkward[name].value.data.n_rows == {"x4": 19, "x5": 9}[name]


def test_an_infinite_estimate_is_named_and_the_others_agree(awkward: dict[str, Step]) -> None:
    off = {str(r.quantity): r.verdict for r in awkward["x6"].rows if r.verdict != "agrees"}
    assert off == {"estimate.tie_": "not-estimable", "se.tie_": "not-estimable"}


def test_fractional_weights_and_items_that_are_not_joined_stay_in_r() -> None:
    assert "neither whole numbers nor halves" in translated("x8").reason
    assert "not all connected by comparisons" in translated("x10").reason
    assert {translated("x8").route, translated("x10").route} == {"bridge"}


def test_two_items_and_a_call_that_fits_nothing_are_left_out() -> None:
    assert translated("x9").route == "outside"
    assert "its model matrix was not recorded" in translated("x13").reason
