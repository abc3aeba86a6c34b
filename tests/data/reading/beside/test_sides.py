"""Columns of two sides as differences: named, divided by their root mean square, and the same when votes are turned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.data.counting.passes import with_sides_through
from pairproof.data.reading.beside.sides import SideTerm, side_terms, with_sides
from pairproof.errors import InputError

ASKED = ["diff(sum_assistant_{a,b}_tokens)", "rel(header_count_{a,b})", "log(turns_{1,2})"]
KEYS = ["style.sum_assistant_tokens", "style.relative_header_count", "style.log_turns"]


def votes(n: int = 3000, turned: np.ndarray[Any, Any] | None = None) -> pd.DataFrame:
    """Votes in which a longer answer wins more often; turned: those whose sides are the other way round."""
    rng = np.random.default_rng(28)
    a = rng.integers(0, 5, n)
    b = (a + rng.integers(1, 5, n)) % 5
    sides = {
        "tokens": rng.integers(1, 900, (2, n)),
        "h1": rng.integers(0, 3, (2, n)),
        "h2": rng.integers(0, 4, (2, n)),
    }
    sides["turns"] = rng.integers(1, 9, (2, n))
    eta = 0.4 * (a - b) / 2 + (sides["tokens"][0] - sides["tokens"][1]) / 1500
    won = rng.random(n) < 1 / (1 + np.exp(-eta))
    said = np.where(rng.random(n) < 0.15, "tie", np.where(won, "model_a", "model_b")).astype(object)
    names = np.array([f"m{k}" for k in range(5)], object)
    other = np.zeros(n, bool) if turned is None else turned
    one, two = other.astype(int), 1 - other.astype(int)
    at = np.arange(n)
    metas = [
        {
            "sum_assistant_a_tokens": int(sides["tokens"][one[k], k]),
            "sum_assistant_b_tokens": int(sides["tokens"][two[k], k]),
            "header_count_a": {"h1": int(sides["h1"][one[k], k]), "h2": int(sides["h2"][one[k], k])},
            "header_count_b": {"h1": int(sides["h1"][two[k], k]), "h2": int(sides["h2"][two[k], k])},
        }
        for k in at
    ]
    swap = {"model_a": "model_b", "model_b": "model_a", "tie": "tie"}
    return pd.DataFrame(
        {
            "model_a": names[np.where(other, b, a)],
            "model_b": names[np.where(other, a, b)],
            "winner": [swap[x] if t else x for x, t in zip(said, other)],
            "judge": rng.integers(0, 90, n),
            "turns_1": sides["turns"][one, at],
            "turns_2": sides["turns"][two, at],
            "conv_metadata": metas,
        }
    )


def styled(frame: pd.DataFrame) -> Any:
    table = pairproof.read(frame)
    return with_sides(table, side_terms(ASKED, table.columns))


def test_differences_are_those_of_the_columns_over_their_root_mean_square() -> None:
    table = styled(votes())
    metas = pd.json_normalize(votes().conv_metadata.tolist())
    tokens = (metas.sum_assistant_a_tokens - metas.sum_assistant_b_tokens).to_numpy(float)
    headers = [metas[f"header_count_{s}.h1"] + metas[f"header_count_{s}.h2"] for s in "ab"]
    both = (headers[0] + headers[1]).to_numpy(float)
    relative = np.divide(headers[0] - headers[1], both, out=np.zeros(len(both)), where=both > 0)
    logged = np.log(votes().turns_1) - np.log(votes().turns_2)
    for key, x in zip(KEYS, (tokens, relative, logged)):
        # divided in another order; observed 2e-16
        np.testing.assert_allclose(table.columns[key], x / np.sqrt((x**2).mean()), rtol=1e-13)


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_turning_votes_round_changes_no_estimate(share: float) -> None:
    turned = np.random.default_rng(2).random(3000) < share
    one, other = (
        pairproof.fit_bradley_terry(styled(frame), comparison_terms=KEYS, ties="davidson")
        for frame in (votes(), votes(turned=turned))
    )
    # the sums of a Newton step in another order; observed 0
    np.testing.assert_allclose(one.params, other.params, atol=1e-12)
    np.testing.assert_allclose(one.bse, other.bse, rtol=1e-12)
    assert one.llf == pytest.approx(other.llf, rel=1e-13)


def test_the_scale_counts_each_vote_of_a_row() -> None:
    frame = votes(200).drop(columns="conv_metadata").assign(weight=np.arange(200) % 4)
    table = pairproof.read(frame)
    found = with_sides(table, side_terms(["turns"], table.columns)).columns["style.turns"]
    assert (table.row_weights * found**2).sum() == pytest.approx(table.n_comparisons, rel=1e-13)
    plain = with_sides(table, side_terms(["turns"], table.columns), standardise=False).columns["style.turns"]
    assert plain.tolist() == (frame.turns_1 - frame.turns_2).tolist()


@pytest.mark.parametrize("drop", [None, "bad"])
def test_passes_over_rows_give_the_fit_and_the_clusters_of_the_table(drop: Any) -> None:
    frame = votes()
    if drop:
        frame.loc[:9, "winner"] = "x"
    held = pairproof.read(frame, drop=drop)
    terms = side_terms(ASKED, held.columns)
    held = with_sides(held, terms)
    counted = pairproof.count(frame, drop=drop)
    rows = with_sides_through(counted, pairproof.rows(frame, drop=drop), terms)
    through = pairproof.fit_bradley_terry(counted, comparison_terms=KEYS, rows=rows)
    fit = pairproof.fit_bradley_terry(held, comparison_terms=KEYS)
    # both stop at a decrement of 1e-14 or so; observed 3e-16, and 5e-15 of standard errors
    np.testing.assert_allclose(through.params, fit.params, atol=1e-9)
    one, other = through.clustered("judge", kind="CR1", rows=rows), fit.clustered("judge", kind="CR1")
    np.testing.assert_allclose(one.bse.dropna(), other.bse.dropna(), rtol=1e-9)


@pytest.mark.parametrize(
    ("asked", "columns", "expected"),
    [
        ("length", ["length_a", "length_b"], ("length", "length_a", "length_b", "difference", "")),
        ("length", ["length_1", "length_2"], ("length", "length_1", "length_2", "difference", "")),
        (
            "length",
            ["x.length_first", "x.length_second"],
            ("length", "x.length_first", "x.length_second", "difference", ""),
        ),
        ("length", ["length"], ("length", "", "", "difference", "length")),
        ("log(length)", ["length_a", "length_b"], ("log_length", "length_a", "length_b", "log", "")),
        ("diff(x.{a,b}.n)", ["x.a.n", "x.b.n", "y.a.n"], ("x.n", "x.a.n", "x.b.n", "difference", "")),
    ],
)
def test_columns_are_found_by_what_they_are_called(
    asked: str, columns: list[str], expected: tuple[Any, ...]
) -> None:
    assert side_terms([asked], columns) == (SideTerm(*expected),)


@pytest.mark.parametrize(
    ("asked", "columns", "said"),
    [
        (
            ["length"],
            ["length", "length_a", "length_b"],
            "may be length_a and length_b; or length; say which",
        ),
        (
            ["length"],
            ["tokens_a", "tokens_b"],
            "no two columns have these names; found 'tokens_a', 'tokens_b'",
        ),
        (["diff(n_{a,b})"], ["x.n_a", "x.n_b", "y.n_a"], "'n_a' may be 'x.n_a', 'y.n_a'; write"),
        (["log(length)"], ["length"], "length is a single column, which is already taken as a difference"),
        (["diff(length"], ["length_a", "length_b"], "expected a name, or diff"),
        (["length", "diff(length_{a,b})"], ["length_a", "length_b"], "two of these are the same"),
    ],
)
def test_what_cannot_be_told_is_refused_with_the_columns(
    asked: list[str], columns: list[str], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        side_terms(asked, columns)


@pytest.mark.parametrize(
    ("cells", "asked", "said"),
    [
        (
            {"n_a": [1, 0], "n_b": [2, 1]},
            "log(n)",
            "log differences are of numbers > 0; n_a and n_b go down to 0",
        ),
        ({"n_a": [1, 2], "n_b": [1, 2]}, "n", "'n_a', 'n_b' are the same in all votes; leave it out"),
        ({"n_a": ["x", "y"], "n_b": [1, 2]}, "n", "column 'n_a' is not numeric"),
    ],
)
def test_sides_without_differences_are_refused(cells: dict[str, Any], asked: str, said: str) -> None:
    table = pairproof.read(
        {"model_a": ["A", "B"], "model_b": ["B", "A"], "winner": ["model_a", "tie"], **cells}
    )
    with pytest.raises(InputError, match=said):
        with_sides(table, side_terms([asked], table.columns))


def test_a_side_without_a_value_is_refused_by_the_fit_that_uses_it() -> None:
    frame = votes(200).drop(columns="conv_metadata")
    frame.loc[3, "turns_1"] = None
    table = pairproof.read(frame)
    table = with_sides(table, side_terms(["turns"], table.columns))
    with pytest.raises(InputError, match="style.turns"):
        pairproof.fit_bradley_terry(table, comparison_terms=["style.turns"])
