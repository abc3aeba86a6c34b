"""Standard errors by cluster of counts, by passes over the rows, against those of the rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.errors import CodingError, InputError, ItemError, TooLargeError
from pairproof.fit.fit import Fit
from pairproof.fit.robust import streamed, sums
from tests.data.counting.kinds import KINDS, made

#: Sums of the same numbers in another order; seen: 9e-14 of the largest covariance.
SAME = 1e-12


def votes(n: int = 4_000, judges: int = 90, seed: int = 1) -> pd.DataFrame:
    """Votes with an order effect, ties, two languages that differ, and judges who differ."""
    rng = np.random.default_rng(seed)
    ability = np.linspace(-1.0, 1.0, 7)
    first, second = rng.integers(0, 7, n), rng.integers(0, 6, n)
    second += second >= first
    judge, language, length = rng.integers(0, judges, n), rng.integers(0, 2, n), rng.integers(-300, 300, n)
    bend = rng.normal(0.0, 0.5, (judges, 7))
    u = (ability * (1.0 + 0.5 * language[:, None]) + bend[judge])[np.arange(n), [first, second]]
    half = (u[0] - u[1] + 0.2 + 0.003 * length) / 2.0
    weight = np.exp(np.stack([half, np.full(n, -0.3), -half]))
    drawn = (rng.random(n) * weight.sum(axis=0) > np.cumsum(weight, axis=0)).sum(axis=0)
    names = np.array([f"m{k}" for k in range(7)])
    return pd.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[second],
            "winner": np.array(["model_a", "tie", "model_b"])[drawn],
            "judge": judge,
            "language": np.array(["de", "en"])[language],
            "length": length,
        }
    )


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return votes()


def both(frame: pd.DataFrame, family: str = "bradley-terry", **options: Any) -> tuple[Fit, Fit]:
    """The fit of counts without judges, and that of all rows."""
    fit = pairproof.fit_llbt if family == "llbt" else pairproof.fit_bradley_terry
    by = [name for name in ("language",) if name in options.get("by", "")]
    counted = pairproof.count(frame, by=by)
    assert "judge" not in counted.columns
    return fit(counted, **options), fit(pairproof.read(frame), **options)


def same(one: Fit, other: Fit) -> None:
    assert one.robust is not None and other.robust is not None
    v, w = one.robust.covariance, other.robust.covariance
    assert np.abs(v - w).max() <= SAME * np.abs(w).max()
    np.testing.assert_allclose(one.bse, other.bse, rtol=SAME)
    np.testing.assert_array_equal(one.degrees_of_freedom, other.degrees_of_freedom)
    assert one.robust.n_clusters == other.robust.n_clusters


MODELS = {
    "davidson": {"ties": "davidson"},
    "rao-kupper": {"ties": "rao-kupper"},
    "half wins": {"ties": "half"},
    "dropped": {"ties": "drop"},
    "tie parameter 0": {"ties": "none"},
    "order effect": {"ties": "davidson", "order_effect": True},
    "by language": {"ties": "davidson", "by": "language", "order_effect": True},
    "ties by language": {"ties": "rao-kupper", "by": "tie:language"},
    "sum to zero": {"ties": "davidson", "reference": "sum"},
    "llbt": {"ties": "davidson", "family": "llbt"},
    "probit": {"ties": "drop", "link": "probit"},
    "less bias": {"ties": "half", "reduce_bias": "mean"},
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["CR0", "CR1"])
def test_one_pass_over_rows_gives_what_the_rows_in_memory_give(
    frame: pd.DataFrame, model: str, kind: Any
) -> None:
    of_counts, of_rows = both(frame, **MODELS[model])
    found = of_counts.clustered("judge", rows=frame, kind=kind)
    same(found, of_rows.clustered("judge", kind=kind))
    assert found.robust.title == f"{kind} by judge (90 clusters, 1 pass)"
    assert "(90 clusters, 1 pass), clusters less one df" in " ".join(found.summary().split())


def test_the_kind_is_cr1_unless_another_is_asked_for(frame: pd.DataFrame) -> None:
    of_counts, of_rows = both(frame)
    same(of_counts.clustered("judge", rows=frame), of_rows.clustered("judge", kind="CR1"))


@pytest.mark.parametrize("model", ["davidson", "by language"])
def test_five_passes_give_what_one_gives(frame: pd.DataFrame, model: str, monkeypatch: Any) -> None:
    of_counts, of_rows = both(frame, **MODELS[model])
    monkeypatch.setattr(sums, "MOST_NUMBERS", 18 * len(of_counts.terms))
    found = of_counts.clustered("judge", rows=frame)
    monkeypatch.undo()
    assert found.robust.title == "CR1 by judge (90 clusters, 5 passes)"
    same(found, of_rows.clustered("judge", kind="CR1"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", [False, True], ids=["numbers", "text"])
def test_rows_of_every_kind_give_the_same(frame: pd.DataFrame, kind: str, text: bool, tmp_path: Path) -> None:
    votes = frame.assign(judge="J" + frame["judge"].astype(str)) if text else frame
    of_counts, of_rows = both(votes, ties="davidson")
    same(
        of_counts.clustered("judge", rows=made(kind, votes, tmp_path)), of_rows.clustered("judge", kind="CR1")
    )


def test_a_judge_is_one_whether_files_hold_numbers_or_text(frame: pd.DataFrame, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed; Parquet files were not gone through")
    of_counts, of_rows = both(frame)
    parts = [frame[:1500], frame[1500:2500].astype({"judge": str}), frame[2500:]]
    for k, part in enumerate(parts):
        part.to_parquet(tmp_path / f"votes-{k}.parquet")
    expected = of_rows.clustered("judge", kind="CR1")
    same(of_counts.clustered("judge", rows=f"{tmp_path}/votes-*.parquet"), expected)
    paths = [tmp_path / f"votes-{k}.parquet" for k in (2, 1, 0)]
    same(of_counts.clustered("judge", rows=paths), expected)


def test_a_lazy_frame_is_spooled_once_for_all_passes_and_nothing_is_left(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: Any
) -> None:
    lazy = made("polars lazy", frame, tmp_path)
    of_counts, of_rows = both(frame)
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr(sums, "MOST_NUMBERS", 45 * len(of_counts.terms))
    found = of_counts.clustered("judge", rows=pairproof.rows(lazy, spool=str(spool)))
    monkeypatch.undo()
    assert found.robust.title.endswith("2 passes)") and list(spool.iterdir()) == []
    same(found, of_rows.clustered("judge", kind="CR1"))


def test_weights_and_rows_of_counts_count_as_often_as_they_say(frame: pd.DataFrame) -> None:
    of_counts, of_rows = both(frame)
    expected = of_rows.clustered("judge", kind="CR1")
    weighted = frame.groupby(["model_a", "model_b", "winner", "judge"], as_index=False).size()
    same(of_counts.clustered("judge", rows=weighted.rename(columns={"size": "weight"})), expected)
    wide = weighted.pivot_table("size", ["model_a", "model_b", "judge"], "winner", fill_value=0)
    wide = wide.set_axis(["won", "lost", "ties"], axis=1).astype(int).reset_index()
    columns = {"first": "model_a", "second": "model_b", "wins": "won", "losses": "lost"}
    assert pairproof.count(wide, columns=columns).digest() == of_counts.data.digest()
    same(of_counts.clustered("judge", rows=pairproof.rows(wide, columns=columns)), expected)


def test_how_rows_are_read_is_said_once_by_the_table_or_by_rows(frame: pd.DataFrame) -> None:
    other = frame.rename(columns={"model_a": "left", "model_b": "right", "judge": "rater"})
    other = other.assign(winner=other["winner"].map({"model_a": 1, "tie": 0, "model_b": 2}))
    columns = {"first": "left", "second": "right", "outcome": "winner"}
    how: dict[str, Any] = {"coding": {"first": 1, "tie": 0, "second": 2}, "rename": {"m3": "third"}}
    fit = pairproof.fit_bradley_terry(pairproof.count(other, columns=columns, **how))
    _, of_rows = both(frame)
    expected = of_rows.clustered("judge", kind="CR1").bse.rename({"m3": "third"})
    for rows in (pairproof.rows(other, **how), pairproof.rows(other, columns=columns, layout="long", **how)):
        np.testing.assert_allclose(fit.clustered("rater", rows=rows).bse[expected.index], expected, rtol=SAME)
    by_role = pairproof.rows(other, columns={**columns, "judge": "rater"}, **how)
    np.testing.assert_allclose(fit.clustered("judge", rows=by_role).bse[expected.index], expected, rtol=SAME)
    with pytest.raises(CodingError, match="'1' .* have no meaning"):
        fit.clustered("rater", rows=pairproof.rows(other, rename=how["rename"]))


def test_cells_that_are_too_many_for_places_are_found_by_hashing(
    frame: pd.DataFrame, monkeypatch: Any
) -> None:
    of_counts, of_rows = both(frame, by="language")
    monkeypatch.setattr("pairproof.data.counting.passes._MOST_PLACES", 1)
    same(of_counts.clustered("judge", rows=frame), of_rows.clustered("judge", kind="CR1"))


def test_numbers_that_the_table_was_counted_by_are_found_as_numbers(frame: pd.DataFrame) -> None:
    votes = frame.assign(half=np.where(frame["length"] > 100, 0.5, np.where(frame["length"] < 0, 2.0, 1e-3)))
    fit = pairproof.fit_bradley_terry(pairproof.count(votes, by=["half"]), by="half")
    of_rows = pairproof.fit_bradley_terry(pairproof.read(votes), by="half")
    expected = of_rows.clustered("judge", kind="CR1")
    same(fit.clustered("judge", rows=votes), expected)
    same(fit.clustered("judge", rows=votes.astype({"half": str})), expected)


def test_the_clusters_may_be_by_a_column_of_the_model(frame: pd.DataFrame) -> None:
    votes = frame.assign(block=frame["judge"] % 30)
    fit = pairproof.fit_bradley_terry(pairproof.count(votes, by=["block"]), by="block")
    expected = pairproof.fit_bradley_terry(pairproof.read(votes), by="block").clustered("block", kind="CR1")
    same(fit.clustered("block", rows=votes), expected)


def test_what_one_judge_alone_determines_has_no_error_and_is_named(frame: pd.DataFrame) -> None:
    alone = pd.DataFrame(
        {"model_a": ["m7"] * 6, "model_b": ["m0", "m1"] * 3, "winner": ["model_a", "model_b", "tie"] * 2}
    ).assign(judge=5, language="de", length=0)
    votes = pd.concat([frame, alone], ignore_index=True)
    of_counts, of_rows = both(votes, ties="davidson")
    found, expected = of_counts.clustered("judge", rows=votes), of_rows.clustered("judge", kind="CR1")
    same(found, expected)
    m7 = np.array([name == "m7" for name in found.names], float)
    assert np.isnan(found.bse["m7"]) and found.robust.alone(m7) == expected.robust.alone(m7) == "judge 5"
    assert found.robust.title.endswith("2 passes)")  # the heavy ones are looked at in another


def test_few_clusters_are_cautioned_of_without_what_rows_do_not_have(frame: pd.DataFrame) -> None:
    votes = frame.assign(judge=frame["judge"] % 5)
    of_counts, of_rows = both(votes)
    found = of_counts.clustered("judge", rows=votes)
    same(found, of_rows.clustered("judge", kind="CR1"))
    (caution,) = found.robust.cautions
    assert "5 clusters by judge" in caution and "bootstrap" not in caution


def test_a_judge_whose_ties_are_all_dropped_is_no_cluster(frame: pd.DataFrame) -> None:
    votes = frame.assign(judge=frame["judge"].where(frame["winner"] != "tie", 1000))
    of_counts, of_rows = both(votes, ties="drop")
    found = of_counts.clustered("judge", rows=votes)
    assert found.robust.n_clusters == (90,)
    same(found, of_rows.clustered("judge", kind="CR1"))


def test_contrasts_ranks_and_joint_tests_are_those_of_memory(frame: pd.DataFrame) -> None:
    of_counts, of_rows = both(frame)
    found, expected = of_counts.clustered("judge", rows=frame), of_rows.clustered("judge", kind="CR1")
    one, other = found.contrasts().to_frame(), expected.contrasts().to_frame()
    pd.testing.assert_frame_equal(one, other, rtol=1e-9)  # probabilities by quadrature; seen: 2e-13
    assert str(found.ranks()) == str(expected.ranks()).replace("90 clusters", "90 clusters, 1 pass")
    again = found.with_reference("sum").on_scale("lambda")
    np.testing.assert_allclose(again.bse, expected.with_reference("sum").on_scale("lambda").bse, rtol=SAME)


BAD: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "labels": ({"winner": "Both"}, CodingError, r"'winner': 'Both' \(3 rows\) have no meaning"),
    "no answer": ({"winner": None}, CodingError, "'winner' is missing in 3 rows; filter them"),
    "no item": ({"model_b": None}, ItemError, "'model_b' is missing in 3 rows; filter them"),
    "no judge": ({"judge": None}, InputError, "3 of 4,000 rows have no judge; fill it in, or count and fit"),
    "another item": ({"model_a": "m9"}, InputError, "not the rows of this fit: 'm"),
    "another language": ({"language": "fr"}, InputError, "language 'd?e?n?' has wins, ties, losses"),
}


@pytest.mark.parametrize("what", BAD)
def test_rows_that_are_no_votes_of_the_table_are_refused_with_their_number(
    frame: pd.DataFrame, what: str
) -> None:
    change, error, said = BAD[what]
    ((name, value),) = change.items()
    fit, _ = both(frame, by="language")
    rows = frame.astype({name: object})
    rows.loc[10:12, name] = value
    with pytest.raises(error, match=said):
        fit.clustered("judge", rows=rows)


def test_other_rows_are_refused_with_the_first_cell_that_differs_and_both_numbers(
    frame: pd.DataFrame,
) -> None:
    fit, _ = both(frame, by="language")
    table = fit.data
    row = frame.iloc[-1]
    with pytest.raises(InputError) as error:
        fit.clustered("judge", rows=frame[:-1])
    said = str(error.value)
    k = next(
        k
        for k in range(table.n_rows)
        if (table.items[table.first[k]], table.items[table.second[k]]) == (row["model_a"], row["model_b"])
        and table.columns["language"].levels[table.columns["language"].codes[k]] == row["language"]
    )
    there = [f"{n:.10g}" for n in (table.wins[k], table.ties[k], table.losses[k])]
    assert f"'{row['model_a']}' against '{row['model_b']}', language '{row['language']}'" in said
    assert f"{', '.join(there)} in the fit's table; 3,999 comparisons in the rows, 4,000 in the table" in said
    with pytest.raises(InputError, match=r"\(and [0-9,]+ more cells differ\); 8,000 comparisons in the rows"):
        fit.clustered("judge", rows=pd.concat([frame, frame]))


REFUSED: dict[str, tuple[tuple[str, ...], dict[str, Any], str]] = {
    "CR2": (("judge",), {"kind": "CR2"}, r"kind='CR2' needs .* rows= gives CR0 and CR1 .* judge % 64"),
    "two columns": (
        ("judge", "language"),
        {},
        "one column at a time; rows= gives CR0 and CR1 for one column",
    ),
    "rows without": (("judge",), {"missing": "own"}, "through rows= every row needs its judge"),
    "another column": (("jugde",), {}, "no column 'jugde' to cluster by; .*did you mean 'judge'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_passes_do_not_give_is_refused_with_what_is_offered(frame: pd.DataFrame, what: str) -> None:
    columns, options, said = REFUSED[what]
    fit, _ = both(frame)
    with pytest.raises(InputError, match=said):
        fit.clustered(*columns, rows=frame, **options)


def test_one_cluster_is_refused_and_a_judge_with_blanks_around_is_too(frame: pd.DataFrame) -> None:
    fit, _ = both(frame)
    with pytest.raises(InputError, match=r"all rows of table belong to one cluster \(x\)"):
        fit.clustered("judge", rows=frame.assign(judge="x"))
    with pytest.raises(InputError, match="judge ' 3' has leading or trailing blanks"):
        fit.clustered(
            "judge", rows=frame.assign(judge=" " + frame["judge"].astype(str)).sort_values("judge")[1000:]
        )


def test_a_clustered_fit_of_counts_says_what_the_bootstrap_would_need(frame: pd.DataFrame) -> None:
    fit, _ = both(frame)
    found = fit.clustered("judge", rows=frame)
    for ask in (lambda: found.bootstrap(replicates=99), lambda: fit.clustered("judge")):
        with pytest.raises(
            InputError,
            match="no column 'judge' to cluster by.* the rows that were counted: rows=SOURCE, kind='CR1'",
        ):
            ask()


def test_models_without_scores_by_cell_are_refused(frame: pd.DataFrame) -> None:
    table = pairproof.count(frame)
    fit = pairproof.fit_bradley_terry(table, ties="davidson", tie_scale=True)
    with pytest.raises(InputError, match="rows= is for models of comparisons, .* count by the clusters"):
        fit.clustered("judge", rows=frame)
    answers = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
    with pytest.raises(InputError, match="rows= is for models of comparisons"):
        pairproof.fit_plackett_luce(answers).clustered(rows=frame)


def test_a_cluster_of_most_rows_is_no_reason_to_refuse_but_in_memory(
    frame: pd.DataFrame, monkeypatch: Any
) -> None:
    votes = frame.assign(judge=np.where(frame.index < 3000, 0, frame["judge"]))
    fit = pairproof.fit_bradley_terry(pairproof.count(votes), comparison_terms="length", rows=votes)
    of_rows = pairproof.fit_bradley_terry(pairproof.read(votes), comparison_terms="length")
    same(fit.clustered("judge", rows=votes), of_rows.clustered("judge", kind="CR1"))
    monkeypatch.setattr(sums, "MOST_NUMBERS", 20_000)
    with pytest.raises(TooLargeError, match="1 clusters each carry a large part of the information"):
        fit.clustered("judge", rows=votes)


def test_what_is_offered_is_true(frame: pd.DataFrame) -> None:
    assert "a column bucket, judge % 64" in streamed.OFFERED
    votes = frame.assign(bucket=frame["judge"] % 64)
    fit = pairproof.fit_bradley_terry(pairproof.count(votes, by=["bucket"]))
    assert fit.clustered("bucket", kind="CR2").robust.n_clusters == (64,)
