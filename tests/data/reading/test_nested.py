"""Columns inside columns, from every source that has them, under dotted names."""

from __future__ import annotations

import importlib
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.errors import DataWarning, InputError

H1 = "conv_metadata.header_count_a.h1"
TOKENS = "conv_metadata.sum_assistant_a_tokens"


def arena(n: int = 300) -> list[dict[str, Any]]:
    """Votes as the arena's own files have them: nested columns, lists, and records that lack a name."""
    rng = np.random.default_rng(140)
    rows = []
    for k in range(n):
        a, b = rng.choice(4, 2, replace=False)
        meta: dict[str, Any] = {
            "sum_assistant_a_tokens": int(rng.integers(1, 900)),
            "sum_assistant_b_tokens": int(rng.integers(1, 900)),
            "header_count_a": {"h1": int(rng.integers(0, 4)), "h2": None if k % 7 == 0 else 1.5},
            "language": str(rng.choice(["en", "de"])),
            "turns": [1, 2],
        }
        row = {
            "model_a": f"m{a}",
            "model_b": f"m{b}",
            "winner": str(rng.choice(["model_a", "model_b", "both_bad"])),
        }
        rows.append({**row, "conversation_a": [{"role": "user"}], "conv_metadata": meta})
    return rows


def _parquet(folder: Path) -> Any:
    pytest.importorskip("pyarrow")
    pd.DataFrame(arena()).to_parquet(folder / "arena.parquet")
    return folder / "arena.parquet"


def _arrow(folder: Path) -> Any:
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pylist(arena())
    with pa.ipc.new_file(str(folder / "arena.arrow"), table.schema) as file:
        file.write_table(table)
    return folder / "arena.arrow"


def _json_lines(folder: Path) -> Any:
    (folder / "arena.jsonl").write_text("".join(json.dumps(row) + "\n" for row in arena()))
    return folder / "arena.jsonl"


def _json(folder: Path) -> Any:
    (folder / "arena.json").write_text(json.dumps(arena()))
    return folder / "arena.json"


def _duckdb(folder: Path) -> Any:
    return pytest.importorskip("duckdb").read_parquet(str(_parquet(folder)))


SOURCES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: pd.DataFrame(arena()),
    "dicts": lambda _: arena(),
    "parquet": _parquet,
    "arrow": _arrow,
    "json lines": _json_lines,
    "json": _json,
    "pyarrow": lambda _: pytest.importorskip("pyarrow").Table.from_pylist(arena()),
    "polars": lambda _: pytest.importorskip("polars").DataFrame(arena()),
}
ENGINES = {
    "polars lazy": lambda _: pytest.importorskip("polars").DataFrame(arena()).lazy(),
    "duckdb": _duckdb,
}


@pytest.mark.parametrize("kind", SOURCES)
def test_names_inside_a_column_are_columns(kind: str, tmp_path: Path) -> None:
    table = pairproof.read(SOURCES[kind](tmp_path))
    metas = [row["conv_metadata"] for row in arena()]
    assert table.columns[TOKENS].tolist() == [meta["sum_assistant_a_tokens"] for meta in metas]
    assert table.columns[H1].tolist() == [meta["header_count_a"]["h1"] for meta in metas]
    h2 = [meta["header_count_a"]["h2"] for meta in metas]
    assert np.array_equal(
        table.columns["conv_metadata.header_count_a.h2"], np.array(h2, float), equal_nan=True
    )
    language = table.columns["conv_metadata.language"]
    assert [language.levels[code] for code in language.codes] == [meta["language"] for meta in metas]
    assert "conv_metadata" not in table.columns


@pytest.mark.parametrize("kind", SOURCES)
def test_lists_are_refused_by_name_when_they_are_used_and_not_before(kind: str, tmp_path: Path) -> None:
    table = pairproof.read(SOURCES[kind](tmp_path))
    pairproof.fit_llbt(table)
    for name in ("conversation_a", "conv_metadata.turns"):
        with pytest.raises(InputError, match=f"column '{name}' contains lists, not text or numbers"):
            table.columns[name]
    again = pickle.loads(pickle.dumps(table))
    assert TOKENS in again.columns and "conversation_a" not in again.to_frame()


@pytest.mark.parametrize("kind", [*SOURCES, *ENGINES])
def test_a_count_is_by_a_dotted_name_and_passes_take_it_as_a_term(kind: str, tmp_path: Path) -> None:
    source = {**SOURCES, **ENGINES}[kind](tmp_path)
    counted, table = pairproof.count(source, by=H1), pairproof.read(arena())
    assert counted.digest() == table.digest()
    of_level = {value: table.select(table.columns[H1] == value).n_comparisons for value in (0.0, 3.0)}
    for value, n in of_level.items():
        assert counted.select(counted.columns[H1] == value).n_comparisons == n
    through = pairproof.fit_bradley_terry(pairproof.count(source), comparison_terms=[TOKENS], rows=source)
    held = pairproof.fit_bradley_terry(table, comparison_terms=[TOKENS])
    # both stop at a decrement of 1e-14 or so; observed 3e-16
    assert through.params[TOKENS] == pytest.approx(held.params[TOKENS], rel=1e-9)
    with pytest.raises(InputError, match="column 'conversation_a' contains lists, not text or numbers"):
        pairproof.count(source, by="conversation_a")


def test_clusters_go_by_a_dotted_name_in_memory_and_through_rows() -> None:
    name = "conv_metadata.sum_assistant_b_tokens"
    held = pairproof.fit_bradley_terry(pairproof.read(arena())).clustered(name, kind="CR1")
    frame = pd.DataFrame(arena())
    through = pairproof.fit_bradley_terry(pairproof.count(frame)).clustered(name, kind="CR1", rows=frame)
    # sums in another order; observed 9e-16
    np.testing.assert_allclose(through.bse.dropna(), held.bse.dropna(), rtol=1e-12)


def test_rows_are_chosen_by_a_dotted_name() -> None:
    table = pairproof.read(arena(), where=["conv_metadata.language=de", f"{H1}>1"])
    metas = [row["conv_metadata"] for row in arena()]
    assert table.n_rows == sum(
        meta["language"] == "de" and meta["header_count_a"]["h1"] > 1 for meta in metas
    )


def test_a_name_that_only_some_records_have_is_blank_in_the_others() -> None:
    rows = arena(40)
    rows[3]["conv_metadata"]["later"] = 5
    rows[4]["conv_metadata"] = None
    table = pairproof.read(rows)
    assert np.flatnonzero(~np.isnan(table.columns["conv_metadata.later"])).tolist() == [3]
    assert np.isnan(table.columns[TOKENS][4])


def test_objects_beside_text_in_one_column_are_refused_with_the_row() -> None:
    rows = arena(40)
    rows[4]["conv_metadata"] = "none"
    table = pairproof.read(rows)
    with pytest.raises(InputError, match=r"row 5: column 'conv_metadata' contains 'none', but objects"):
        table.columns[TOKENS]


def test_a_dotted_name_that_is_there_twice_is_refused() -> None:
    frame = pd.DataFrame(arena()).assign(**{TOKENS: 1})
    with pytest.raises(InputError, match=f"more than one column is named '{TOKENS}'"):
        pairproof.read(frame)


def test_what_happens_to_the_frame_afterwards_changes_no_column() -> None:
    frame = pd.DataFrame(arena())
    table = pairproof.read(frame)
    frame["conv_metadata"] = None
    assert table.columns[H1].sum() > 0


def test_whole_answers_leave_lists_out_aloud() -> None:
    rows = [{"AB": k % 2, "text": [1, 2], "meta": {"age": k}} for k in range(6)]
    with pytest.warns(DataWarning, match="'text' left out: they contain lists"):
        found = pairproof.read_respondents(
            rows, layout="pairs", items=["A", "B"], pair_order="prefmod", coding="first=1,second=0"
        )
    assert list(found.columns) == ["meta.age"]
