"""`Comparisons` itself: what it refuses, what it counts, what is connected and what is separated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pairproof.data.columns import Factor, natural_order, take
from pairproof.data.comparisons import Comparisons
from pairproof.data.graph import components, groups, strong_components
from pairproof.errors import InputError, ItemError


def table(**changes):
    """A beat B 7 times, tied 1, lost 2; B beat C 3 times."""
    parts = {
        "items": ["A", "B", "C"],
        "first": [0, 1],
        "second": [1, 2],
        "wins": [7, 3],
        "ties": [1, 0],
        "losses": [2, 0],
    }
    parts.update(changes)
    columns = {k: parts.pop(k) for k in ("columns", "item_data") if k in parts}
    return Comparisons.build(**parts, **columns)


# -- what build refuses --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, error, said",
    [
        ({"items": ["A"]}, ItemError, "found 1 item"),
        ({"items": ["A", "B", "B"]}, ItemError, "named more than once: B"),
        ({"items": ["A", "B", "tie"]}, ItemError, "'tie' cannot be distinguished from a parameter"),
        ({"items": ["A", "B", "order"]}, ItemError, "rename"),
        ({"items": ["A", "B", "C:1"]}, ItemError, "'C:1'"),
        ({"items": ["A", "B", "C[1]"]}, ItemError, "'C[1]'"),
        ({"items": ["A", "B", ""]}, ItemError, "not a non-empty string"),
        ({"items": ["A", "B", 3]}, ItemError, "item 3"),
        ({"second": [1, 1]}, ItemError, "row 2: 'B' is compared with itself"),
        ({"second": [1, 3]}, ItemError, "row 2: second is item number 3, but there are 3"),
        ({"first": [-1, 1]}, ItemError, "row 1: first is item number -1"),
        ({"first": [0.7, 1.2]}, InputError, "first has shape (2,) and type float64"),
        ({"first": ["A", "B"]}, InputError, "pairproof.read takes names"),
        ({"wins": ["7", "3"]}, InputError, "wins has shape (2,) and type <U1"),
        ({"wins": [[7], [3]]}, InputError, "wins has shape (2, 1)"),
        ({"wins": [7, -3]}, InputError, "row 2: wins is -3.0"),
        ({"ties": [np.nan, 0]}, InputError, "row 1: ties is nan"),
        ({"losses": [2, np.inf]}, InputError, "row 2: losses is inf"),
        ({"wins": [7]}, InputError, "different lengths"),
        ({"wins": [0, 0], "ties": [0, 0], "losses": [0, 0]}, InputError, "all counts are 0"),
        ({"first": [], "second": [], "wins": [], "ties": [], "losses": []}, InputError, "no rows"),
        ({"columns": {"wins": np.array([1.0, 2.0])}}, InputError, "'wins' cannot be a covariate"),
        ({"columns": {"judge": np.array([1.0, 2.0])}}, InputError, "judge column is always categorical"),
        ({"columns": {"age": np.array([1.0, np.inf])}}, InputError, "row 2: column 'age' is inf"),
        (
            {"columns": {"sex": Factor(np.array([0, 2]), ("f", "m"))}},
            InputError,
            "row 2: column 'sex' has code 2",
        ),
        (
            {"columns": {"sex": Factor(np.array([0, 1]), ("f", "f"))}},
            InputError,
            "the same level twice: f, f",
        ),
        ({"columns": {"age": np.array([1.0])}}, InputError, "column 'age'"),
        ({"item_data": {"x": [1.0, 2.0]}}, InputError, "2 values for 3 items"),
    ],
    ids=lambda v: str(v)[:40] if isinstance(v, (dict, str)) else "",
)
def test_build_refuses_and_names(changes, error, said):
    with pytest.raises(error) as caught:
        table(**changes)
    assert said in str(caught.value)


def test_build_copies_and_freezes():
    wins = np.array([7.0, 3.0])
    built = table(wins=wins)
    wins[0] = 99
    assert built.wins[0] == 7
    with pytest.raises(ValueError, match="read-only"):
        built.wins[0] = 1


# -- numbers -------------------------------------------------------------------------------------------------


def test_the_digest_does_not_depend_on_rows_or_on_which_item_stands_first():
    as_one = table()
    as_many = table(first=[1, 2, 0], second=[0, 1, 1], wins=[2, 0, 4], ties=[0, 0, 1], losses=[3, 3, 0])
    assert as_one.pooled() == as_many.pooled() == {("A", "B"): (7, 1, 2), ("B", "C"): (3, 0, 0)}
    assert as_one.digest() == as_many.digest()


def test_the_digest_tells_a_tie_category_without_ties_from_none():
    without = table(ties=None)
    assert without.digest() != table(ties=[0, 0]).digest()
    assert not without.tie_category


def test_pairs_of_thousands_of_items_are_pooled_without_a_table_of_all_pairs():
    n = 3000
    first = np.arange(n - 1)
    big = Comparisons.build(
        [f"i{k:04d}" for k in range(n)], first, first + 1, np.ones(n - 1), None, np.zeros(n - 1)
    )
    pooled = big.pooled()
    assert len(pooled) == n - 1
    assert pooled["i0041", "i0042"] == (1, 0, 0)


def test_natural_order_is_numeric_only_if_all_are_integers():
    assert natural_order(["10", "9", "-1"]) == ("-1", "9", "10")
    assert natural_order(["10", "9", "a"]) == ("10", "9", "a")
    assert natural_order(["b", "B", "ä", "a"]) == ("B", "a", "b", "ä")


# -- new tables from one -------------------------------------------------------------------------------------


def test_ties_can_be_dropped_or_halved_and_the_original_stays():
    original = table()
    assert original.without_ties().pooled()["A", "B"] == (7, 0, 2)
    assert original.ties_as_half_wins().pooled()["A", "B"] == (7.5, 0, 2.5)
    assert not original.ties_as_half_wins().tie_category
    assert original.pooled()["A", "B"] == (7, 1, 2)


def test_select_keeps_items_and_columns():
    full = table(columns={"sex": Factor(np.array([0, 1]), ("f", "m")), "age": np.array([30.0, 40.0])})
    part = full.select([False, True])
    assert part.items == full.items
    assert part.pooled() == {("B", "C"): (3, 0, 0)}
    assert part.columns["sex"].codes.tolist() == [1]
    assert part.columns["age"].tolist() == [40.0]


def test_with_items_reorders_comparisons_and_item_data_together():
    original = table(item_data={"x": [1.0, 2.0, 3.0], "kind": Factor(np.array([0, 0, 1]), ("u", "v"))})
    turned = original.with_items(["C", "A", "B"])
    assert turned.items == ("C", "A", "B")
    assert turned.item_data["x"].tolist() == [3.0, 1.0, 2.0]
    assert turned.item_data["kind"].codes.tolist() == [1, 0, 0]
    assert turned.pooled() == {("A", "B"): (7, 1, 2), ("C", "B"): (0, 0, 3)}
    with pytest.raises(ItemError, match="expected an ordering"):
        original.with_items(["A", "B"])


def test_to_frame_writes_missing_levels_as_none_and_leaves_out_ties_that_could_not_be():
    frame = table(ties=None, columns={"sex": Factor(np.array([-1, 1]), ("f", "m"))}).to_frame()
    assert list(frame.columns) == ["first", "second", "wins", "losses", "sex"]
    assert frame["sex"].tolist() == [None, "m"]
    assert frame["first"].tolist() == ["A", "B"]


def test_take_accepts_positions_and_masks():
    factor = Factor(np.array([0, 1, 0]), ("f", "m"))
    assert take(factor, np.array([2, 1])).codes.tolist() == [0, 1]
    assert take(np.array([1.0, 2.0, 3.0]), np.array([True, False, True])).tolist() == [1.0, 3.0]


# -- words ---------------------------------------------------------------------------------------------------


def test_it_prints_in_words():
    text = repr(table())
    assert "13 comparisons of 3 items (1 of them ties)" in text
    assert "A beat B 7, lost 2, tied 1" in text
    assert "NOT CONNECTED" not in text


def test_a_table_in_two_parts_says_so():
    apart = Comparisons.build(["A", "B", "C", "D"], [0, 2], [1, 3], [1, 1], None, [0, 0])
    assert apart.connected_sets() == (("A", "B"), ("C", "D"))
    assert not apart.is_connected()
    assert "NOT CONNECTED: A, B | C, D" in repr(apart)


def test_names_are_escaped_in_html():
    html = Comparisons.build(["<b>", "B"], [0], [1], [1], None, [0])._repr_html_()
    assert "&lt;b&gt; beat B 1" in html
    assert "<b>Comparisons</b>" in html


def test_rows_without_counts_connect_nothing():
    assert table(wins=[7, 0]).connected_sets() == (("A", "B"), ("C",))


def test_an_item_that_always_loses_is_separated():
    assert table().unseparated_sets() == (("A", "B"), ("C",))
    assert table(losses=[2, 1]).unseparated_sets() == (("A", "B", "C"),)


# -- connection against an independent search ----------------------------------------------------------------


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 9))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=20))
    return n, edges


def reachable(n, edges):
    """Warshall's transitive closure."""
    reach = np.eye(n, dtype=bool)
    for a, b in edges:
        reach[a, b] = True
    for k in range(n):
        reach |= reach[:, [k]] & reach[[k], :]
    return reach


@given(graphs())
def test_components_are_those_of_the_transitive_closure(graph):
    n, edges = graph
    tail, head = (np.array([e[k] for e in edges], dtype=np.int64) for k in (0, 1))
    both_ways = reachable(n, edges + [(b, a) for a, b in edges])
    assert components(tail, head, n).tolist() == [int(np.argmax(row)) for row in both_ways]
    reach = reachable(n, edges)
    assert strong_components(tail, head, n).tolist() == [int(np.argmax(row)) for row in reach & reach.T]


def test_a_chain_of_a_thousand_is_one_component():
    order = np.random.default_rng(1).permutation(1000)
    assert set(components(order[:-1], order[1:], 1000).tolist()) == {0}


def test_groups_are_largest_first():
    assert groups(np.array([0, 1, 1, 3])) == ((1, 2), (0,), (3,))


def test_a_table_survives_pickling_frozen_with_its_columns():
    import copy
    import pickle

    table = Comparisons.build(
        "abc",
        [0, 1],
        [1, 2],
        [2, 1],
        None,
        [0.5, 0],
        columns={"judge": Factor(np.array([0, 1]), ("x", "y")), "age": np.array([3.0, 4.0])},
        item_data={"size": np.array([1.0, 2.0, 3.0])},
        source="here",
    )
    for again in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
        assert (again.items, again.source, again.tie_category, list(again.columns)) == (
            table.items,
            "here",
            False,
            ["judge", "age"],
        )
        assert (
            again.losses.tolist() == [0.5, 0]
            and again.columns["judge"].levels == ("x", "y")
            and again.item_data["size"].tolist() == [1, 2, 3]
        )
        with pytest.raises(ValueError, match="read-only"):
            again.wins[0] = 9
