"""glm on designs of patt.design, each number of fit_pattern beside R's of that run."""

from __future__ import annotations

import pytest

from pairproof.migration.migrate import translators
from pairproof.migration.translate.translation import Context, Step
from tests.migration.translate.designs.evaluated import fewest, options, steps, written
from tests.migration.translate.designs.recorded import captured, recorded

NATIVE = {
    "t1": {},
    "t2": {"by": "SEX"},
    "t3": {"dependence": True},
    "t5": {"ties": "by-pair"},
    "t6": {},
    "t7": {"ties": "none"},
    "t8": {"item_terms": ["x"]},
    "t9": {},
    "t10": {"ties": "by-pair", "by": "o1:SEX"},
    "t11": {"ties": "by-pair"},
}


@pytest.fixture(scope="module")
def patterns(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Step]:
    return steps("patterns", tmp_path_factory.mktemp("patterns"), NATIVE)


@pytest.mark.parametrize("name", NATIVE)
def test_a_pattern_model_by_glm_is_fit_pattern_with_the_same_numbers(
    name: str, patterns: dict[str, Step]
) -> None:
    step = patterns[name]
    assert step.translation.route == "native" and not step.refused
    assert written(step).startswith("pairproof.fit_pattern(") and options(step) == NATIVE[name]
    assert [str(r.quantity) for r in step.rows if r.verdict != "agrees"] == []
    assert {"estimate", "se", "deviance", "df_resid", "llf"} <= {
        str(r.quantity).split(".")[0] for r in step.rows
    }
    # glm stops at a relative change of the deviance of 1e-8: fewest observed 9.6, of errors 5.1.
    assert fewest(step, "estimate") >= 8.5 and fewest(step, "se") >= 4.5
    # Moved to coarser groups in t3 and t11; fewest observed 12.9.
    assert fewest(step, "deviance") >= 11.5 and fewest(step, "df_resid") == 16.0


def test_what_people_answered_is_read_off_the_rows(patterns: dict[str, Step]) -> None:
    kinds = {name: patterns[name].value.respondents.kind for name in ("t1", "t9", "t10")}
    assert kinds == {"t1": "comparisons", "t9": "rankings", "t10": "ratings"}
    assert sum(patterns["t9"].value.respondents.weights) == 150  # simulated rankings
    assert any("ranks" in note for note in patterns["t10"].translation.notes)


def test_a_pattern_model_that_fit_pattern_does_not_have_stays_in_r() -> None:
    calls = recorded("patterns")
    for name, said in (("t4", "no separate constant"), ("t12", "no equivalent")):
        found = translators()["stats::glm"](calls[name], Context(captured(calls)))
        assert found.route == "bridge" and said in found.reason
