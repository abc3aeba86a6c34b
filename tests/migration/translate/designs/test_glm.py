"""glm and gnm on designs of paired comparisons, each number of the Python fit beside R's of that run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pairproof.migration.translate.translation import Step
from tests.migration.translate.designs.evaluated import fewest, options, steps, written

pytestmark = pytest.mark.xdist_group("glm in scripts")

#: Variable of binomial.R -> function's keywords but reference="Nilgiri" and cells="row".
BINOMIAL = {
    "g1": {},
    "g2": {"order_effect": True},
    "g4": {"order_effect": True, "comparison_terms": ["z"]},
    "g5": {"by": "region", "comparison_terms": ["regionnorth", "regionsouth", "regionwest"]},
    "g5b": {"by": "region"},
    "g6": {"by": "age"},
    "g7": {},
    "g8": {"by": "Assam:age"},
    "g9": {"comparison_terms": ["home"], "link": "probit"},
    "g10": {"offset": "offset"},
    "g12": {},
    "g13": {"ties": "half"},
}
#: Variable of poisson.R -> keywords but cells="row".
POISSON = {
    "p1": {},
    "p2": {"order_effect": True},
    "p3": {},
    "p4": {"by": "region + tie:region"},
    "p5": {},
    "p6": {"ties": "none"},
    "p8": {"order_effect": True},
    "p9": {"by": "tie:age"},
    "q1": {},
    "q2": {"by": "ENG"},
    "q3": {"item_terms": ["LAT", "EC"], "by": "LAT:ENG"},
    "q4": {"item_terms": ["LAT"]},
    "q5": {"ties": "none"},
    "q6": {"by": "tie:ENG"},
    "q7": {"by": "lo:ENG"},
    "q9": {"by": "lo:ENG"},
}


@pytest.fixture(scope="module")
def binomial(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Step]:
    # g11 goes to R, which these tests do without.
    return steps("binomial", tmp_path_factory.mktemp("binomial"), {**BINOMIAL, "g3": {}})


@pytest.fixture(scope="module")
def poisson(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Step]:
    return steps("poisson", tmp_path_factory.mktemp("poisson"), POISSON)


def agreeing(step: Step) -> None:
    """It is native, and every number of R agrees within its floor."""
    assert step.translation.route == "native", step.translation.reason
    assert not step.refused
    assert [str(r.quantity) for r in step.rows if r.verdict != "agrees"] == []
    kinds = {str(r.quantity).split(".")[0] for r in step.rows}
    assert {"estimate", "deviance", "df_resid"} <= kinds
    # glm stops at a relative change of the deviance of 1e-8, gnm at 1e-6 of the score: fewest observed 6.3.
    assert fewest(step, "estimate") >= 6.0
    assert fewest(step, "deviance") >= 12.0  # flat at the maximum; fewest observed 13.4
    assert fewest(step, "df_resid") == 16.0


@pytest.mark.parametrize("name", BINOMIAL)
def test_a_binomial_glm_of_contests_is_fit_bradley_terry_with_the_same_numbers(
    name: str, binomial: dict[str, Step]
) -> None:
    agreeing(binomial[name])
    assert options(binomial[name]) == {"reference": "Nilgiri", **BINOMIAL[name]}


@pytest.mark.parametrize("name", POISSON)
def test_a_poisson_model_with_a_constant_for_each_contest_is_fit_llbt_with_the_same_numbers(
    name: str, poisson: dict[str, Step]
) -> None:
    agreeing(poisson[name])
    assert options(poisson[name]) == POISSON[name]


def test_standard_errors_are_compared_but_for_links_whose_information_differs(
    binomial: dict[str, Step]
) -> None:
    # R's are of the weights of the step before the last: fewest observed 4.6 digits, with covariates of
    # items.
    assert fewest(binomial["g1"], "se") >= 5.0
    assert "se" not in {str(r.quantity).split(".")[0] for r in binomial["g9"].rows}
    assert "observed information" in " ".join(binomial["g9"].translation.notes)


def test_the_reference_is_named_from_the_players(binomial: dict[str, Step]) -> None:
    assert options(binomial["g3"]) == {"reference": "Assam"}
    assert 'items=["Ceylon", "Darjeeling", "Nilgiri", "Assam"]' in written(binomial["g3"])
    assert 'columns={"first": "left", "second": "right"}' in written(binomial["g1"])


def test_the_dispersion_of_a_quasi_family_is_pearson_s_chi_square_by_its_df_in_r_too(
    binomial: dict[str, Step], poisson: dict[str, Step]
) -> None:
    for step in (binomial["g8"], poisson["p5"]):
        assert any("dispersion of the quasi family" in note for note in step.translation.notes)
        assert fewest(step, "se") >= 4.0  # R's divided by the root of Python's; fewest observed 5.2
        assert "llf" not in {str(r.quantity) for r in step.rows}


def test_half_wins_are_ties_that_count_as_half_and_say_so(binomial: dict[str, Step]) -> None:
    assert any(note.startswith("half wins") for note in binomial["g13"].translation.notes)
    assert "llf" not in {str(r.quantity) for r in binomial["g13"].rows}


def test_a_design_of_prefmod_is_no_surprise_and_another_is_said_to_be_one(poisson: dict[str, Step]) -> None:
    assert poisson["q1"].translation.notes == ()
    assert any("its design is one" in note for note in poisson["p1"].translation.notes)


def test_what_does_not_fit_or_has_no_counterpart_names_the_reason(tmp_path: Path) -> None:
    from pairproof.migration.migrate import translators
    from pairproof.migration.translate.translation import Context
    from tests.migration.translate.designs.recorded import captured, recorded

    calls = {**recorded("binomial"), **recorded("poisson")}
    context = Context(captured(calls))
    glm = translators()["stats::glm"]
    for name, said in (
        ("g11", "link cloglog"),
        ("p7", "have 9 rows"),
        ("q8", "have 6 rows"),
        ("q10", "have 36 rows"),
    ):
        found = glm(calls[name], context)
        assert found.route == "bridge" and said in found.reason
        assert "pairproof.bridge.by_design." in written(Step(calls[name], found))
