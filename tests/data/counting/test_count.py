"""Votes of any frame and any file become the counts that `read` would give, whatever holds the rows."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof import InputError
from pairproof.data.counting import streams
from pairproof.errors import CodingError, ItemError, TooLargeError
from tests.data.counting.kinds import KINDS, here, made

pytestmark = pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning")


def votes(n: int = 400, seed: int = 1) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    a = r.integers(0, 6, n)
    b = (a + r.integers(1, 6, n)) % 6
    names = np.array(["m1", "m2", "m10", "Ünïcode", "it's", 'a "b", c'], dtype=object)
    return pd.DataFrame(
        {
            "model_a": names[a],
            "model_b": names[b],
            "winner": np.array(["model_a", "model_b", "tie", "tie (bothbad)"], dtype=object)[
                r.integers(0, 4, n)
            ],
            "language": np.array(["en", "de", None], dtype=object)[r.integers(0, 3, n)],
            "length": r.integers(-2, 3, n),
        }
    )


def same(one: pairproof.Comparisons, other: pairproof.Comparisons) -> None:
    """The same rows with the same counts and columns."""
    assert one.items == other.items and one.tie_category == other.tie_category
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())


def same_fit(one: pairproof.Comparisons, other: pairproof.Comparisons) -> None:
    """Equal to the bit."""
    fits = [pairproof.fit_bradley_terry(table, ties="davidson") for table in (one, other)]
    assert fits[0].params.equals(fits[1].params) and fits[0].bse.equals(fits[1].bse)
    assert (fits[0].llf, fits[0].deviance) == (fits[1].llf, fits[1].deviance)
    assert one.digest() == other.digest()


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_source_gives_the_counts_of_the_frame(name: str, tmp_path: Path) -> None:
    frame = votes()
    expected = pairproof.count(frame, by=["language", "length"])
    same(pairproof.count(made(name, frame, tmp_path), by=["language", "length"]), expected)
    same_fit(expected, pairproof.read(frame))


def test_a_count_keeps_who_was_named_first_and_what_it_was_counted_by() -> None:
    frame = votes().fillna({"language": "fr"})
    table, rows = pairproof.count(frame, by="language"), pairproof.read(frame)
    fits = [pairproof.fit_llbt(t, by="language", order_effect=True) for t in (table, rows)]
    assert fits[0].params.equals(fits[1].params) and fits[0].bse.equals(fits[1].bse)
    assert str(table).startswith("400 comparisons of 6 items") and "counted into 87 rows" in str(table)


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), parts=st.integers(1, 7), data=st.data())
def test_parts_of_any_kind_add_up_to_the_whole_in_any_order(
    seed: int, parts: int, data: Any, tmp_path_factory: Any
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    frame = votes(300, seed)
    frame["language"] = frame["language"].fillna("fr")
    of = np.random.default_rng(seed).integers(0, parts, len(frame))
    pieces = [frame[of == k].sample(frac=1, random_state=seed) for k in range(parts) if (of == k).any()]
    kinds = [data.draw(st.sampled_from(here())) for _ in pieces]
    tables = [
        pairproof.count(made(kind, piece.reset_index(drop=True), folder), by="language", name=f"part {k}")
        for k, (kind, piece) in enumerate(zip(kinds, pieces))
    ]
    whole = sum(tables)
    same(whole, pairproof.count(frame, by="language"))
    same_fit(whole, pairproof.read(frame))
    again = sum(data.draw(st.permutations(tables)))
    same(again, whole)
    assert again.counted == whole.counted and again.source == whole.source
    if len(tables) > 2:
        a, b, c = tables[:3]
        same((a + b) + c, a + (b + c))
        same(a + b - b, a if a.items == (a + b).items else a + b - b)


TRAPS = {
    "a null item": ({"model_a": [None]}, ItemError, "'model_a' is missing in 1 row"),
    "a null answer": ({"winner": [None]}, CodingError, "'winner' is missing in 1 row"),
    "a blank answer": ({"winner": [""]}, CodingError, "'winner' is missing in 1 row"),
    "an unknown label": (
        {"winner": ["Both", "Both"]},
        CodingError,
        r"'winner': 'Both' \(2 rows\) have no meaning",
    ),
    "a self-pair": (
        {"model_b": ["m1"], "model_a": ["m1"]},
        ItemError,
        r"compared with itself: 'm1' \(1 row\)",
    ),
    "blanks around a name": ({"model_a": [" m1"]}, ItemError, "differ only in blanks"),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("trap", TRAPS)
def test_what_is_no_comparison_is_refused_with_its_number_of_rows(
    name: str, trap: str, tmp_path: Path
) -> None:
    frame = votes(30)[["model_a", "model_b", "winner"]]
    cells, error, said = TRAPS[trap]
    for column, values in cells.items():
        frame.loc[: len(values) - 1, column] = values
    if trap in ("a null item", "blanks around a name"):
        frame.loc[0, "model_b"] = "m2"
    source = made(name, frame, tmp_path)
    with pytest.raises(error, match=said):
        pairproof.count(source)
    with pytest.raises(error):
        pairproof.read(frame)


def test_all_that_is_wrong_is_said_at_once() -> None:
    frame = votes(60)[["model_a", "model_b", "winner"]]
    frame.loc[:9, "winner"] = "bad"
    frame.loc[10:11, "winner"] = "Model_A"
    frame.loc[20, "model_a"] = None
    frame.loc[30, "model_b"] = frame.loc[30, "model_a"]
    with pytest.raises(InputError) as found:
        pairproof.count(frame)
    for said in (
        "'bad' (10 rows), 'Model_A' (2 rows)",
        "'model_a' is missing in 1 row",
        "compared with itself",
    ):
        assert said in str(found.value)


def test_weights_and_counts_that_are_whole_are_multiplied_exactly() -> None:
    frame = pd.DataFrame(
        {"first": ["A", "B", "A"], "second": ["B", "A", "B"], "wins": [2**31 - 1] * 3, "losses": [1, 2, 3]}
    )
    table = pairproof.count(pd.concat([frame] * 4), layout="counts")
    assert table.pooled() == {("A", "B"): (8.0 * (2**31 - 1) + 8, 0.0, 4.0 * (2**31 - 1) + 16)}
    weighted = pairproof.count(
        {"first": ["A", "A"], "second": ["B", "B"], "outcome": ["first", "first"], "weight": [3, 4]}
    )
    assert weighted.pooled() == {("A", "B"): (7.0, 0.0, 0.0)}
    with pytest.raises(InputError, match="weight is '0.5'.*count adds whole numbers"):
        pairproof.count({"first": ["A"], "second": ["B"], "outcome": ["first"], "weight": [0.5]})


def test_polars_small_integers_do_not_overflow() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed; its Int32 was not tried")
    pytest.importorskip("narwhals", reason="narwhals is not installed; polars' Int32 was not tried")
    frame = polars.DataFrame(
        {"first": ["A"] * 4, "second": ["B"] * 4, "wins": [2**31 - 1] * 4, "losses": [0] * 4}
    )
    table = pairproof.count(
        frame.with_columns(polars.col("wins", "losses").cast(polars.Int32)), layout="counts"
    )
    assert table.n_comparisons == 4 * (2**31 - 1)


def test_a_column_that_is_not_there_is_named_before_anything_runs() -> None:
    with pytest.raises(InputError, match="no column 'langage' to count by.*did you mean 'language'"):
        pairproof.count(votes(), by="langage")
    with pytest.raises(InputError, match="by has 1; expected names"):
        pairproof.count(votes(), by=[1])  # type: ignore[list-item]
    with pytest.raises(InputError, match="layout 'rankings'; count supports"):
        pairproof.count({"system1": ["A"], "rank1": [1], "system2": ["B"], "rank2": [2]})
    with pytest.raises(InputError, match="'model_a'.*already counted by"):
        pairproof.count(votes(), by="model_a")


def test_more_distinct_rows_than_allowed_are_refused_with_what_to_do(tmp_path: Path) -> None:
    for name in here():
        with pytest.raises(
            TooLargeError, match=r"by=\['length'\] gives more than 50 different rows.*buckets"
        ):
            pairproof.count(made(name, votes(), tmp_path), by="length", most_cells=50)


def test_an_engine_that_does_not_tell_case_apart_is_not_asked_for_such_columns(tmp_path: Path) -> None:
    frame = votes()
    frame["Winner"] = "x"
    expected = pairproof.count(votes())
    same(pairproof.count(frame), expected)
    folding = replace(streams.stream_of(frame), folds_case=True)
    with pytest.raises(InputError, match="'winner', 'Winner' differ only in case"):
        streams.check_case(folding, ["winner"])


def test_a_source_that_is_no_table_is_refused_with_what_can_be_counted() -> None:
    with pytest.raises(InputError, match="no such file"):
        pairproof.count("nothing-*.parquet")
    with pytest.raises(InputError, match="expected a path, a glob|without narwhals"):
        pairproof.count(object())
    with pytest.raises(InputError, match="no rows"):
        pairproof.count(votes().iloc[:0])
    with pytest.raises(InputError, match="most_cells=0"):
        pairproof.count(votes(), most_cells=0)


def test_a_large_text_is_read_in_pieces_to_the_same_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed; large text is then read whole")
    frame = votes()
    frame["said"] = 'two\nlines, and a "quote"'
    path = tmp_path / "votes.csv"
    frame.to_csv(path, index=False)
    whole = pairproof.count(path, by="length")
    monkeypatch.setattr(streams, "LARGE_TEXT", 1)
    same(pairproof.count(path, by="length"), whole)
    path.write_text(path.read_text() + "m1,m2\n")
    with pytest.raises(InputError, match="not a readable table"):
        pairproof.count(path)


def test_files_of_one_kind_are_counted_together_and_of_two_kinds_are_not(tmp_path: Path) -> None:
    frame = votes()
    for k in range(2):
        frame[k::2].to_csv(tmp_path / f"day-{k}.csv", index=False)
    table = pairproof.count(str(tmp_path / "day-*.csv"))
    same(table, pairproof.count(frame))
    assert [(part.name, part.comparisons) for part in table.counted] == [
        ("day-0.csv", 200),
        ("day-1.csv", 200),
    ]
    with pytest.raises(InputError, match="named more than once"):
        pairproof.count([tmp_path / "day-0.csv", tmp_path / "day-0.csv"])
    (tmp_path / "twin.csv").write_bytes((tmp_path / "day-0.csv").read_bytes())
    with pytest.raises(InputError, match="twin.csv and .*day-0.csv contain the same bytes"):
        pairproof.count([tmp_path / "day-0.csv", tmp_path / "twin.csv"])
    frame.rename(columns={"length": "size"}).to_csv(tmp_path / "day-2.csv", index=False)
    assert pairproof.count(str(tmp_path / "day-*.csv")).n_comparisons == 800
    with pytest.raises(InputError, match="day-2.csv: lacks 'length'"):
        pairproof.count(str(tmp_path / "day-*.csv"), by="length")
    frame.assign(weight=2).to_csv(tmp_path / "day-3.csv", index=False)
    with pytest.raises(InputError, match="day-3.csv: has 'weight', which counts"):
        pairproof.count(str(tmp_path / "day-*.csv"))


# -- adding, keeping -----------------------------------------------------------------------------------------


def test_votes_that_are_withdrawn_leave_the_rest_and_no_less_than_nothing(tmp_path: Path) -> None:
    frame = votes()
    whole, half = pairproof.count(frame, name="all"), pairproof.count(frame[::2], name="half")
    same(whole - half, pairproof.count(frame[1::2]))
    with pytest.raises(InputError, match="would be -.*only votes that were counted can be withdrawn"):
        half - whole
    with pytest.raises(InputError, match="X not among the items"):
        whole - pairproof.count({"model_a": ["X"], "model_b": ["m1"], "winner": ["tie"]})


def test_a_part_that_is_in_is_not_added_again(tmp_path: Path) -> None:
    path = tmp_path / "votes-2026-11-22.csv"
    votes().to_csv(path, index=False)
    table = pairproof.count(path)
    with pytest.raises(InputError, match=r"votes-2026-11-22.csv \(400 votes\) has already been added"):
        table + pairproof.count(path)
    day = pairproof.count(votes(), name="monday")
    with pytest.raises(InputError, match=r"monday \(400 votes\) has already been added"):
        day + pairproof.count(votes(seed=2), name="monday")
    assert (
        pairproof.count(votes()) + pairproof.count(votes())
    ).n_comparisons == 800  # nothing tells them apart


def test_tables_that_do_not_fit_are_not_added() -> None:
    a = pairproof.count(votes(), by="language")
    with pytest.raises(InputError, match="counts by language.*by nothing"):
        a + pairproof.count(votes())
    soft = pairproof.read({"first": ["A"], "second": ["B"], "wins": [0.7], "losses": [0.3]})
    with pytest.raises(InputError, match="a count is 0.7; only whole counts"):
        soft + soft
    stated = pairproof.count({"first": ["A"], "second": ["B"], "outcome": ["first"]}, items=["B", "A"])
    with pytest.raises(InputError, match="in an order that was given explicitly"):
        stated + pairproof.count({"first": ["A"], "second": ["C"], "outcome": ["first"]})
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(InputError, match="is numeric in .* and text in"):
        pairproof.count(votes().assign(x=1), by="x") + pairproof.count(votes().assign(x="v1"), by="x")


def test_items_and_levels_of_both_are_in_natural_order() -> None:
    a = pairproof.count({"first": ["10"], "second": ["9"], "outcome": ["first"], "k": ["b"]}, by="k")
    b = pairproof.count({"first": ["1"], "second": ["9"], "outcome": ["first"], "k": ["a"]}, by="k")
    both = a + b
    assert both.items == ("1", "9", "10") and both.columns["k"].levels == ("a", "b")  # type: ignore[union-attr]
    assert not both.tie_category and (both + pairproof.count(votes().assign(k="c"), by="k")).tie_category


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_counts_are_kept_and_read_again_to_the_bit(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"counts{suffix}"
    sizes = {name: {"size": k + 0.1, "kind": "x"} for k, name in enumerate(sorted(set(votes()["model_a"])))}
    table = pairproof.count(votes(), by=["language", "length"], item_data=sizes, name="monday")
    table.save(path)
    back = pairproof.load(path)
    same(back, table)
    same_fit(back, table)
    assert (back.counted, back.source) == (table.counted, table.source)
    assert back.item_data["size"].tolist() == table.item_data["size"].tolist()  # type: ignore[union-attr]
    same(pairproof.read(path), table)
    same_fit(pairproof.read(path, where="language=en"), pairproof.read(votes(), where="language=en"))
    with pytest.raises(InputError, match="contains counts, but coding= applies to votes"):
        pairproof.read(path, coding={"first": 1, "second": 2})


def test_a_file_of_counts_that_was_cut_or_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    pairproof.count(votes()).save(path)
    text = path.read_text()
    document = json.loads(text)
    document["wins"][0] += 1
    for wrong in (
        json.dumps(document),
        text.replace('"items": ["', '"items": ["x', 1),
        text[: len(text) // 2],
    ):
        path.write_text(wrong)
        with pytest.raises(InputError, match="cut or changed|not JSON"):
            pairproof.load(path)
        with pytest.raises(InputError):
            pairproof.read(path)
    path.write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(InputError):
        pairproof.load(path)
    with pytest.raises(InputError, match="only counted tables can be saved"):
        pairproof.read(votes()).save(tmp_path / "c.json")
    with pytest.raises(InputError, match="the name must end in .json"):
        pairproof.count(votes()).save(tmp_path / "c.csv")


def test_a_killed_append_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    pairproof.count(votes(), name="monday").save(path)
    before = path.read_bytes()
    code = f"""
import os, pairproof
from pairproof.files import outputs
outputs._Staged.place = lambda self: os.kill(os.getpid(), 9)
(pairproof.load({str(path)!r}) + pairproof.load({str(path)!r}).changed(counted=())).save({str(path)!r})
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == -9
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["counts.json"]


def test_no_frame_of_all_rows_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    path = tmp_path / "votes.parquet"
    votes(5000).to_parquet(path, row_group_size=500)
    monkeypatch.setattr(streams, "BATCH", 500)
    made_frames: list[int] = []
    whole = pd.DataFrame.__init__

    def noted(self: pd.DataFrame, data: Any = None, *args: Any, **how: Any) -> None:
        whole(self, data, *args, **how)
        made_frames.append(len(self))

    monkeypatch.setattr(pd.DataFrame, "__init__", noted)
    table = pairproof.count(path)
    assert table.n_comparisons == 5000 and max(made_frames, default=0) <= 500
