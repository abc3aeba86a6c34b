"""What moved the ratings of a board: three parts whose sum is the change."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof import Comparisons
from pairproof.boards.changed import board_changes
from pairproof.errors import InputError
from tests.boards.simulated import simulate

ELO = 400 / np.log(10)


@pytest.fixture(scope="module")
def boards() -> tuple[Comparisons, Comparisons]:
    """8 models; then 10, with votes of all kinds more, and one of the old ones gone."""
    frame = simulate(6, 6_000, 11)[["model_a", "model_b", "winner"]]
    some = ~frame.isin(["model-10", "model-11"]).any(axis=1)
    old = pairproof.read(frame[some].iloc[:2_000])
    return old, pairproof.read(frame[~frame.isin(["model-03"]).any(axis=1)])


def test_the_three_parts_are_the_change_to_the_last_digits(boards: tuple[Comparisons, Comparisons]) -> None:
    found = board_changes(*boards)
    frame = found.to_frame()
    assert found.new == ("model-10", "model-11") and found.gone == ("model-03",) and len(frame) == 8
    np.testing.assert_allclose(frame["mean"] + frame.between + frame.others, frame.change, rtol=0, atol=1e-11)
    np.testing.assert_allclose(frame.after - frame.before, frame.change, rtol=0, atol=1e-11)
    assert np.ptp(frame["mean"]) == 0 and abs(frame.between.sum()) < 1e-9 and abs(frame.others.sum()) < 1e-9
    for table, column in zip(boards, ("before", "after")):
        fit = pairproof.fit_bradley_terry(table, ties="half", reference="sum")
        np.testing.assert_allclose(frame[column], 1000 + ELO * fit.params[frame.index], atol=1e-9)


def test_each_part_is_nought_where_nothing_of_its_kind_happened(
    boards: tuple[Comparisons, Comparisons]
) -> None:
    old, new = boards
    same = board_changes(old, old).to_frame()
    assert (same[["change", "mean", "between", "others"]] == 0).all(axis=None)
    places = [k for k, item in enumerate(new.items) if item in ("model-10", "model-11")]
    without = new.select(~np.isin(new.first, places) & ~np.isin(new.second, places)).only_compared()
    only_new = board_changes(without, new)
    assert (only_new.to_frame().between == 0).all() and only_new.votes_between == 0
    assert (only_new.to_frame().others != 0).all() and only_new.votes_others > 0
    half = without.select(np.arange(without.n_rows) % 2 == 0)
    only_old = board_changes(half, without)
    frame = only_old.to_frame()
    assert np.abs(frame[["mean", "others"]]).to_numpy().max() < 1e-11 and (frame.between != 0).all()
    assert "The same items" in only_old.sentences()[0]


def test_fits_and_their_tables_say_the_same(boards: tuple[Comparisons, Comparisons]) -> None:
    fits = [pairproof.fit_bradley_terry(table, ties="half") for table in boards]
    one, other = board_changes(*boards).to_frame(), board_changes(*fits).to_frame()
    np.testing.assert_allclose(one, other, atol=1e-9)
    davidson = [pairproof.fit_bradley_terry(table, ties="davidson", order_effect=True) for table in boards]
    frame = board_changes(*davidson).to_frame()
    np.testing.assert_allclose(frame["mean"] + frame.between + frame.others, frame.change, atol=1e-11)


def test_it_is_said_in_words_and_a_strong_newcomer_lowers_the_others() -> None:
    old = Comparisons.build("AB", [0], [1], [60], None, [40])
    new = Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [60, 20, 10], None, [40, 40, 30])
    found = board_changes(old, new)
    first, second, *each = found.sentences()
    assert first == "New: 'C'. +0 votes between items of both boards, +100 with others."
    assert "and the new items are stronger than the others" in second and found.items[0].mean < 0
    assert each[0].startswith("A: 1035.2 to ") and each[0].endswith("rank 1 to 2.")
    assert "between" in str(found)


def test_parts_that_cannot_be_told_apart_are_not_given() -> None:
    """B and C were never compared with each other, nor with anything but D, which has gone."""
    old = Comparisons.build("BCD", [0, 1], [2, 2], [20, 30], None, [20, 10])
    new = Comparisons.build("BCE", [0, 1], [2, 2], [25, 20], None, [20, 10])
    found = board_changes(old, new)
    assert np.isnan(found.to_frame()[["between", "others"]]).all(axis=None)
    assert np.isfinite(found.to_frame()[["change", "mean"]]).all(axis=None)
    assert any("cannot be distinguished" in line for line in found.sentences())


def test_an_item_without_a_rating_takes_no_part() -> None:
    old = Comparisons.build("ABC", [0, 0], [1, 2], [60, 9], None, [40, 0])
    new = Comparisons.build("ABC", [0, 0], [1, 2], [60, 9], None, [40, 3])
    found = board_changes(old, new)
    assert [change.item for change in found.items] == ["A", "B"] and found.new == ("C",)


def test_boards_that_have_nothing_in_common_are_refused() -> None:
    old = Comparisons.build("AB", [0], [1], [60], None, [40])
    with pytest.raises(InputError, match="0 items have a rating on both boards"):
        board_changes(old, Comparisons.build("CD", [0], [1], [60], None, [40]))
    probit = pairproof.fit_bradley_terry(old, link="probit")
    with pytest.raises(InputError, match="expected a plain Bradley-Terry fit"):
        board_changes(old, probit)
