"""Rows are chosen by values of columns, and by nothing else; what no row mentions any more is gone."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.where import rows_where
from pairproof.errors import InputError, ItemError

TABLE = pairproof.Comparisons.build(
    ["A", "B", "C"],
    [0, 0, 1, 0],
    [1, 2, 2, 1],
    [1, 2, 3, 4],
    None,
    [1, 1, 1, 1],
    columns={
        "judge": Factor(np.array([0, 1, 1, -1]), ("ann", "x=1")),
        "length": np.array([1.0, 2.5, np.nan, 1.0]),
    },
)
#: Issue 25: A, B and C are compared in English, and G only in German.
LANGUAGES = {
    "first": ["A", "B", "A", "G", "A"],
    "second": ["B", "C", "C", "A", "G"],
    "wins": [5, 4, 6, 1, 4],
    "losses": [3, 3, 2, 3, 2],
    "lang": ["en", "en", "en", "de", "de"],
}
VOTES = {
    "model_a": ["A", "A", "B", "C", "A"],
    "model_b": ["B", "B", "C", "A", "C"],
    "winner": ["model_a", "tie", "model_b", "tie (bothbad)", "model_a"],
    "rater": ["r1", "r2", "r1", "r2", "r10"],
    "score": [1, 2.50, 3, None, 5],
}


@pytest.mark.parametrize(
    ("conditions", "rows"),
    [
        ([("judge", "ann")], [0]),
        ([("judge", "ann"), ("judge", "x=1")], [0, 1, 2]),
        ([("judge", "x=1"), ("length", "2.50")], [1]),
        ([("first", "A"), ("second", "B")], [0, 3]),
        ([("judge", "")], [3]),
        ([("length", "")], [2]),
        ([("length", "1")], [0, 3]),
        (["judge=ann", "judge=x=1"], [0, 1, 2]),
        (["judge=ann|x=1", "length>=2"], [1]),
        (["judge!=ann"], [1, 2]),
        (["judge!="], [0, 1, 2]),
        (["length<2.5"], [0, 3]),
        (["length<=2.5", "length>1"], [1]),
        (["length!=1"], [1]),
        (["first != A"], [2]),
        (["first==B"], [2]),
        (["wins>2", "second=B|C"], [2, 3]),
    ],
)
def test_values_of_one_column_are_alternatives_and_all_else_holds_together(conditions, rows):
    assert np.flatnonzero(rows_where(TABLE, conditions, TABLE.choosable)).tolist() == rows


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ([("jugde", "ann")], "no column 'jugde'; found judge, length, first, second"),
        ([("jugde", "ann")], "did you mean 'judge'?"),
        ([("judge", "bob")], "column 'judge': no row has 'bob'; the values are ann, x=1"),
        ([("length", "long")], "column 'length' is numeric; 'long' is not a number"),
        (
            [("length", "7")],
            "column 'length': no row has '7'; its values range from 1 to 2.5; the nearest are 1, 2.5",
        ),
        ([("first", "")], "column 'first': no row is without a value"),
        ([("judge", "ann"), ("length", "2.5")], "none of 4 rows has judge=ann and length=2.5"),
        ([("length", "__import__('os')")], "is not a number"),
        (["foo"], "where='foo': expected NAME=VALUE, NAME=a|b|c, or !=, <, <=, > or >= instead of ="),
        (["judge<3"], "column 'judge' is not numeric (it contains 'ann'), so judge<3 has no meaning"),
        (["length<long"], "column 'length' is numeric; 'long' is not a number"),
        (["length>9"], "no row has length>9; its values range from 1 to 2.5"),
        (["judge!=bob"], "no row has 'bob'; the values are ann, x=1"),
        (["judge=ann|"], "has an empty value between bars"),
    ],
)
def test_what_is_not_there_is_refused(conditions, message):
    with pytest.raises(InputError) as caught:
        rows_where(TABLE, conditions, TABLE.choosable)
    assert message in str(caught.value)


def test_of_many_values_the_nearest_are_listed():
    many = {**LANGUAGES, "judge": ["anna", "bert", "carl", "dora", "emil"]}
    rows = {name: values * 6 for name, values in many.items()}
    rows["judge"] = [f"{name}{k}" for k, name in enumerate(rows["judge"])]
    with pytest.raises(InputError, match="no row has 'ana10'; the nearest of its 30 values are .*anna10"):
        pairproof.read(rows, where="judge=ana10")


def test_items_without_a_comparison_after_a_filter_are_gone_and_the_numbers_are_those_of_the_rest():
    english = {name: values[:3] for name, values in LANGUAGES.items()}
    alone = pairproof.fit_llbt(pairproof.read(english))
    for table in (
        pairproof.read(LANGUAGES, where="lang=en"),
        pairproof.read(LANGUAGES).where("lang=en"),
        pairproof.read(LANGUAGES, items=["A", "B", "C", "G"], where=["lang!=de"]),
    ):
        assert table.items == ("A", "B", "C")
        fit = pairproof.fit_llbt(table)
        assert fit.params.to_dict() == alone.params.to_dict() and fit.deviance == alone.deviance
        assert not fit.not_estimable
        assert str(table.narrowed).endswith(
            "23 of 33 comparisons; 1 item has no comparison there and is left out: G"
        )


def test_a_level_that_no_row_has_any_more_is_gone():
    table = pairproof.read(LANGUAGES).where("first=A|B")
    assert isinstance(table.columns["lang"], Factor) and table.columns["lang"].levels == ("de", "en")
    assert table.where("lang=en").columns["lang"].levels == ("en",)
    assert pickle.loads(pickle.dumps(table)).narrowed == table.narrowed


def test_a_reference_that_is_gone_is_refused_with_what_to_do():
    table = pairproof.read(LANGUAGES, where="lang=en")
    with pytest.raises(
        ItemError, match="G has no comparison where lang=en: name a remaining item, or select"
    ):
        pairproof.fit_llbt(table, reference="G")
    with pytest.raises(ItemError, match="no comparison where lang=en"):
        pairproof.compare_two(table, "A", "G")


@pytest.mark.parametrize(
    ("where", "n"),
    [
        ("winner=tie", 1),
        ("winner=tie|tie (bothbad)", 2),
        ("rater=r1", 2),
        ("judge=r1|r10", 3),
        ("judge!=r1", 3),
        ("score<=2.5", 2),
        ("score=2.5", 1),
        ("score=", 1),
        ("model_a=A", 3),
    ],
)
def test_the_files_own_names_of_columns_and_ours_choose_rows_alike(where, n):
    assert pairproof.read(VOTES, columns={"judge": "rater"}, where=where).n_comparisons == n


@pytest.mark.parametrize(
    ("where", "n"), [("outcome=tie", 2), ("winner=tie", 2), ("outcome!=tie", 2), ("winner=model_b|tie", 3)]
)
def test_a_table_that_was_read_chooses_rows_by_their_answer_in_the_words_of_both_layouts(where, n):
    table = pairproof.read(
        {"first": list("AABC"), "second": list("BCCA"), "outcome": ["first", "tie", "second", "tie"]}
    )
    assert table.where(where).n_comparisons == n
    votes = {"model_a": list("AABC"), "model_b": list("BCCA"), "winner": ["model_a", "tie", "model_b", "tie"]}
    assert pairproof.read(votes).where(where).n_comparisons == n
    assert pairproof.read(votes, where=where).n_comparisons == n


def test_rows_of_counts_are_not_chosen_by_their_answer():
    table = pairproof.read({"first": ["A", "B"], "second": ["B", "C"], "wins": [3, 2], "losses": [0, 1]})
    with pytest.raises(InputError, match="row 2 counts answers of several kinds.*wins, ties and losses"):
        table.where("outcome=first")
    assert table.where("losses=0").n_comparisons == 3


def test_errors_by_cluster_take_the_files_own_name_of_a_column():
    table = pairproof.read(
        {name: values * 4 for name, values in VOTES.items()}, columns={"judge": "rater", "source": "score"}
    )
    fit = pairproof.fit_llbt(table)
    ours, own = fit.clustered("judge", kind="CR1"), fit.clustered("rater", kind="CR1")
    assert own.bse.to_dict() == pytest.approx(ours.bse.to_dict(), nan_ok=True)
    assert own.robust is not None and own.robust.columns == ("judge",)
    with pytest.raises(InputError, match="two different ones"):
        fit.clustered("judge", "rater")


def test_a_tie_category_is_that_of_the_instrument_whichever_rows_are_chosen():
    assert pairproof.read(VOTES, where="winner!=tie|tie (bothbad)").tie_category


def test_persons_of_whole_answers_are_chosen_in_the_same_way():
    answers = {"A": [1, 2, 1], "B": [2, 1, None], "C": [None, None, 2], "sex": [1, 1, 2]}
    table = pairproof.read_respondents(
        answers, "ranks", items=["A", "B", "C"], unranked="absent", where="sex=1"
    )
    assert table.items == ("A", "B") and table.n_persons == 2
    assert str(table.narrowed) == "sex=1: 2 of 3 persons; 1 item has no comparison there and is left out: C"


def test_an_item_that_stands_on_one_side_only_is_left_out_on_both() -> None:
    votes = {"model_a": ["X", "A", "B"], "model_b": ["A", "B", "A"], "winner": ["model_a"] * 3}
    assert pairproof.read(votes, where=["model_a!=X", "model_b!=X"]).items == ("A", "B")
    with pytest.raises(InputError, match="column 'model_b': no row has 'Y'"):
        pairproof.read(votes, where="model_b!=Y")
