"""Awkward data of trees: each has the right answer, or an error that says where."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError, ItemError, TooLargeError
from tests.native.answers.trees.persons_made import answers_of, respondents, two_groups


def made(n: int = 80, seed: int = 2, **columns: Any) -> pairproof.Respondents:
    """Persons of two groups, `z` above .5 or not, with further columns."""
    answers, own = two_groups(seed, n)
    return respondents(answers, "ABCD", own | columns)


# -- covariates ----------------------------------------------------------------------------------------------


def test_a_constant_covariate_is_not_tested_does_not_count_and_is_said() -> None:
    without = pairproof.fit_tree(made(), ["z", "f"])
    tree = pairproof.fit_tree(made(one=["x"] * 80, two=[3.5] * 80))
    assert tree.to_frame()["llf"].tolist() == without.to_frame()["llf"].tolist()
    assert tree.tests()["p_adjusted"].tolist() == without.tests()["p_adjusted"].tolist()
    assert tree.notes[:2] == (
        "one has one value, x, and cannot divide the persons",
        "two has one value, 3.5, and cannot divide the persons",
    )


def test_missing_values_are_refused_with_their_place_or_left_out_counted_and_said() -> None:
    age: list[float | None] = list(np.arange(80.0))
    age[4] = age[70] = None
    table = made(age=age)
    wrong: Any = "drop"
    with pytest.raises(
        InputError, match=r"2 of 80 persons have no age \(the first: person '5'\); missing='leave out'"
    ):
        pairproof.fit_tree(table)
    tree = pairproof.fit_tree(table, missing="leave out")
    assert tree.n_persons == 78 and tree.left_out == 2 and "5" not in tree.root.persons
    assert (
        "2 persons without a value of a covariate were left out, as asked (missing='leave out')" in tree.notes
    )
    with pytest.raises(InputError, match="no person '5' in the tree.*; 2 were left out"):
        tree.leaf_of("5")
    rest = pairproof.fit_tree(table.select(np.flatnonzero([a is not None for a in age])))
    assert abs(rest.llf - tree.llf) < 1e-10  # the same persons in the same order: observed 0
    with pytest.raises(InputError, match="missing='drop'; expected 'refuse' or 'leave out'"):
        pairproof.fit_tree(table, missing=wrong)


def test_a_factor_of_fifteen_levels_is_tested_and_refused_where_it_would_be_divided() -> None:
    towns = [f"t{k % 15:02d}" for k in range(300)]
    rng = np.random.default_rng(4)
    noise = answers_of(rng, np.zeros((300, 3)))
    tree = pairproof.fit_tree(respondents(noise, "ABC", {"town": towns}))
    assert len(tree.leaves) == 1 and tree.root.tests[0].df == 28
    east = np.array([k % 15 < 7 for k in range(300)])
    answers = answers_of(rng, np.where(east[:, None], [[1.0, 0.0, -1.0]], [[-1.0, 0.0, 1.0]]))
    table = respondents(answers, "ABC", {"town": towns})
    with pytest.raises(
        TooLargeError,
        match="town: 15 levels in a node give 16,383 splits; the limit is 12 levels. Join levels",
    ):
        pairproof.fit_tree(table)
    ordered = pairproof.fit_tree(table, ["ordered(town)"])
    assert str(ordered.root.split) == "town in {t00, t01, t02, t03, t04, t05, t06}"
    assert ordered.root.tests[0].df == 28  # the test is a factor's, as psychotree's


def test_numbers_of_two_values_are_a_number_or_a_factor_and_divided_in_the_same_place() -> None:
    answers, columns = two_groups(2, 80)
    table = respondents(answers, "ABCD", {"g": [int(z > 0.5) for z in columns["z"]]})
    number, factor = pairproof.fit_tree(table), pairproof.fit_tree(table, ["C(g)"])
    assert (str(number.root.split), str(factor.root.split)) == ("g <= 0", "g in {0}")
    assert [n.persons for n in number.nodes] == [n.persons for n in factor.nodes]
    one, two = number.root.tests[0], factor.root.tests[0]
    # One place: the maximum is the chi-square of two levels. Observed 3e-15 and 4e-17.
    assert abs(one.statistic - two.statistic) < 1e-11 and abs(one.p - two.p) < 1e-13
    assert factor.predict({"g": [0, 1.0]})["leaf"].tolist() == number.predict({"g": [0, 1]})["leaf"].tolist()


@pytest.mark.parametrize(
    ("covariates", "said"),
    [
        (["age"], "no covariate 'age' of persons; there are 'z', 'f'"),
        (["z", "C(z)"], "covariate 'z' is named twice"),
        ([], "no covariate of persons to divide them by; name some of 'z', 'f'"),
        ("z", r"covariates='z'; expected a list of columns, for example \['z'\]"),
    ],
)
def test_wrong_covariates_are_named(covariates: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        pairproof.fit_tree(made(), covariates)


# -- leaves without finite estimates -------------------------------------------------------------------------


def test_a_leaf_with_a_separated_item_has_its_limit_and_says_so() -> None:
    rng = np.random.default_rng(1)
    answers = answers_of(rng, np.zeros((60, 3)))
    answers[:25, 0] = answers[:25, 1] = 1  # A beats B and C always
    tree = pairproof.fit_tree(respondents(answers, "ABC", {"g": ["a"] * 25 + ["b"] * 35}), reference="B")
    left = tree.leaves[0]
    assert left.rule == ("g in {a}",) and left.scores_of_items[0] == math.inf
    assert left.fit.not_estimable == ("A",) and math.isnan(left.fit.params["A"])
    wins = int((answers[:25, 2] == 1).sum())
    share = wins / 25
    # The supremum: A's comparisons are certain. Observed 2e-15.
    assert abs(left.fit.llf - (wins * math.log(share) + (25 - wins) * math.log(1 - share))) < 1e-11
    assert left.reason == "its estimate is not finite, and has no scores to test"
    assert left.ranking is not None and left.ranking.startswith("A > ")
    assert any(note.startswith("node 2: separated data: A not estimable") for note in tree.notes)
    # B and C have beaten each other: their worths stand beside A's, which is none.
    worth, predicted = tree.worth()["worth"], tree.predict({"g": ["a"]}).iloc[0]
    assert worth.isna().sum() == 1 and math.isnan(predicted["worth[A]"])
    assert abs(predicted["worth[B]"] - share) < 1e-12 and abs(predicted["worth[C]"] - (1 - share)) < 1e-12


def test_an_item_that_a_leaf_never_compared_is_named_and_not_ranked() -> None:
    answers, _ = two_groups(2, 80)
    answers[:40, 3:] = 9  # D is compared by the second group alone
    answers[:40, :3] = answers_of(np.random.default_rng(0), np.tile([2.0, 0.0, -2.0], (40, 1)))
    answers[40:, :3] = answers_of(np.random.default_rng(1), np.tile([-2.0, 0.0, 2.0], (40, 1)))
    tree = pairproof.fit_tree(respondents(answers, "ABCD", {"g": ["a"] * 40 + ["b"] * 40}))
    left, right = tree.leaves
    assert math.isnan(left.scores_of_items[3]) and left.ranking is None and right.ranking is not None
    assert "D" in left.fit.not_estimable and left.fit.params["A":"C"].notna().all()
    assert left.fit.rank == 2 and tree.df == 2 + 3 + 1


def test_a_tie_that_only_one_group_uses() -> None:
    rng = np.random.default_rng(5)
    answers = answers_of(rng, np.zeros((60, 3)))
    answers[30:] = answers_of(rng, np.zeros((30, 3)), 1.0)
    tree = pairproof.fit_tree(respondents(answers, "ABC", {"g": ["a"] * 30 + ["b"] * 30}), reference="C")
    left, right = tree.leaves
    assert tree.ties == "davidson" and left.fit.not_estimable == ("tie",) and left.ranking is not None
    none = pairproof.fit_bradley_terry(respondents(answers[:30], "ABC", {}).to_comparisons(), reference="C")
    assert abs(left.fit.llf - none.llf) < 1e-10  # the supremum, at no ties; observed 0
    assert np.isfinite(left.scores_of_items).all() and right.fit.params["tie"] > 0


@pytest.mark.parametrize(("ties", "df"), [("davidson", 3), ("half", 2), ("drop", 2)])
def test_ties_are_treated_as_asked(ties: Any, df: int) -> None:
    rng = np.random.default_rng(6)
    table = respondents(answers_of(rng, np.zeros((50, 3)), 0.3), "ABC", {"g": ["a", "b"] * 25})
    tree = pairproof.fit_tree(table, ties=ties)
    own = pairproof.fit_bradley_terry(table.to_comparisons(), ties=ties)
    assert tree.root.fit.llf == own.llf and tree.root.tests[0].df == df
    assert np.abs(np.array(tree.root.scores_of_items) - own.params[list("ABC")].to_numpy()).max() < 1e-11


def test_ties_that_cannot_be_are_refused() -> None:
    table = respondents(np.zeros((9, 1), int), "AB", {"g": ["a"] * 9})
    wrong: Any = "rao-kupper"
    with pytest.raises(InputError, match="ties='none', but 9 comparisons are ties"):
        pairproof.fit_tree(table, ties="none")
    with pytest.raises(InputError, match="every comparison is a tie, and ties='drop' leaves none"):
        pairproof.fit_tree(table, ties="drop")
    with pytest.raises(InputError, match="a tree has 'davidson', 'half', 'drop' or 'none'"):
        pairproof.fit_tree(table, ties=wrong)
    tree = pairproof.fit_tree(table)
    assert len(tree.nodes) == 1 and tree.root.fit.llf == 0.0 and tree.root.tests == ()


# -- persons -------------------------------------------------------------------------------------------------


def test_one_person_is_a_leaf() -> None:
    tree = pairproof.fit_tree(respondents(np.array([[1, 1, -1]]), "ABC", {"age": [30]}))
    assert len(tree.nodes) == 1 and tree.n_persons == 1 and tree.root.tests == ()
    assert "1 all: 1 person; " in tree.summary()


def test_persons_with_identical_answers_cannot_be_told_apart() -> None:
    same = np.tile([1, -1, 1], (40, 1))  # A > B, C > A, B > C: a circle, so that the estimate is 0
    tree = pairproof.fit_tree(respondents(same, "ABC", {"age": list(range(40))}))
    assert len(tree.nodes) == 1 and tree.root.tests == ()
    assert tree.root.reason == "the answers differ in fewer ways than there are parameters (2)"


def test_persons_who_compared_nothing_are_not_in_the_tree_and_said() -> None:
    answers, columns = two_groups(2, 80)
    nobody = np.vstack([answers, np.full((3, 6), 9)])
    table = respondents(nobody, "ABCD", {k: [*v, *v[:3]] for k, v in columns.items()})
    tree = pairproof.fit_tree(table)
    same = pairproof.fit_tree(respondents(answers, "ABCD", columns))
    assert tree.silent == 3 and tree.n_persons == 80 and tree.llf == same.llf
    assert "3 persons compared nothing and are not in the tree" in tree.notes


def test_tables_without_persons_are_refused_with_the_way_out() -> None:
    with pytest.raises(InputError, match="no column 'judge', which says who made a comparison"):
        pairproof.fit_tree(pairproof.Comparisons.build("AB", [0], [1], [3], None, [1]))
    rankings = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3]])
    with pytest.raises(InputError, match=r"the answers are rankings.*to_comparisons\(judge=True\)"):
        pairproof.fit_tree(rankings)
    with pytest.raises(InputError, match="pairs of rankings, which depend on each other"):
        pairproof.fit_tree(rankings.to_comparisons(judge=True))
    answers, columns = two_groups(2, 20)
    with pytest.raises(InputError, match="the weight is 1.5, which is not a whole number of persons"):
        pairproof.fit_tree(respondents(answers, "ABCD", columns | {"weight": [1.5] * 20}))
    with pytest.raises(ItemError, match="reference 'E' is not an item; the items are 'A', 'B', 'C', 'D'"):
        pairproof.fit_tree(made(), reference="E")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": 1.0}, "alpha 1.0; expected a number between 0 and 1"),
        ({"minimum": 0}, "minimum 0; expected 1 person in a node or more"),
        ({"most_depth": -1}, "most_depth -1; expected 0"),
        ({"adjust": "holm"}, "adjust 'holm'; expected 'bonferroni' or 'none'"),
    ],
)
def test_options_outside_their_range_are_refused(options: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        pairproof.fit_tree(made(), **options)


def test_p_is_adjusted_or_not_as_asked() -> None:
    a, b = pairproof.fit_tree(made()), pairproof.fit_tree(made(), adjust="none")
    one, two = a.root.tests[1], b.root.tests[1]
    assert two.p_adjusted == two.p == one.p and abs(one.p_adjusted - (1 - (1 - one.p) ** 2)) < 1e-15


def test_a_level_nobody_of_a_node_had_is_refused_where_it_would_decide() -> None:
    answers, columns = two_groups(2, 80)
    tree = pairproof.fit_tree(respondents(answers, "ABCD", {"g": ["ab"[int(z > 0.5)] for z in columns["z"]]}))
    with pytest.raises(
        InputError, match="person 2: no person of node 1 has g 'c'; the levels there are 'a', 'b'"
    ):
        tree.predict({"g": ["a", "c"]})
