"""Covariates of rows that are gone through, against the same covariates of a table in memory."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.errors import AliasError, InputError, NotEstimableError
from pairproof.fit.fit import Fit
from tests.data.counting.kinds import made
from tests.fit.robust.test_streamed import votes

#: Sums of the same rows in another order, and the last Newton step; seen: 6e-15 and 2e-13.
PARAMS, ERRORS = 1e-12, 1e-10


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    found = votes()
    return found.assign(late=np.random.default_rng(2).normal(size=len(found)))


def both(frame: pd.DataFrame, terms: Any = "length", **options: Any) -> tuple[Fit, Fit]:
    """The fit that goes through the rows, and that of a table which has them."""
    by = ["language"] if "language" in options.get("by", "") else []
    counted = pairproof.count(frame, by=by)
    through = pairproof.fit_bradley_terry(counted, comparison_terms=terms, rows=frame, **options)
    return through, pairproof.fit_bradley_terry(pairproof.read(frame), comparison_terms=terms, **options)


def same(one: Fit, other: Fit) -> None:
    assert one.names == other.names and one.rank == other.rank
    np.testing.assert_allclose(one.beta, other.beta, atol=PARAMS, rtol=PARAMS)
    np.testing.assert_allclose(one.bse, other.bse, rtol=ERRORS)
    np.testing.assert_allclose([one.llf, one.aic], [other.llf, other.aic], rtol=PARAMS)


MODELS: dict[str, dict[str, Any]] = {
    "davidson": {"ties": "davidson"},
    "rao-kupper": {"ties": "rao-kupper"},
    "half wins": {"ties": "half"},
    "dropped": {"ties": "drop"},
    "order effect": {"ties": "davidson", "order_effect": True},
    "by language": {"ties": "davidson", "by": "language + tie:language", "order_effect": True},
    "sum to zero": {"ties": "davidson", "reference": "sum"},
    "two terms": {"ties": "davidson", "terms": ["length", "late"], "reference": "m4"},
}


@pytest.mark.parametrize("model", MODELS)
def test_passes_over_rows_give_the_fit_of_a_table_that_has_the_covariate(
    frame: pd.DataFrame, model: str
) -> None:
    through, in_memory = both(frame, **MODELS[model])
    same(through, in_memory)
    # where the steps start, and where each ends
    assert through.title.endswith(f" {through.stopping.steps + 1} passes over the rows of table")


@pytest.mark.parametrize("model", MODELS)
def test_clusters_of_such_a_fit_are_those_of_memory(frame: pd.DataFrame, model: str) -> None:
    through, in_memory = both(frame, **MODELS[model])
    found, expected = through.clustered("judge", rows=frame), in_memory.clustered("judge", kind="CR1")
    np.testing.assert_allclose(found.bse, expected.bse, rtol=ERRORS)
    assert found.robust.title == "CR1 by judge (90 clusters, 1 pass)"


def test_what_one_judge_alone_determines_is_found_row_by_row(frame: pd.DataFrame) -> None:
    alone = pd.DataFrame(
        {"model_a": ["m7"] * 6, "model_b": ["m0", "m1"] * 3, "length": [5, -9, 0, 40, 2, -3]}
    )
    alone = alone.assign(winner=["model_a", "model_b", "tie"] * 2, judge=5, language="de", late=0.5)
    through, in_memory = both(pd.concat([frame, alone], ignore_index=True))
    found = through.clustered("judge", rows=pd.concat([frame, alone], ignore_index=True))
    expected = in_memory.clustered("judge", kind="CR1")
    np.testing.assert_allclose(found.bse, expected.bse, rtol=ERRORS)
    m7 = np.array([name == "m7" for name in found.names], float)
    assert np.isnan(found.bse["m7"]) and found.robust.alone(m7) == expected.robust.alone(m7) == "judge 5"


@pytest.mark.parametrize("kind", ["parquet", "csv", "dict", "polars lazy", "duckdb"])
def test_the_rows_may_be_anything_that_is_counted(frame: pd.DataFrame, kind: str, tmp_path: Path) -> None:
    rows = made(kind, frame, tmp_path)
    table = pairproof.count(frame)
    found = pairproof.fit_bradley_terry(table, comparison_terms="length", rows=rows)
    same(found, both(frame)[1])


def test_weighted_rows_count_as_often_as_they_say(frame: pd.DataFrame) -> None:
    frame = frame.assign(length=frame["length"] // 100)
    names = ["model_a", "model_b", "winner", "length"]
    weighted = frame.groupby(names, as_index=False).size().rename(columns={"size": "weight"})
    found = pairproof.fit_bradley_terry(pairproof.count(frame), comparison_terms="length", rows=weighted)
    same(found, both(frame)[1])


def test_what_the_fit_has_is_answered_and_all_else_is_refused_with_what_is_offered(
    frame: pd.DataFrame,
) -> None:
    through, in_memory = both(frame)
    assert str(through.contrast("m1", "m2")) == str(in_memory.contrast("m1", "m2"))
    assert str(through.ranks()) == str(in_memory.ranks())
    assert (
        "no goodness of fit: the rows with its comparison terms were read in passes"
        in through.summary().replace("\n             ", " ")
    )
    assert np.isnan(through.deviance) and through.to_dict()["llf"] == through.llf
    assert pickle.loads(pickle.dumps(through)).names == through.names
    smaller = pairproof.fit_bradley_terry(through.data)
    for ask in (
        through.residuals,
        through.cell_table,
        through.to_r,
        lambda: through.likelihood,
        lambda: through.bootstrap(replicates=99),
        lambda: through.profile("length"),
        lambda: through.clustered("judge"),
        lambda: through.compare(smaller),
        lambda: pairproof.contest_residuals(through),
        lambda: pairproof.item_residuals(through),
        lambda: pairproof.anova(through),
    ):
        with pytest.raises(
            InputError, match=r"read in passes and are not in memory; .*clustered\(COLUMN, rows=SOURCE\)"
        ):
            ask()


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no terms": ({"comparison_terms": ()}, "rows= is for comparison_terms"),
    "a formula": (
        {"formula": "item + length", "comparison_terms": ()},
        "rows= with a formula, .* is not offered",
    ),
    "a link": ({"link": "probit"}, "rows= with a formula, random effects, another link"),
    "a shift": ({"tie_shift": True}, "or general ties is not offered"),
    "a factor": ({"comparison_terms": "C(length)"}, r"no column 'C\(length\)' as a term through rows="),
    "text": (
        {"comparison_terms": "language"},
        "language is not a finite number in 4,000 of 4,000 rows.*counted by",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_passes_do_not_fit_is_refused_in_words(frame: pd.DataFrame, what: str) -> None:
    options, said = REFUSED[what]
    with pytest.raises(InputError, match=said):
        pairproof.fit_bradley_terry(
            pairproof.count(frame), rows=frame, **{"comparison_terms": "length", **options}
        )


def test_rows_without_the_number_and_rows_of_another_table_are_refused_with_how_many(
    frame: pd.DataFrame,
) -> None:
    table = pairproof.count(frame)
    gaps = frame.assign(length=frame["length"].where(frame.index > 6))
    with pytest.raises(InputError, match="length is not a finite number in 7 of 4,000 rows; fill it in"):
        pairproof.fit_bradley_terry(table, comparison_terms="length", rows=gaps)
    with pytest.raises(InputError, match="3,990 comparisons in the rows, 4,000 in the table"):
        pairproof.fit_bradley_terry(table, comparison_terms="length", rows=frame[10:])


def test_terms_that_cannot_be_told_apart_are_named(frame: pd.DataFrame) -> None:
    frame = frame.assign(twice=2 * frame["length"], nothing=0)
    table = pairproof.count(frame)
    for terms, names in ((["length", "twice"], "length, twice"), (["nothing"], "nothing")):
        with pytest.raises(AliasError, match=f"{names} cannot be distinguished"):
            pairproof.fit_bradley_terry(table, comparison_terms=terms, rows=frame)


def test_a_covariate_that_foretells_answers_has_no_finite_estimate_and_says_so(frame: pd.DataFrame) -> None:
    sign = frame["winner"].map({"model_a": 1.0, "tie": 0.0, "model_b": -1.0})
    some = np.where(frame.index < 40, sign, 0.0)
    for foretold, ties in ((sign, "drop"), (some, "drop"), (some, "davidson")):
        rows = frame.assign(foretold=foretold)
        if ties == "davidson":
            rows = rows.assign(foretold=rows["foretold"].where(rows["winner"] != "tie", 0.0))
        with pytest.raises(NotEstimableError, match="foretell some answers for certain"):
            pairproof.fit_bradley_terry(
                pairproof.count(rows), ties=ties, comparison_terms="foretold", rows=rows
            )


def test_a_start_that_is_not_finite_is_refused_with_its_reason(frame: pd.DataFrame) -> None:
    never = frame[(frame["model_a"] != "m6") | (frame["winner"] == "model_a")]
    never = never[(never["model_b"] != "m6") | (never["winner"] == "model_b")]
    with pytest.raises(NotEstimableError, match="not everything has a finite estimate: .*m6"):
        pairproof.fit_bradley_terry(pairproof.count(never), comparison_terms="length", rows=never)
    decided = frame[frame["winner"] != "tie"]
    table = pairproof.count(decided, tie_category=True)
    for ties in ("davidson", "rao-kupper"):
        with pytest.raises(NotEstimableError, match="[Nn]o tie was observed|not estimable"):
            pairproof.fit_bradley_terry(table, ties=ties, comparison_terms="length", rows=decided)
