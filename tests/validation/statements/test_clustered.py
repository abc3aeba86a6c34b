"""Statements held against clustered answers: numbers of the specification, and every verdict that there can
be.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError, ItemError
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.claims.paper import Claim, ModelClaim, Paper
from pairproof.validation.statements.under_clustering import effects_of, order_open, ways_of
from pairproof.validation.verdicts.agreement import CODES, Agreement

DRAS = read_paper("dras-2015")
LLBT = ModelClaim("llbt", "davidson", reference="D")


def judged(
    data: str = "table-1", model: ModelClaim = LLBT, test: str = "significant-by-cluster", **args: object
) -> Agreement:
    claim = Claim(
        "mine", data=data, model=model, statement="S.", test=test, test_args={"by": ["judge"], **args}
    )
    return Checker(Paper("p", "t", data=DRAS.data, claims=(*DRAS.claims, claim))).claim(claim)[-1]


def dras() -> pairproof.Fit:
    return Checker(DRAS).fit("table-1")


def test_effects_have_the_estimates_and_standard_errors_of_the_specification() -> None:
    """Davidson's model of Dras's Table 1 by judge, on the log-odds scale, where CR2 is CR1 on 3 df."""
    effects = effects_of(dras(), ["judge"], [("A", "D"), ("B", "D"), ("C", "D")], {"tie": "negative"})
    unit = np.array([2.0, 2.0, 2.0, 1.0])  # the fit's items are lambdas, half of a log-odds
    # The vectors have 12 digits; observed 4e-13.
    assert unit * [e.independent.estimate for e in effects] == pytest.approx(
        [0.801342287290, -2.19613628448, -3.09904851482, -1.83170436482], rel=1e-11
    )
    assert unit * [e.independent.se for e in effects] == pytest.approx(
        [0.158575711341, 0.190522218743, 0.214852941226, 0.162291678684], rel=1e-11
    )
    assert unit * [e.clustered[0].se for e in effects] == pytest.approx(
        [0.922122253983, 0.420278176498, 0.390671427863, 0.151149333925], rel=1e-11
    )
    assert [e.clustered[0].df for e in effects] == pytest.approx([3.0] * 4, abs=1e-9)
    assert {e.independent.df for e in effects} == {math.inf}


def test_a_test_is_that_of_the_fits_own_contrast() -> None:
    (effect,) = effects_of(dras(), ["judge"], [("B", "C")])
    for test, contrast in (
        (effect.independent, dras().contrast("B", "C")),
        (effect.clustered[0], dras().clustered("judge").contrast("B", "C")),
    ):
        # The same formula on two ways; observed equal to the last bit but one.
        assert (test.estimate, test.se, test.df, test.statistic, test.p) == pytest.approx(
            (contrast.estimate, contrast.se, contrast.df, contrast.z, contrast.p), rel=1e-9
        )


def test_the_other_way_round_is_the_same_test_with_the_other_sign() -> None:
    one, other = effects_of(dras(), ["judge"], [("A", "D"), ("D", "A")])
    assert other.independent.estimate == -one.independent.estimate
    assert other.clustered[0].se == pytest.approx(one.clustered[0].se, rel=1e-13)
    assert other.clustered[0].p_above == pytest.approx(1.0 - one.clustered[0].p_above, rel=1e-12)


def test_what_stays_significant_by_judge_agrees_and_what_does_not_is_explained_and_named() -> None:
    kept = judged(pairs=[["A", "B"], ["D", "C"]])
    assert kept.verdict == "agrees" and kept.explanation.startswith(
        "survives clustering: CR2 by judge (4 clusters). A - B 1.4987: se "
    )
    lost = judged(pairs=[["A", "B"], ["A", "D"]])
    assert (lost.verdict, lost.code) == ("explained", "independent-answers")
    assert "A - D does not survive clustering; A - B survives" in lost.explanation
    # 0.869: t of A - D, the weaker of the two.
    assert lost.native == pytest.approx(0.801342287290 / 0.922122253983, rel=1e-10)
    assert lost.explanation.endswith("With 3.0 degrees of freedom, p is approximate")


def test_what_is_not_significant_with_independent_answers_either_is_false() -> None:
    wrong = judged(pairs=[["B", "A"]])
    assert wrong.verdict == "differs-conclusion" and wrong.explanation.startswith(
        "false: also not significant"
    )
    assert judged(parameters={"tie": "positive"}).verdict == "differs-conclusion"


def test_counts_without_judges_cannot_be_clustered_and_say_how_much_room_they_have() -> None:
    row = judged("modpref", ModelClaim("llbt", "davidson", reference="o2"), parameters={"o1": "positive"})
    assert (row.verdict, row.code, row.passes) == ("not-checkable", "no-clusters", True)
    # 2.620 / 1.960 = 1.337
    assert (
        "o1 (z = 2.62) would lose significance if clustering made its standard error 1.34 times as large"
        in row.explanation
    )


def test_what_one_judge_alone_determines_has_no_clustered_standard_error() -> None:
    model = ModelClaim("llbt", "davidson", by="judge", reference="D")
    row = judged(model=model, parameters={"A:judge[3]": "either", "tie": "negative"})
    assert (row.verdict, row.code) == ("not-checkable", "one-cluster")
    # The tie parameter is common to all judges, and keeps its own: the specification has .2374 on 2.92.
    assert "by judge se 0.2374, t = -" in row.explanation and "on 2.9 df" in row.explanation


def test_an_order_that_clustering_leaves_open_says_if_independent_answers_would_not() -> None:
    row = judged(test="order-open-by-cluster", pairs=[["A", "D"]])
    assert (
        row.verdict == "agrees"
        and "holds only under clustering: with independent answers A - D is distinguishable"
        in row.explanation
    )
    settled = judged(test="order-open-by-cluster", pairs=[["A", "D"], ["D", "B"]])
    assert (
        settled.verdict == "differs-conclusion"
        and "also distinguished under clustering: D - B" in settled.explanation
    )
    alike = order_open(effects_of(dras(), ["judge"], [("A", "D")]), alpha=1e-9)
    assert alike.verdict == "agrees" and alike.explanation.startswith(
        "survives clustering: CR2 by judge (4 clusters). A - D"
    )


@pytest.mark.parametrize(
    ("args", "error", "said"),
    [
        ({"by": ["judge"]}, InputError, "no effect to test"),
        ({"by": [], "pairs": [("A", "B")]}, InputError, "by is empty"),
        ({"by": ["judge"], "pairs": [("A", "A")]}, InputError, "expected two different items"),
        ({"by": ["judge"], "pairs": [("A", "Z")]}, ItemError, "no item 'Z'; there are A, B, C, D"),
        ({"by": ["judge"], "parameters": {"order": "positive"}}, InputError, "expected one of 'A', 'B', 'C'"),
        ({"by": ["judge"], "parameters": {"tie": "large"}}, InputError, "expected one of 'positive'"),
    ],
)
def test_what_a_fit_does_not_have_is_refused(
    args: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        effects_of(dras(), **args)  # type: ignore[arg-type]  # wrong on purpose


def test_two_columns_are_joined_by_and() -> None:
    assert ways_of(["judge", "judge and source"]) == (("judge",), ("judge", "source"))


def test_the_three_codes_say_what_they_mean() -> None:
    assert {"independent-answers", "no-clusters", "one-cluster"} <= set(CODES)


def test_clusters_that_all_say_the_same_cannot_be_tried():
    """Three judges who each prefer A twice and B once: no spread, so no verdict on a difference."""
    table = pairproof.read(
        {
            "first": ["A"] * 3,
            "second": ["B"] * 3,
            "wins": [40] * 3,
            "losses": [20] * 3,
            "judge": ["i", "j", "k"],
        }
    )
    (effect,) = effects_of(pairproof.fit_llbt(table), ["judge"], [("A", "B")])
    assert effect.alone and "no standard error: the clusters show no spread" in str(effect)
