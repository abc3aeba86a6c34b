"""Answers that both are bad: ties, and known apart from other ties where somebody asks for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.errors import CodingError, InputError

WORDS = ("both_bad", "bothbad", "both bad", "tie (bothbad)", "tie_both_bad", "tie (both_bad)")


def votes(*, as_ties: bool = False, n: int = 600) -> pd.DataFrame:
    rng = np.random.default_rng(28)
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    names = np.array(["m1", "m2", "m3", "m4"], object)
    said = rng.choice(np.array(["model_a", "model_b", "tie", *WORDS], object), n)
    if as_ties:
        said = np.where(np.isin(said, WORDS), "tie", said)
    judge = rng.integers(0, 40, n).astype(str)
    return pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": said, "judge": judge})


def test_both_bad_is_a_tie_with_a_column_that_says_which() -> None:
    frame = votes()
    table, plain = pairproof.read(frame), pairproof.read(votes(as_ties=True))
    bad = table.columns["both_bad"]
    assert bad.tolist() == np.isin(frame.winner, WORDS).astype(float).tolist()
    assert "both_bad" not in plain.columns
    assert (table.ties[bad == 1] == 1).all() and table.digest() == plain.digest()


def test_ties_and_both_bad_are_chosen_apart_of_the_file_and_of_the_table() -> None:
    frame = votes().replace(list(WORDS), "both_bad")
    table = pairproof.read(frame)
    for where in ("winner=tie", "winner=both_bad", "winner!=tie", "winner=tie|both_bad"):
        assert table.where(where).n_rows == pairproof.read(frame, where=where).n_rows


@pytest.mark.parametrize("fit", [pairproof.fit_llbt, pairproof.fit_bradley_terry])
def test_no_model_sees_the_column_unless_it_is_named(fit) -> None:  # type: ignore[no-untyped-def]
    one, other = fit(pairproof.read(votes())), fit(pairproof.read(votes(as_ties=True)))
    assert one.params.equals(other.params) and one.bse.equals(other.bse)
    assert (one.deviance, one.df_resid) == (other.deviance, other.df_resid)
    assert not fit(pairproof.read(votes()), cells="both_bad").df_resid == one.df_resid


def test_a_count_pools_both_bad_with_ties_or_keeps_them_apart() -> None:
    pooled, apart = pairproof.count(votes()), pairproof.count(votes(), by=["both_bad", "judge"])
    assert pooled.columns == {} and set(apart.columns) == {"both_bad", "judge"}
    assert pooled.digest() == apart.digest() == pairproof.read(votes()).digest()
    bad = apart.select(apart.columns["both_bad"] == 1)
    assert bad.wins.sum() == bad.losses.sum() == 0
    assert bad.ties.sum() == np.isin(votes().winner, WORDS).sum()


def test_counts_by_both_bad_of_a_day_without_any_add_up() -> None:
    days = [pairproof.count(part, by="both_bad") for part in (votes(), votes(as_ties=True))]
    assert days[1].columns["both_bad"].tolist() == [0.0] * days[1].n_rows
    assert sum(days).n_comparisons == 1200


def test_passes_over_rows_find_the_cells_of_both_bad() -> None:
    counted = pairproof.count(votes(), by="both_bad")
    fit = pairproof.fit_llbt(counted, by="both_bad")
    through = fit.clustered("judge", kind="CR1", rows=votes())
    held = pairproof.fit_llbt(pairproof.read(votes()), by="both_bad").clustered("judge", kind="CR1")
    # sums in another order; observed 3e-16
    np.testing.assert_allclose(through.bse.dropna(), held.bse.dropna(), rtol=1e-12)


@pytest.mark.parametrize("how", [pairproof.read, lambda frame: pairproof.count(frame, by="both_bad")])
def test_a_column_of_that_name_beside_such_answers_is_refused_with_a_cure(how) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=r"both_bad.*rename or drop that column, or declare"):
        how(votes().assign(both_bad=0))
    how(votes(as_ties=True).assign(both_bad=0))


def test_the_answer_can_be_stated() -> None:
    frame = {"first": list("AAB"), "second": list("BCC"), "outcome": [1, 0, 9]}
    coding = "first=1,second=2,tie=0,both_bad=9"
    assert pairproof.read(frame, coding=coding).columns["both_bad"].tolist() == [0, 0, 1]
    with pytest.raises(CodingError, match="'both_bad', which is for layouts 'long' and 'votes'"):
        pairproof.read(
            {"V1": [1, 9]}, layout="prefmod", items=["A", "B"], pair_order="prefmod", coding=coding
        )
