"""prefmod's wide tables of comparisons, psychotools' text of them, and ratings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from pairproof import bridge
from pairproof.bridge.packages.asking import ask
from pairproof.data.respondents import Respondents, from_paircomp, from_pairs, from_ratings
from pairproof.data.respondents.codes import MISSING
from pairproof.data.wide import prefmod_pair_order
from pairproof.errors import InputError
from pairproof.native.answers.patterns.comparison_patterns import fit_comparisons
from pairproof.native.answers.patterns.natural_parameters import main_effects
from pairproof.native.answers.patterns.rating_patterns import fit_ratings
from tests.data.respondents.tables import tables

CODING = {"first": 1, "tie": 0, "second": -1, "missing": "NA"}


# -- comparisons ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coding", "codes"),
    [
        ({"first": 1, "tie": 0, "second": -1}, [[1, 0, -1], [-1, 1, 1]]),
        ({"first": 0, "tie": 1, "second": 2}, [[0, 1, 2], [2, 0, 0]]),
        ("first=1,tie=2,second=3", [[1, 2, 3], [3, 1, 1]]),
        ({"first": [2, 1], "tie": 0, "second": [-1, -2]}, [[2, 0, -2], [-1, 1, 2]]),
        (
            {"first": "left", "tie": "same", "second": "right"},
            [["left", "same", "right"], ["right", "left", "left"]],
        ),
    ],
)
def test_codings_of_prefmods_tables_say_the_same(coding: Any, codes: list[list[Any]]) -> None:
    columns = {f"V{k}": [row[k] for row in codes] for k in range(3)}
    table = from_pairs(columns, items=["A", "B", "C"], pair_order="prefmod", coding=coding)
    assert table.once.tolist() == [[1, 0, -1], [-1, 1, 1]]
    assert table.tie_category


def test_other_orders_of_pairs_become_prefmods() -> None:
    lexicographic = from_pairs(
        {"A:B": [1], "A:C": [1], "A:D": [-1], "B:C": [-1], "B:D": [0], "C:D": [1]},
        items=list("ABCD"), pair_order="lexicographic", coding=CODING,
    )  # fmt: skip
    assert lexicographic.once.tolist() == [[1, 1, -1, -1, 0, 1]]
    stated = from_pairs(
        {"x": [1], "y": [-1]}, items=list("ABC"), pair_order=[("C", "A"), ("A", "B")], coding=CODING
    )
    assert stated.once.tolist() == [[-1, -1, MISSING]]  # C before A is A behind C; B and C were not compared


def test_an_instrument_without_answers_in_the_middle_keeps_its_tie_category() -> None:
    # prefmod counts the codes it meets: 0/1/2 without a 2 makes losses of ties there.
    options: dict[str, Any] = dict(items=list("ABC"), pair_order="prefmod", coding="first=0,tie=1,second=2")
    table = from_pairs({"V1": [0, 2], "V2": [0, 0], "V3": [2, 0]}, tie_category=True, **options)
    assert table.tie_category
    assert not from_pairs({"V1": [0, 2], "V2": [0, 0], "V3": [2, 0]}, **options).tie_category


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"coding": "first=1,second=-1"}, "table, row 1, column 'V2': the answer is 0"),
        ({"coding": "first=1,tie=0,second=-1"}, "row 2, column 'V3': the answer is blank; expected exactly"),
        ({"pair_order": None}, "needs items=, pair_order= and coding="),
        ({"items": ["A", "B", "C", "D"]}, "4 items (A, B, C, D) have 6 pairs"),
        ({"tie_category": False}, "row 1, column 'V2': a tie, but tie_category=False"),
    ],
)
def test_a_table_of_comparisons_is_refused_with_its_place(change: dict[str, Any], words: str) -> None:
    options = {"items": ["A", "B", "C"], "pair_order": "prefmod", "coding": CODING, **change}
    with pytest.raises(InputError) as error:
        from_pairs({"V1": [1, 1], "V2": [0, -1], "V3": [-1, np.nan]}, **options)
    assert words in str(error.value)


@pytest.mark.r("prefmod")
def test_immig_fits_as_prefmods_pattern_model_with_missing_comparisons() -> None:
    frame = bridge.package_data("prefmod", "immig")
    table = from_pairs(frame, items=list("ABCD"), pair_order="prefmod", coding=CODING)
    assert list(table.columns) == ["SEX", "AGE", "NAT"]
    code = """
    suppressMessages(suppressWarnings(library(prefmod)))
    m <- pattPC.fit(immig[, 1:6], nitems = 4, undec = TRUE)
    list(coef = m$coefficients, ll = -m$result$minimum)
    """
    answer = ask("live", "prefmod", code, {}, ("prefmod",)).as_list()
    fit = fit_comparisons(table.once, [main_effects("ABCD")], weights=table.weights, undecided="one")
    # prefmod stops short of the maximum: observed 2.3e-6 in coefficients, 3e-10 in the log-likelihood.
    assert fit.estimate.phi == pytest.approx(answer.vector("coef").floats(), abs=5e-5)
    assert fit.estimate.llf == pytest.approx(float(answer.vector("ll").floats()[0]), abs=1e-6)


# -- psychotools' text ---------------------------------------------------------------------------------------


def text_of(table: Respondents) -> list[str]:
    signs = {1: ">", 0: "=", -1: "<"}
    pairs = [(table.items[i], table.items[j]) for i, j in prefmod_pair_order(len(table.items))]
    return [
        "{"
        + ", ".join("NA" if c == MISSING else f"{a} {signs[int(c)]} {b}" for (a, b), c in zip(pairs, row))
        + "}"
        for row in table.once
    ]


@settings(deadline=None)  # other work on the machine is no failure
@given(tables(("comparisons",)))
def test_the_text_of_a_paircomp_is_read_back(table: Respondents) -> None:
    table = table.at_time(table.times[0])
    found = from_paircomp({"x": text_of(table)}, column="x", items=table.items, tie_category=True)
    assert (found.once == table.once).all()


PAIRCOMP = """
suppressMessages(library(psychotools))
data("GermanParties2009")
x <- GermanParties2009$preference
m <- as.matrix(x)
list(text = as.character(x), values = as.numeric(m), rows = nrow(m), items = labels(x))
"""


@pytest.mark.r("psychotools")
def test_german_parties_as_text_are_psychotools_own_numbers() -> None:
    answer = ask("live", "psychotools", PAIRCOMP, {}, ("psychotools",)).as_list()
    texts, items = answer.vector("text").values.tolist(), answer.vector("items").values.tolist()
    values = np.asarray(answer.vector("values").floats())
    values = values.reshape(int(answer.vector("rows").floats()[0]), -1, order="F")
    table = from_paircomp({"x": texts}, column="x")
    assert table.items == tuple(items) == ("none", "Linke", "Gruene", "SPD", "CDU/CSU", "FDP")
    assert (table.once == np.where(np.isnan(values), MISSING, values)).all()
    assert table.n_persons == 192
    assert not table.tie_category


def test_a_column_a_pair_that_r_writes_of_a_paircomp_is_prefmods_table() -> None:
    # write.csv(data.frame(p = paircomp(...)), row.names = FALSE) writes these names.
    columns = {"p.1:2": [1, -1], "p.1:3": [1, 0], "p.2:3": [np.nan, 1], "s": [1, 2]}
    table = from_pairs(columns, items=["a", "b", "c"], pair_order="prefmod", coding=CODING)
    assert (
        table.once.tolist()
        == from_paircomp({"x": ["{a > b, a > c, NA}", "{a < b, a = c, b > c}"]}, column="x").once.tolist()
    )


def test_names_with_commas_are_read_where_items_are_stated() -> None:
    table = from_paircomp({"x": ["{Me, you > b > c}"]}, column="x", items=["Me, you", "b > c"])
    assert table.sentences() == ["1  Me, you > b > c"]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("{a > b, a < c, b >...}", {}, "print has shortened it; write it with as.character"),
        ("a > b", {}, "expected a text such as"),
        ("{a > b, a < c, b > d}", {"items": ["a", "b", "c"]}, "comparison 3 of 3 is 'b > d'; expected 'b > c'"),
        ("{a > b, a < c}", {"items": ["a", "b", "c"]}, "comparison 3 of 3 is ''"),
        ("{a > b, a < c}", {}, "comparisons; expected each pair"),
        ("{a >> b, a 2< c, b > c}", {}, "degrees='ignore' keeps that"),
        ("{a > b, a < c, b > c, b > a}", {"items": ["a", "b", "c"]}, "continues after the 3 pairs of 3 items, with 'b > a'"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_paircomp_is_refused(text: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        from_paircomp({"x": ["{a > b, a < c, b > c}", text]}, column="x", **options)
    assert words in str(error.value)
    assert "'x'" in str(error.value)


def test_both_orders_of_the_pairs_are_refused() -> None:
    with pytest.raises(InputError, match=r"both orders of the pairs \(ordered = TRUE\)"):
        from_paircomp({"x": ["{a > b, a < c, b > c, b > a, c < a, c < b}"]}, column="x")


def test_degrees_are_left_out_where_that_is_said() -> None:
    table = from_paircomp({"x": ["{a >> b, a 2< c, b > c}", ""]}, column="x", degrees="ignore")
    assert table.once.tolist() == [[1, -1, 1], [MISSING] * 3]


# -- ratings -------------------------------------------------------------------------------------------------


def test_high_ratings_are_preferred_where_that_is_said() -> None:
    columns = {"A": [5, 1, None], "B": [1, 1, 3]}
    high = from_ratings(columns, scale="1-5", best="high", items=["A", "B"])
    low = from_ratings(columns, scale=[1, 2, 3, 4, 5], best="low", items=["A", "B"])
    assert high.scale == (5, 4, 3, 2, 1)
    assert high.once.tolist() == [[1, 5], [5, 5], [0, 3]]
    assert high.pair_answers[:, 0].tolist() == [[1], [0], [MISSING]]
    assert (low.pair_answers[:2] == -high.pair_answers[:2]).all()


def test_the_scale_does_not_depend_on_who_answered() -> None:
    # prefmod takes the observed range: one more answer of (1, 5) changes U from .35 to .78 there.
    two = from_ratings({"A": [1, 2, 2, 1], "B": [2, 1, 2, 2]}, scale="1-5", best="low", items=["A", "B"])
    fit = fit_ratings(two.once, len(two.scale), [main_effects("AB")])
    assert len(two.scale) == 5
    # Two items: wins 2, ties 1, losses 1 are fitted exactly, log-odds log 2; doubles hold 15 digits.
    assert fit.estimate.phi == pytest.approx([np.log(2) / 2, -np.log(2) / 2], abs=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scale": "1-4", "best": "low"}, "table, row 2, column 'A': the rating is 5"),
        ({"scale": "1-5", "best": "up"}, "best='up'; expected one of 'low', 'high'"),
        ({"scale": "5-1", "best": "low"}, "scale='5-1'; expected its ends"),
        ({"scale": "0-1000000", "best": "low"}, "2 to 1,001 points"),
        ({"scale": 5, "best": "low"}, "scale=5; expected its ends"),
        ({"scale": [1, 1], "best": "low"}, "two or more different numbers"),
        ({"scale": ["a", "b"], "best": "low"}, "expected the points of the scale as numbers"),
    ],
)
def test_ratings_off_the_scale_are_refused_with_their_place(options: Any, words: str) -> None:
    with pytest.raises(InputError) as error:
        from_ratings({"A": [1, 5], "B": [2, 2]}, items=["A", "B"], **options)
    assert words in str(error.value)


@pytest.mark.r("prefmod")
def test_music_of_prefmod_is_read_with_its_gaps() -> None:
    frame = bridge.package_data("prefmod", "music")
    table = from_ratings(frame, answers=list(frame)[:18], scale="1-5", best="low")
    assert table.n_persons == 1597
    assert int((table.once == 0).any(axis=1).sum()) == 706
    assert list(table.columns) == ["age", "educ", "sex"]
