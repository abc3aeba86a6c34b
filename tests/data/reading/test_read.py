"""Readers on real tables, on every layout of one table, and under hypothesis: all ways in lead to one
table.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.data.reading import (
    from_counts,
    from_long,
    from_matrix,
    from_rankings,
    from_votes,
    from_wide,
    read,
)
from pairproof.data.reading.sources import Table
from pairproof.data.wide import lexicographic_pair_order, prefmod_pair_order, to_wide
from pairproof.errors import DataWarning, InputError, ItemError, PairOrderError
from tests.places import DATA

DRAS = DATA / "dras_table1.csv"
DRAS_WIDE = DATA / "dras_wide_lexicographic.csv"
CODING = {"first": 1, "tie": 0, "second": -1}


# -- Dras (2015), Table 1 ------------------------------------------------------------------------------------

# The page's own lines: for AB AC AD BC BD CD, how often the first was preferred, neither, the second; judges
# 1 to 4.
PRINTED = """
38 0 2 36 1 3 37 1 2 39 1 0 0 2 38 3 0 37
37 2 1 36 3 1 38 1 1 37 2 1 2 2 36 1 0 39
33 4 3 33 3 4 3 3 34 4 4 32 2 4 34 1 0 39
37 2 1 39 0 1 35 3 2 34 2 4 2 2 36 3 1 36
"""
DRAS_POOLED = dict(
    zip(
        combinations("ABCD", 2),
        map(tuple, np.array(PRINTED.split(), float).reshape(4, 6, 3).sum(axis=0).tolist()),
    )
)
# Read as prefmod reads columns, AB AC BC AD BD CD, the counts of A-D and B-C change places.
DRAS_SWAPPED = {**DRAS_POOLED, ("A", "D"): DRAS_POOLED["B", "C"], ("B", "C"): DRAS_POOLED["A", "D"]}


def test_dras_table_1_is_read_as_printed():
    table = read(DRAS)
    assert table.items == ("A", "B", "C", "D")
    assert table.pooled() == DRAS_POOLED
    assert table.tie_category
    assert table.columns["judge"].levels == ("1", "2", "3", "4")
    assert repr(table).startswith("960 comparisons of 4 items by 4 judges (43 of them ties)")


def test_the_same_wide_table_in_the_two_column_orders_differs_in_ad_and_bc():
    arguments = {"items": list("ABCD"), "coding": CODING}
    assert from_wide(DRAS_WIDE, pair_order="lexicographic", **arguments).pooled() == DRAS_POOLED
    assert (
        from_wide(DRAS_WIDE, pair_order="prefmod", pair_names="ignore", **arguments).pooled() == DRAS_SWAPPED
    )
    stated = from_wide(DRAS_WIDE, pair_order="AB,AC,AD,BC,BD,CD", **arguments)
    assert stated.pooled() == DRAS_POOLED
    assert stated.columns["judge"].levels == ("1", "2", "3", "4")


def test_the_refusal_of_an_unstated_order_shows_both_orders():
    unnamed = pd.read_csv(DRAS_WIDE).rename(columns=dict(zip(("AB", "AC", "AD", "BC", "BD", "CD"), "pqrstu")))
    with pytest.raises(InputError) as caught:
        read(unnamed, layout="prefmod", items=list("ABCD"), coding=CODING)
    for order, pairs in (
        ("prefmod", "A:B A:C B:C A:D B:D C:D"),
        ("lexicographic", "A:B A:C A:D B:C B:D C:D"),
    ):
        assert f"pair_order={order!r}" in str(caught.value) and f"per pair: {pairs}." in str(caught.value)


def test_columns_in_any_place_can_be_the_pairs():
    frame = pd.read_csv(DRAS_WIDE)
    turned = frame[["judge", *reversed(frame.columns[:6])]]
    names = ["AB", "AC", "AD", "BC", "BD", "CD"]
    table = from_wide(turned, items=list("ABCD"), pair_order="lexicographic", coding=CODING, pairs=names)
    assert table.pooled() == DRAS_POOLED


@pytest.mark.r("prefmod")
def test_prefmod_itself_reads_our_wide_table_as_we_mean_it(tmp_path):
    """30.455 on 8 df from the printed table, 30.646 with the columns in the other order (printed by Dras)."""
    deviances = {}
    for order in ("prefmod", "lexicographic"):
        path = tmp_path / f"{order}.csv"
        to_wide(read(DRAS), order).frame.to_csv(path, index=False)
        script = (
            f'd <- read.csv("{path}"); f <- suppressMessages(prefmod::llbtPC.fit(d, nitems = 4, undec ='
            " TRUE)); cat(f$deviance, f$df.residual)"
        )
        run = subprocess.run(
            [shutil.which("Rscript") or "Rscript", "-e", script], capture_output=True, text=True, timeout=120
        )
        assert run.returncode == 0, run.stderr
        deviances[order] = [f"{float(x):.3f}" for x in run.stdout.split()[-2:]]
    assert deviances == {"prefmod": ["30.455", "8.000"], "lexicographic": ["30.646", "8.000"]}


# -- real data that are not ours to ship ---------------------------------------------------------------------


def test_llmfao_is_read_with_roles_and_a_coding(shared):
    source = shared / "data" / "llmfao_crowd.csv"
    table = read(
        source,
        columns={"first": "model_x", "second": "model_y", "judge": "worker"},
        coding={"first": 1, "tie": 0, "second": 2},
        item_data=shared / "data" / "llmfao_models.csv",
    )
    assert len(table.items) == 59
    assert (table.wins.sum(), table.losses.sum(), table.ties.sum()) == (2911, 2549, 3471)
    assert len(table.columns["judge"].levels) == 124
    assert len(np.unique(table.columns["prompt"])) == 13
    names = table.item_data["name"]
    assert names.levels[names.codes[table.items.index("1")]] == "RedPajama-INCITE Chat (3B)"
    with open(source, newline="") as f:
        pairs = Counter()
        for row in csv.DictReader(f):
            pairs[
                min(row["model_x"], row["model_y"], key=int), max(row["model_x"], row["model_y"], key=int)
            ] += 1
    assert {pair: sum(counts) for pair, counts in table.pooled().items()} == dict(pairs)


WMT_FILES = {
    "wmt10": "wmt10.RNK_results.csv",
    "wmt11": "wmt11-maneval-indivsystems.RNK_results.csv",
    "wmt12": "wmt12.RNK_results.csv",
}
LANGUAGES = {"c": "Czech", "f": "French", "g": "German", "s": "Spanish", "e": "English"}


@pytest.mark.parametrize("edition", WMT_FILES)
def test_wmt_rankings_give_the_comparisons_that_hopkins_and_may_print(shared, edition):
    """Table 3 of Hopkins & May (2013): train and test comparisons of each track, exactly.

    Test are the comparisons on the sources with the fewest comparisons, at least 2000 of them.
    """
    table = from_rankings(shared / "data" / "wmt" / WMT_FILES[edition])
    assert isinstance(table.columns["judge"], Factor)
    source, target = table.columns["srclang"], table.columns["trglang"]
    found = {}
    for row in csv.DictReader(open(shared / "data" / "hm2013_table3.csv")):
        if row["edition"] != edition:
            continue
        here = [
            column.codes == column.levels.index(LANGUAGES[letter])
            for column, letter in zip((source, target), row["track"])
        ]
        part = table.select(here[0] & here[1])
        on_source = np.bincount(part.columns["source"].codes)[part.columns["source"].codes]
        k = next(k for k in range(1, 10_000) if (on_source <= k).sum() >= 2000)
        test = int((on_source <= k).sum())
        found[row["track"]] = (part.n_rows - test, test, k)
        assert found[row["track"]] == (int(row["train"]), int(row["test"]), int(row["k"])), row["track"]
    assert len(found) == 8


def test_wmt_columns_of_system_numbers_are_no_covariates(shared):
    table = read(shared / "data" / "wmt" / "wmt12.RNK_results.csv")
    assert sorted(table.columns) == ["documentId", "judge", "segmentId", "source", "srclang", "trglang"]


def test_an_error_in_wmt_columns_names_them_as_the_file_does():
    row = {
        "judgeId": ["j"],
        "srcIndex": [1],
        "system1Id": ["a"],
        "system2Id": ["b"],
        "system1rank": [1],
        "system2rank": ["x"],
    }
    with pytest.raises(InputError, match=r"column 'system2rank' \(as 'rank2'\): the rank is 'x'"):
        read(row)


# -- one table in every layout -------------------------------------------------------------------------------


@st.composite
def tables(draw, tie_category=None):
    """2 to 5 items, some pairs compared, whole counts, a judge."""
    items = tuple("ABCDE"[: draw(st.integers(2, 5))])
    pairs = draw(st.lists(st.sampled_from(list(combinations(range(len(items)), 2))), min_size=1, max_size=8))
    count = st.integers(0, 4)
    rows = [(i, j, draw(count), draw(count), draw(count)) for i, j in pairs]
    with_ties = draw(st.booleans()) if tie_category is None else tie_category
    first, second, wins, ties, losses = (np.array(c) for c in zip(*rows))
    flip = np.array(draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    judge = Factor(
        np.array(draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))), ("ann", "bob")
    )
    wins[0] += 1  # at least one comparison
    return Comparisons.build(
        items,
        np.where(flip, second, first),
        np.where(flip, first, second),
        np.where(flip, losses, wins),
        ties if with_ties else None,
        np.where(flip, wins, losses),
        columns={"judge": judge},
    )


def as_answers(table, names, words):
    """One row an answer, in a frame."""
    counts = {words[0]: table.wins, words[1]: table.ties, words[2]: table.losses}
    parts = [
        pd.DataFrame(
            {
                names[0]: np.array(table.items)[table.first],
                names[1]: np.array(table.items)[table.second],
                names[2]: word,
            }
        ).loc[np.repeat(np.arange(table.n_rows), c.astype(int))]
        for word, c in counts.items()
    ]
    return pd.concat(parts, ignore_index=True)


def stated(table):
    return {"items": table.items, "tie_category": table.tie_category}


@given(tables(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_every_layout_with_rows_gives_back_the_same_table_in_any_row_order(table, random):
    counts = table.to_frame()
    long = as_answers(table, ("first", "second", "outcome"), ("first", "tie", "second"))
    votes = as_answers(table, ("model_a", "model_b", "winner"), ("model_a", "tie (bothbad)", "model_b"))
    ranks = {"first": (1, 2), "tie": (3, 3), "second": (7, 4)}
    rankings = pd.DataFrame(
        {
            "system1": long["first"],
            "rank1": [ranks[o][0] for o in long["outcome"]],
            "system2": long["second"],
            "rank2": [ranks[o][1] for o in long["outcome"]],
        }
    )
    for frame in (counts, long, votes, rankings):
        order = random.sample(range(len(frame)), len(frame))
        before = frame.copy(deep=True)
        assert read(frame, **stated(table)).digest() == table.digest()
        assert read(frame.iloc[order], **stated(table)).digest() == table.digest()
        assert (
            read(frame.astype("category") if frame is not counts else frame, **stated(table)).digest()
            == table.digest()
        )
        pd.testing.assert_frame_equal(frame, before)


@given(tables())
@settings(max_examples=30, deadline=None)
def test_a_file_gives_back_the_same_table_and_the_same_judges(table):
    with pytest.MonkeyPatch.context() as patch:
        import io
        import sys

        text = table.to_frame().to_csv(index=False)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        back = read("-", items=table.items, levels={"judge": ["ann", "bob"]})
    assert back.digest() == table.digest()
    assert back.columns["judge"].codes.tolist() == table.columns["judge"].codes.tolist()


@given(tables(), st.sampled_from(["prefmod", "lexicographic"]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_wide_table_gives_back_the_same_table(table, order, by_judge):
    used = set(table.columns["judge"].codes[table.wins + table.ties + table.losses > 0].tolist())
    by_judge = by_judge and used == {0, 1}
    wide = to_wide(table, order, covariates=["judge"] if by_judge else [])
    back = from_wide(wide.frame, pair_order=order, coding=wide.coding, **stated(table))
    assert back.digest() == table.digest()
    if by_judge:
        for code, level in enumerate(["1", "2"]):
            assert back.columns["judge"].levels[code] == level
            assert (
                back.select(back.columns["judge"].codes == code).digest()
                == table.select(table.columns["judge"].codes == code).digest()
            )


@given(tables(), st.sampled_from(["rows", "columns"]), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_matrix_gives_back_the_same_table_in_any_order_of_rows_and_columns(table, winner, random):
    n = len(table.items)
    wins, ties = np.zeros((n, n)), np.zeros((n, n))
    for (a, b), (w, t, l) in table.pooled().items():
        i, j = table.items.index(a), table.items.index(b)
        wins[i, j], wins[j, i], ties[i, j], ties[j, i] = w, l, t, t
    frame = pd.DataFrame(wins if winner == "rows" else wins.T, index=table.items, columns=table.items)
    frame = frame.loc[random.sample(table.items, n), random.sample(table.items, n)]
    before = frame.copy(deep=True)
    tied = pd.DataFrame(ties, index=table.items, columns=table.items) if table.tie_category else None
    assert from_matrix(frame, winner=winner, ties=tied, items=table.items).digest() == table.digest()
    pd.testing.assert_frame_equal(frame, before)


def test_each_named_function_reads_its_layout():
    long = {"first": ["A"], "second": ["B"], "outcome": ["first"]}
    digests = {
        from_long(long).digest(),
        from_counts({"first": ["B"], "second": ["A"], "wins": [0], "losses": [1]}).digest(),
        from_votes({"model_a": ["A"], "model_b": ["B"], "winner": ["model_a"]}).digest(),
        from_rankings({"system1": ["A"], "rank1": [1], "system2": ["B"], "rank2": [2]}).digest(),
        from_wide(
            {"x": ["+"]}, items=["A", "B"], pair_order="prefmod", coding={"first": "+", "second": "-"}
        ).digest(),
        from_matrix(np.array([[0, 1], [0, 0]]), winner="rows", items=["A", "B"]).digest(),
    }
    assert len(digests) == 1


def test_both_kinds_of_tie_in_votes_are_ties():
    frame = {
        "model_a": ["x", "x", "y"],
        "model_b": ["y", "y", "x"],
        "winner": ["tie", "tie (bothbad)", "model_b"],
    }
    assert read(frame).pooled() == {("x", "y"): (1, 2, 0)}


def test_a_role_maps_a_column_and_the_rest_become_covariates():
    frame = {
        "rater": [2, 1],
        "first": ["A", "B"],
        "second": ["B", "A"],
        "outcome": ["tie", "first"],
        "age": [30, 40],
        "sex": ["m", "f"],
        "order": [1, 0],
        "source": [12, 5],
    }
    table = read(frame, columns={"judge": "rater"}, levels={"sex": ["m", "f"]})
    assert table.columns["judge"].levels == ("1", "2")
    assert table.columns["age"].tolist() == [30.0, 40.0]
    assert table.columns["order"].tolist() == [1.0, 0.0]
    assert table.columns["sex"].levels == ("m", "f")
    assert table.columns["source"].levels == ("5", "12")


# -- pair orders and wide tables -----------------------------------------------------------------------------


def test_the_two_pair_orders_are_those_of_the_manuals():
    assert ["%d%d" % (i + 1, j + 1) for i, j in prefmod_pair_order(4)] == "12 13 23 14 24 34".split()
    assert ["%d%d" % (i + 1, j + 1) for i, j in lexicographic_pair_order(4)] == "12 13 14 23 24 34".split()
    assert prefmod_pair_order(3) == lexicographic_pair_order(3)
    assert set(prefmod_pair_order(7)) == set(lexicographic_pair_order(7)) == set(combinations(range(7), 2))


def test_a_wide_table_has_one_column_a_pair_and_fills_with_nan():
    table = Comparisons.build(
        ["A", "B", "C"],
        [1, 0],
        [0, 2],
        [2, 0],
        [1, 0],
        [0, 1],
        columns={"judge": Factor(np.array([1, 0]), ("ann", "bob")), "age": np.array([40.0, 30.0])},
    )
    wide = to_wide(table, covariates=["judge", "age"])
    assert wide.coding["first"] == 0 and wide.coding["tie"] == 1 and wide.coding["second"] == 2
    assert list(wide.frame.columns) == ["V1_2", "V1_3", "V2_3", "judge", "age"]
    nan = np.nan
    expected = [[nan, 2, nan, 1, 30], [1, nan, nan, 2, 40], [2, nan, nan, 2, 40], [2, nan, nan, 2, 40]]
    np.testing.assert_array_equal(wide.frame.to_numpy(), expected)


def test_without_a_tie_category_the_codes_are_0_and_1():
    wide = to_wide(Comparisons.build(["A", "B"], [0], [1], [1], None, [2]))
    assert wide.frame["V1_2"].tolist() == [0, 1, 1]
    assert "tie" not in wide.coding


def test_what_a_wide_table_cannot_hold_is_refused():
    half = Comparisons.build(["A", "B"], [0, 1], [1, 0], [1, 0.5], None, [2, 1])
    with pytest.raises(InputError, match=r"row 2: wins of 'B' vs. 'A' is 0.5 \(1 such row\(s\)\).*whole"):
        to_wide(half)
    factor = Factor(np.array([0, -1]), ("f", "m"))
    table = Comparisons.build(["A", "B"], [0, 1], [1, 0], [1, 1], None, [2, 1], columns={"sex": factor})
    with pytest.raises(InputError, match="row 2: 'sex' has no value"):
        to_wide(table, covariates=["sex"])
    with pytest.raises(InputError, match="no comparison has level 'm' of 'sex'"):
        to_wide(table.select([0]), covariates=["sex"])
    empty = Comparisons.build(
        ["A", "B"],
        [0, 1],
        [1, 0],
        [1, 0],
        None,
        [2, 0],
        columns={"sex": Factor(np.array([0, 1]), ("f", "m"))},
    )
    with pytest.raises(InputError, match="no comparison has level 'm'"):
        to_wide(empty, covariates=["sex"])
    with pytest.raises(InputError, match="no column 'age'; found sex"):
        to_wide(table, covariates=["age"])
    with pytest.raises(PairOrderError, match="'prefmod' or 'lexicographic'"):
        to_wide(table, "lexi")


# -- speed ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def million():
    """A million votes among 100 models, as strings."""
    random = np.random.default_rng(2015)
    n = 1_000_000
    names = np.array([f"model-{k:03d}" for k in range(100)], dtype=object)
    a = random.integers(0, 100, n)
    b = (a + random.integers(1, 100, n)) % 100
    winner = np.array(["model_a", "model_b", "tie"], dtype=object)[random.integers(0, 3, n)]
    return pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner})


@pytest.mark.nightly
def test_a_million_votes_are_the_same_as_strings_as_categories_and_from_a_file(million, tmp_path):
    path = tmp_path / "votes.csv"
    million.to_csv(path, index=False)
    assert read(path).digest() == read(million).digest() == read(million.astype("category")).digest()


def test_line_numbers_are_only_looked_for_when_something_is_wrong(monkeypatch, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("first,second,outcome\nA,B,first\n")
    monkeypatch.setattr(
        Table, "where", lambda *args: pytest.fail("a message was made though nothing is wrong")
    )
    assert read(path).n_comparisons == 1


# -- rankings with a row a system ----------------------------------------------------------------------------


RANKED = {
    "source": list("1112222"),
    "judge": list("jjjjjkk"),
    "system": list("ABCABAC"),
    "rank": [1, 2, 2, 2, 1, 1, 3],
}


def test_a_row_a_system_gives_the_pairs_of_each_ranking():
    table = read(RANKED)
    assert table.items == ("A", "B", "C") and table.n_rows == 5 and table.tie_category
    assert table.pooled() == {("A", "B"): (1, 0, 1), ("A", "C"): (2, 0, 0), ("B", "C"): (0, 1, 0)}
    assert [table.columns["judge"].levels[k] for k in table.columns["judge"].codes] == [
        "j",
        "j",
        "j",
        "j",
        "k",
    ]


def test_the_order_of_the_rows_does_not_matter_but_to_who_is_named_first():
    rows = pd.DataFrame(RANKED).sample(frac=1, random_state=3)
    assert read(rows).digest() == read(RANKED).digest()


def test_wmt11_melted_to_a_row_a_system_holds_the_same_comparisons(shared):
    wide = pd.read_csv(
        shared / "data" / "wmt" / "wmt11-maneval-indivsystems.RNK_results.csv",
        dtype=str,
        keep_default_na=False,
    ).head(2000)
    parts = []
    for k in range(1, 6):
        part = wide[["srclang", "trglang", "srcIndex", "judgeId", f"system{k}Id", f"system{k}rank"]].copy()
        part.columns = ["srclang", "trglang", "srcIndex", "judgeId", "system", "rank"]
        parts.append(part.assign(ranking=[str(n) for n in range(len(wide))]))
    table, melted = read(wide), read(pd.concat(parts))
    assert melted.n_rows == table.n_rows and melted.digest() == table.digest()
    assert {"srclang", "trglang", "source", "judge", "ranking"} == set(melted.columns)


@pytest.mark.parametrize(("change", "said"), [
    (dict(judge=["j"] * 7), r"row 6, column 'system': 'A' stands in row 4 of the same ranking .*share 'source' and 'judge'"),
    (dict(judge=["j"] * 6 + [""]), "row 7, column 'judge': blank; every row needs a value"),
    (dict(rank=[1, 2, 2, 2, 1, 1, "x"]), "the rank is 'x'; expected a number >= 0"),
    (dict(system=list("ABCABA") + [""]), "row 7, column 'system': no item name"),
    (dict(rank=[1, -1, "", 2, -1, 1, -1]), "no ranking has two or more ranked systems"),
    (dict(weight=[1, 1, 2, 1, 1, 1, 1]), "row 3, column 'weight': a different value in the ranking's first row"),
])  # fmt: skip
def test_what_is_no_ranking_is_refused_with_its_row(change, said):
    with pytest.raises(InputError, match=said):
        read({**RANKED, **change})


def test_without_anything_that_tells_rankings_apart_nothing_is_guessed():
    with pytest.raises(InputError, match="no column identifies the ranking"):
        read({"system": ["A", "B"], "rank": [1, 2]})


def test_a_column_that_differs_within_a_ranking_is_left_out_aloud():
    with pytest.warns(DataWarning, match="'text' left out"):
        table = read({**RANKED, "text": list("abcdefg"), "age": [30] * 5 + [40] * 2})
    assert "text" not in table.columns and table.columns["age"].tolist() == [30, 30, 30, 30, 40]


@pytest.mark.parametrize("own", [from_counts, from_long, from_matrix, from_rankings, from_votes, from_wide])
def test_a_layouts_own_function_has_parameters_of_read_with_the_same_defaults(own):
    """It is `read` with the layout stated, so that a parameter of another layout is refused as there."""
    assert own.func is read and set(own.keywords) == {"layout"} and not own.args
    (other,) = {"rankings": ["pairs"], "matrix": ["coding"]}.get(own.keywords["layout"], ["winner"])
    with pytest.raises(InputError, match=f"{other}='rows' is for layout .*{own.keywords['layout']!r}"):
        own({"first": ["A"]}, **{other: "rows"})


@pytest.mark.parametrize(("name", "text"), [
    ("cut.csv", "first,second,wins,losses\nA,B,3,12"),
    ("ranked.csv", "ranking,system,rank,text\n1,A,1,u\n1,B,2,v\n"),
])  # fmt: skip
def test_a_warning_of_reading_points_at_the_line_that_called(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.warns(DataWarning) as caught:
        read(tmp_path / name)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("sign", [";", "|", "\t", ","])
def test_a_first_line_that_tells_excel_the_delimiter_is_read_and_lines_keep_their_numbers(sign, tmp_path):
    path = tmp_path / "e.csv"
    rows = (
        ["first second wins losses", "A,x B 3 4", "B C 5 6"]
        if sign != ","
        else ["first second wins losses", "B C 5 6"]
    )
    text = f"sep={sign}\n" + "\n".join(row.replace(" ", sign) for row in rows) + "\n"
    path.write_text(text)
    assert read(path).wins.tolist() == ([3, 5] if sign != "," else [5])
    path.write_text(text + sign.join(("A", "A", "1", "1")) + "\n")
    with pytest.raises(ItemError, match=rf"\(line {len(rows) + 2}\).*compared with itself"):
        read(path)


def test_columns_without_a_name_at_the_end_and_files_without_a_line_are_called_what_they_are(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("first;second;wins;losses;;\nA;B;3;4;;\n")
    with pytest.raises(
        InputError, match="the last 2 of 6 columns have no name, as Excel saves empty columns"
    ):
        read(path)
    path.write_text("sep=;\n")
    with pytest.raises(InputError, match="no table below its first line, sep=;; delete that line"):
        read(path)
    (tmp_path / "e.jsonl").write_text("")
    with pytest.raises(InputError, match="the file is empty; expected an object per line"):
        read(tmp_path / "e.jsonl")


def test_a_covariate_with_the_codes_of_the_pairs_can_be_read_where_the_pairs_are_named():
    rows = [
        {"a": 1, "b": -1, "c": 1, "x": -1, "y": 1, "z": 1},
        {"a": -1, "b": 1, "c": 1, "x": 1, "y": -1, "z": 1},
    ]
    how = {
        "layout": "prefmod",
        "items": [*"ABC"],
        "pair_order": "prefmod",
        "coding": {"first": 1, "second": -1},
    }
    with pytest.raises(
        InputError, match="6 columns contain only the given codes, as for the pairs of 4 items"
    ):
        read(rows, **how)
    assert set(read(rows, **how, pairs=list("abc")).columns) >= {"x", "y", "z"}
