"""`fit_tree` as a user has it: the tree of psychotree, leaves that are fits, persons, tables, invariants."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.errors import InputError
from pairproof.native.answers.trees.tree_models import PreferenceTree
from tests.native.answers.trees.data import ITEMS, topmodel_table
from tests.native.answers.trees.persons_made import answers_of, pairs_of, respondents, two_groups
from tests.native.answers.trees.with_r import bttree


def same_tree(a: PreferenceTree, b: PreferenceTree, limit: float = 1e-8) -> None:
    """Persons, tests and likelihoods; names of items and numbers of thresholds may differ."""
    assert [node.persons for node in a.nodes] == [node.persons for node in b.nodes]
    assert abs(a.llf - b.llf) < limit * (1 + abs(a.llf)) and a.df == b.df
    for one, other in zip(a.nodes, b.nodes):
        for t, u in zip(one.tests, other.tests):
            assert t.covariate == u.covariate and abs(t.statistic - u.statistic) < limit * (1 + t.statistic)
            assert abs(t.p - u.p) < limit


# -- psychotree ----------------------------------------------------------------------------------------------


@pytest.mark.r("psychotree", "partykit", "strucchange")
@pytest.mark.parametrize(
    "log_nu", [pytest.param(None, id="no ties", marks=pytest.mark.nightly), pytest.param(-0.4, id="Davidson")]
)
def test_psychotree_makes_the_same_tree_of_distinct_values(log_nu: float | None) -> None:
    answers, columns = two_groups(3, 120, log_nu)
    # Distinct values: the order of the rows then means nothing to R either.
    columns["z"] = (np.array(columns["z"]) + np.arange(120) * 1e-4).tolist()
    tree = pairproof.fit_tree(respondents(answers, "ABCD", columns), minimum=10, reference="D")
    r = bttree(answers, "ABCD", columns, 10)
    assert len(tree.leaves) >= 2
    assert [node.n_persons for node in tree.nodes] == r.persons
    # The maximum is flat: observed 0 in both.
    assert abs(tree.llf - r.llf) < 1e-9 and tree.df == r.df
    names = ["A", "B", "C", *(["tie"] if log_nu is not None else [])]
    own = np.array([[node.fit.params[name] for name in names] for node in tree.nodes])
    assert np.abs(own - r.coefficients).max() < 1e-8  # R's glm stops at 1e-8: observed 9e-11, 1e-15 with ties
    tested = [test for node in tree.nodes for test in node.tests]
    statistics = dict(zip(("statistic", "p"), np.array(r.tests).reshape(-1, 2).T))
    ours = np.array([test.statistic for test in tested])
    assert (
        np.abs(ours - statistics["statistic"]).max() < 1e-7
    )  # R's glm again: observed 3e-10, 1e-13 with ties
    factors = np.array([test.covariate == "f" for test in tested])
    p = np.array([test.p_adjusted for test in tested])
    assert np.abs(p - statistics["p"])[factors].max() < 1e-10  # adjusted as R's; observed 1e-15


@pytest.mark.r("psychotree")
def test_topmodel_read_by_its_columns_has_psychotrees_leaves_and_their_fits() -> None:
    tree = pairproof.fit_tree(topmodel_table(), minimum=5, reference="Barbara")
    assert [str(node.split) for node in tree.nodes if node.split] == [
        "age <= 52",
        "q2 in {yes}",
        "gender in {male}",
    ]
    assert [leaf.n_persons for leaf in tree.leaves] == [35, 71, 56, 30]
    assert abs(tree.llf + 1828.633035286) < 1e-9 and (tree.df, tree.items) == (23, tuple(ITEMS))
    leaf = tree.leaves[0]
    expected = [
        -0.105976033826442,
        0.712061475293715,
        -0.503874216500338,
        -0.716090048092139,
        -1.337810332262067,
    ]
    assert np.abs(leaf.fit.params[ITEMS[1:]].to_numpy() - expected).max() < 1e-11  # observed 4e-15


# -- leaves are fits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("log_nu", [None, -0.4], ids=["no ties", "ties"])
def test_a_node_has_the_numbers_of_the_engine_for_its_persons_alone(log_nu: float | None) -> None:
    answers, columns = two_groups(5, 100, log_nu)
    table = respondents(answers, "ABCD", columns)
    tree = pairproof.fit_tree(table)
    assert len(tree.leaves) == 2 and tree.root.split is not None and tree.root.split.covariate == "z"
    for node in tree.nodes:
        rows = [int(name) - 1 for name in node.persons]
        own = pairproof.fit_bradley_terry(table.select(rows).to_comparisons())
        assert np.array_equal(own.params, node.fit.params, equal_nan=True) and own.llf == node.fit.llf
        assert (node.fit.bse.dropna() > 0).all() and node.fit.contrast("A", "B").se > 0
        # The tree's own model of the node: Newton's last steps differ, observed 8e-15.
        gaps = np.array(node.scores_of_items) - node.fit.params[list("ABCD")].to_numpy()
        assert np.abs(gaps).max() < 1e-10
    assert tree.df == sum(leaf.fit.rank for leaf in tree.leaves) + 1
    assert tree.aic == -2 * tree.llf + 2 * tree.df


def test_leaves_of_single_persons_rows_know_their_judges() -> None:
    answers, columns = two_groups(5, 100)
    leaf = pairproof.fit_tree(respondents(answers, "ABCD", columns)).leaves[0]
    assert leaf.fit.clustered("judge", kind="CR0").bse["B"] > 0


# -- respondents and judges ----------------------------------------------------------------------------------


def test_judges_of_comparisons_are_persons() -> None:
    answers, columns = two_groups(7, 80)
    whole = pairproof.fit_tree(respondents(answers, "ABCD", columns))
    rows = [(i, c) for i in range(80) for c in range(6)]
    long = {
        # Some pairs the other way round, which changes nothing.
        "first": ["ABCD"[pairs_of(4)[c][i % 2]] for i, c in rows],
        "second": ["ABCD"[pairs_of(4)[c][1 - i % 2]] for i, c in rows],
        "outcome": [("first", "second")[int((answers[i, c] == 1) == bool(i % 2))] for i, c in rows],
        "judge": [i + 1 for i, _ in rows],
        "z": [columns["z"][i] for i, _ in rows],
        "f": [columns["f"][i] for i, _ in rows],
    }
    same_tree(whole, pairproof.fit_tree(pairproof.read(long)))


def test_a_covariate_that_differs_within_a_judge_is_refused_with_judge_and_values() -> None:
    data = {"first": ["A"] * 3, "second": ["B"] * 3, "outcome": ["first", "second", "first"]}
    table = pairproof.read(data | {"judge": ["ann", "bob", "bob"], "age": [31, 47, 52], "sex": list("fmm")})
    with pytest.raises(
        InputError, match=r"age of judge 'bob' has the values '47', '52'; a tree divides judges"
    ):
        pairproof.fit_tree(table)
    assert pairproof.fit_tree(table, ["sex"]).n_persons == 2
    gap = pairproof.read(data | {"judge": ["ann", "bob", "bob"], "age": [31, 47, None]})
    with pytest.raises(InputError, match="age of judge 'bob' has the values '47', 'no value'"):
        pairproof.fit_tree(gap)


def test_a_row_of_weight_three_is_three_persons() -> None:
    answers, columns = two_groups(9, 60)
    weights = np.random.default_rng(1).integers(1, 4, 60)
    heavy = respondents(answers, "ABCD", columns | {"weight": weights.tolist()})
    every = {name: np.repeat(values, weights).tolist() for name, values in columns.items()}
    single = respondents(answers.repeat(weights, axis=0), "ABCD", every)
    a, b = pairproof.fit_tree(heavy), pairproof.fit_tree(single)
    assert a.n_persons == b.n_persons == weights.sum() and a.minimum == b.minimum and len(a.leaves) > 1
    assert [node.rule for node in a.nodes] == [node.rule for node in b.nodes]
    for one, other in zip(a.nodes, b.nodes):
        assert one.n_persons == other.n_persons and abs(one.fit.llf - other.fit.llf) < 1e-9
        for t, u in zip(one.tests, other.tests):
            # Sums in another order: observed 8e-14, and 1e-15 of p.
            assert abs(t.statistic - u.statistic) < 1e-10 and abs(t.p - u.p) < 1e-11


# -- what changes nothing ------------------------------------------------------------------------------------


@settings(max_examples=5)
@given(st.integers(0, 10**6), st.permutations(range(4)), st.booleans())
def test_names_of_items_the_reference_and_the_order_of_persons_change_nothing(
    seed: int, order: list[int], ties: bool
) -> None:
    answers, columns = two_groups(seed, 60, -0.5 if ties else None)
    tree = pairproof.fit_tree(respondents(answers, "ABCD", columns))
    rng = np.random.default_rng(seed)
    rows = rng.permutation(60)
    where = {pair: k for k, pair in enumerate(pairs_of(4))}
    turned = np.column_stack(
        [
            answers[:, where[(order[i], order[j])]]
            if order[i] < order[j]
            else -answers[:, where[(order[j], order[i])]]
            for i, j in pairs_of(4)
        ]
    )
    other = pairproof.fit_tree(
        respondents(
            turned[rows], [f"item {k}" for k in order], {k: np.array(v)[rows] for k, v in columns.items()}
        ),
        reference="item 2",
    )
    back = [{int(rows[int(name) - 1]) for name in node.persons} for node in other.nodes]
    assert back == [{int(name) - 1 for name in node.persons} for node in tree.nodes]
    assert abs(tree.llf - other.llf) < 1e-8 and tree.df == other.df
    for one, two in zip(tree.nodes, other.nodes):
        for t, u in zip(one.tests, two.tests):
            assert abs(t.statistic - u.statistic) < 1e-7 * (1 + t.statistic)


@settings(max_examples=5)
@given(st.integers(0, 10**6), st.sampled_from(["exp", "cube", "ranks"]))
def test_a_rising_change_of_a_numeric_covariate_changes_thresholds_alone(seed: int, how: str) -> None:
    answers, columns = two_groups(seed, 60)
    z = np.array(columns["z"])
    changed = {"exp": np.exp(z), "cube": (z + 3) ** 3, "ranks": np.unique(z, return_inverse=True)[1]}[how]
    tree = pairproof.fit_tree(respondents(answers, "ABCD", columns))
    other = pairproof.fit_tree(respondents(answers, "ABCD", columns | {"z": changed.tolist()}))
    same_tree(tree, other)


@settings(max_examples=5)
@given(st.integers(0, 10**6))
def test_equal_rows_joined_into_one_with_their_weight_give_the_same_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    group = np.repeat([0.0, 1.0], 40)
    answers = answers_of(rng, np.array([[0.8, 0.0, -0.8], [-0.6, 0.6, 0.0]])[group.astype(int)])
    table = respondents(answers, "ABC", {"g": group.tolist()})
    tree, joined = pairproof.fit_tree(table), pairproof.fit_tree(table.merged())
    assert tree.n_persons == joined.n_persons and [n.rule for n in tree.nodes] == [
        n.rule for n in joined.nodes
    ]
    assert abs(tree.llf - joined.llf) < 1e-9
    for one, two in zip(tree.nodes, joined.nodes):
        assert [t.covariate for t in one.tests] == [t.covariate for t in two.tests]
        assert all(abs(t.p - u.p) < 1e-11 for t, u in zip(one.tests, two.tests))


# -- persons, tables, texts ----------------------------------------------------------------------------------


def test_every_person_of_the_table_is_in_the_leaf_that_is_predicted_for_it() -> None:
    answers, columns = two_groups(11, 90)
    tree = pairproof.fit_tree(respondents(answers, "ABCD", columns))
    found = tree.predict(columns)
    assert [tree.leaf_of(str(k + 1)).number for k in range(90)] == found["leaf"].tolist()
    assert tree.leaf_of({"z": 5.0, "f": "u"}).number == tree.leaves[-1].number
    leaf = tree.node(int(found["leaf"][0]))
    worth = leaf.fit.worth().set_index("item")["worth"]
    assert found["worth[B]"][0] == worth["B"] and found["ranking"][0] == leaf.ranking
    assert found["rule"][0] == leaf.rule[0]


def test_what_cannot_be_predicted_is_named() -> None:
    answers, columns = two_groups(11, 90)
    tree = pairproof.fit_tree(respondents(answers, "ABCD", columns))
    for given_, said in [
        ({}, "no column 'z', by which the tree is split; there are none"),
        ({"f": ["u"]}, "no column 'z', by which the tree is split"),
        ({"z": [0.1, None]}, "person 2: no z, by which the tree is split"),
        ({"z": ["old"]}, "person 1: z 'old'; expected a number"),
    ]:
        with pytest.raises(InputError, match=said):
            tree.predict(given_)
    with pytest.raises(InputError, match="no person '91' in the tree"):
        tree.leaf_of("91")
    with pytest.raises(InputError, match="no node 9; the tree has nodes 1 to 3"):
        tree.node(9)


def test_tables_and_json_hold_every_number() -> None:
    answers, columns = two_groups(11, 90, -0.5)
    tree = pairproof.fit_tree(respondents(answers, "ABCD", columns))
    document = json.loads(json.dumps(tree.to_dict()))
    assert [node["llf"] for node in document["nodes"]] == tree.to_frame()["llf"].tolist()
    tests = tree.tests()
    assert tests[tests["split"]][["node", "covariate"]].values.tolist() == [[1, "z"]]
    flat = [t["p_adjusted"] for node in document["nodes"] for t in node["tests"]]
    assert flat == tests["p_adjusted"].tolist() and document["aic"] == tree.aic
    # Worths of a leaf sum to 1: observed 0.
    assert sum(tree.worth()["worth"]) == pytest.approx(len(tree.leaves), abs=1e-12)
    assert document["nodes"][1]["params"]["tie"] == tree.nodes[1].fit.params["tie"]


def test_the_text_names_groups_tests_and_how_p_was_found() -> None:
    answers, columns = two_groups(11, 90)
    text = str(pairproof.fit_tree(respondents(answers, "ABCD", columns)))
    assert "Tree of Bradley-Terry models, no ties: 2 leaves" in text
    assert "psychotree" in text and "Hansen" in text and "2 z <= " in text and "Worths (se)" in text
    assert max(map(len, text.splitlines())) <= 100
