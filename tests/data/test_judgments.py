"""Comparisons as single judgments, and tracks that never mix."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof import read
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.data.judgments import HAT, judgments, one_row_each, preference_counts, split_tracks
from pairproof.errors import InputError
from tests.native.translation import SYSTEMS, random_table, table, table_2


def counts_table(ties=True):
    return Comparisons.build(
        ["A", "B", "C"],
        [0, 2],
        [1, 0],
        [2, 0],
        [1, 0] if ties else None,
        [0, 3],
        columns={"judge": Factor(np.array([0, 1]), ("x", "y"))},
    )


def test_a_row_of_counts_becomes_as_many_judgments():
    single = judgments(counts_table())
    assert single.outcome.tolist() == [1, 1, 0, 2, 2, 2]
    assert single.row.tolist() == [0, 0, 0, 1, 1, 1]
    table = one_row_each(counts_table())
    assert table.n_rows == 6 and table.digest() == counts_table().digest()
    assert table.columns["judge"].codes.tolist() == [0, 0, 0, 1, 1, 1]


def test_a_table_with_one_judgment_a_row_is_left_as_it_is():
    paper = table_2()
    assert one_row_each(paper) is paper


def test_half_a_judgment_is_refused_with_its_row():
    half = Comparisons.build(["A", "B"], [0, 0], [1, 1], [1, 0.5], [0, 0], [0, 0.5])
    with pytest.raises(InputError, match="row 2.*not whole"):
        judgments(half)


def test_preference_counts_pool_both_orders_and_turn_the_outcome_round():
    n = preference_counts(table_2())
    jhu, uedin, bbn, cmu = (SYSTEMS.index(s) for s in ("jhu", "uedin", "bbn", "cmu"))
    assert (
        n[jhu, uedin].tolist() == [1, 0, 0]
        and n[bbn, cmu].tolist() == [0, 1, 0]
        and n[cmu, bbn].tolist() == [0, 0, 1]
    )
    assert (n.transpose(1, 0, 2)[:, :, HAT] == n).all() and n.sum() == 20


def tracks_table():
    rows = [("A", "B", 1), ("B", "A", 0), ("C", "D", 2)]
    one = table(rows, "ABCDE", [1, 2, 1])
    track = Factor(np.array([0, 0, 2]), ("en-cs", "empty", "cs-en"))
    return Comparisons.build(
        one.items,
        one.first,
        one.second,
        one.wins,
        one.ties,
        one.losses,
        columns={**one.columns, "track": track},
    )


def test_a_track_has_its_own_comparisons_and_systems_only():
    tracks = split_tracks(tracks_table())
    assert list(tracks) == ["en-cs", "cs-en"]  # a level without comparisons is no track
    assert tracks["en-cs"].items == ("A", "B") and tracks["en-cs"].n_rows == 2
    assert tracks["cs-en"].items == ("C", "D") and tracks["cs-en"].losses.tolist() == [1]


def test_without_a_track_column_the_whole_table_is_one_track():
    paper = table_2()
    assert split_tracks(paper) == {"all": paper}


@pytest.mark.parametrize(("by", "said"), [(["tarck"], "is missing"), (["x"], "numeric")])
def test_a_track_column_that_cannot_be_one_is_refused(by, said):
    one = table_2()
    numeric = Comparisons.build(
        one.items, one.first, one.second, one.wins, one.ties, one.losses, columns={"x": np.arange(10.0)}
    )
    with pytest.raises(InputError, match=said):
        split_tracks(numeric, by)


def test_a_row_without_a_track_is_refused_for_tracks_never_mix():
    one = table_2()
    track = Factor(np.array([0] * 9 + [-1]), ("t",))
    gap = Comparisons.build(
        one.items, one.first, one.second, one.wins, one.ties, one.losses, columns={"track": track}
    )
    with pytest.raises(InputError, match="row 10.*no value"):
        split_tracks(gap)


def test_rows_without_counts_and_items_never_compared_are_left_out():
    empty = Comparisons.build(["A", "B", "C"], [0, 1], [1, 2], [1, 0], [0, 0], [0, 0])
    assert empty.only_compared().items == ("A", "B") and empty.only_compared().n_rows == 1


def test_wmt_rankings_fall_into_eight_tracks_by_their_languages(shared):
    tracks = split_tracks(read(shared / "data" / "wmt" / "wmt12.RNK_results.csv"))
    assert len(tracks) == 8 and sum(t.n_rows for t in tracks.values()) == 122_245
    assert len(tracks["Czech-English"].items) == 6  # all other systems belong to other tracks


def test_a_random_table_keeps_its_digest_when_rows_are_split():
    one = random_table(3)
    assert one_row_each(one).digest() == one.digest()
