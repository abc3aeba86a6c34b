"""Test sets for any table: the paper's rule where it leaves enough to train on, else whole sources, else
comparisons, at random.

least-compared    comparisons on the sources compared least often
                  (:func:`pairproof.native.experiment.splits.split_by_source`)
sources           whole sources at random until the test set is large enough: no text is on both sides
comparisons       single comparisons at random

Left to itself a track gets the first of them that can be had.  The paper's rule counts as had if it leaves at
least a quarter of the comparisons to train on (in the paper's 24 tracks it leaves 35 % and more); where all
sources are compared equally often it would leave none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.judgments import one_row_each, split_tracks
from ...data.options import one_of, whole_number
from ...errors import InputError
from .splits import PAPER_TEST_SIZE, Split, split_at_random, split_by_source

SplitRule = Literal["auto", "least-compared", "sources", "comparisons"]
RULES: tuple[SplitRule, ...] = get_args(SplitRule)
#: Of a track where the paper's 2000 comparisons would be more than half of it (its own smallest track has
#: 4922).
DEFAULT_SHARE = 0.2
#: Of a track's comparisons, for the paper's rule; its own largest share is 0.65 (WMT11, Czech-English: 3216
#: of 4922).
MOST_OF_TRACK = 0.75


def default_test_size(track: Comparisons) -> int:
    """The paper's 2000; a fifth of the track's comparisons (at least 1) where it has fewer than 4000."""
    n = track.n_comparisons
    return PAPER_TEST_SIZE if n >= 2 * PAPER_TEST_SIZE else max(1, int(DEFAULT_SHARE * n))


def chosen_tracks(
    table: Comparisons, by: Sequence[str] | None = None, leave_out: Sequence[str] = ()
) -> dict[str, Comparisons]:
    """All tracks of a table (:func:`pairproof.data.judgments.split_tracks`) but some.

    Raises
    ------
    InputError
        A track to leave out that is not there, or none left.
    """
    tracks = split_tracks(table, by)
    unknown = [name for name in leave_out if name not in tracks]
    if unknown:
        raise InputError(
            f"{table.source}: no track {', '.join(map(repr, unknown))} to leave out; the tracks are"
            f" {', '.join(tracks)}"
        )
    left = {name: part for name, part in tracks.items() if name not in leave_out}
    if tracks and not left:
        raise InputError(
            f"{table.source}: all tracks ({', '.join(tracks)}) are to be left out; at least one must be left"
        )
    return left


def split_table(
    table: Comparisons,
    *,
    by: Sequence[str] | None = None,
    leave_out: Sequence[str] = (),
    test_size: int | None = None,
    rule: SplitRule = "auto",
    seed: int = 0,
) -> dict[str, Split]:
    """Tracks, each with its test set; `Split.rule` says how it was chosen.

    Parameters
    ----------
    table : Comparisons
    by : sequence of str, optional
        Columns that name a track; default as in :func:`pairproof.data.judgments.split_tracks`.
    leave_out : sequence of str
        Tracks that take no part.
    test_size : int, optional
        Least size of each track's test set; default: each track's :func:`default_test_size`.
    rule : {"auto", "least-compared", "sources", "comparisons"}
    seed : int
        Of what is random; a track's test set does not depend on the other tracks.

    Raises
    ------
    InputError
        A rule that needs sources where there are none, a test set that leaves nothing to train on, or a track
        to leave out that is not there.
    """
    one_of("rule", rule, RULES)
    whole_number("seed", seed)
    return {
        track: _split(part, track, default_test_size(part) if test_size is None else test_size, rule, seed)
        for track, part in chosen_tracks(table, by, leave_out).items()
    }


def _split(part: Comparisons, track: str, size: int, rule: SplitRule, seed: int) -> Split:
    if rule == "least-compared":
        return split_by_source(part, size)
    if rule == "sources":
        return split_sources_at_random(part, size, seed, track)
    source = part.columns.get("source")
    if (
        rule == "auto"
        and isinstance(source, Factor)
        and not (source.codes < 0).any()
        and 1 <= size < part.n_comparisons
    ):
        if _least_compared_share(part, source, size) <= MOST_OF_TRACK:
            return split_by_source(part, size)
        if len(np.unique(source.codes)) > 1:
            return split_sources_at_random(part, size, seed, track)
    found = split_at_random(part, size, _track_seed(seed, track))
    return replace(found, rule=f"{size} comparisons at random, seed {seed}")


def _least_compared_share(part: Comparisons, source: Factor, size: int) -> float:
    """Share of the comparisons that the paper's rule would take."""
    single = one_row_each(part)
    column = single.columns["source"]
    assert isinstance(column, Factor)
    on_source = np.bincount(column.codes, minlength=len(source.levels))[column.codes]
    return float(np.mean(on_source <= np.sort(on_source)[size - 1]))


def split_sources_at_random(table: Comparisons, at_least: int, seed: int, track: str = "") -> Split:
    """Whole sources in random order until there are `at_least` test comparisons.

    Raises
    ------
    InputError
        No sources, a row without one, or no source left to train on.
    """
    whole_number("seed", seed)
    single = one_row_each(table)
    source = single.columns.get("source")
    if not isinstance(source, Factor) or (source.codes < 0).any():
        why = "a row has no source" if isinstance(source, Factor) else "there is no column source"
        raise InputError(
            f"{table.source}: whole sources cannot be drawn, since {why}; name the column (source=...), or"
            " split by single comparisons"
        )
    if at_least < 1:
        raise InputError(f"a test set of {at_least}; at least 1 comparison is needed")
    on_source = np.bincount(source.codes, minlength=len(source.levels))
    present = np.flatnonzero(on_source)
    order = np.random.default_rng(_track_seed(seed, track)).permutation(present)
    n_taken = int(np.searchsorted(np.cumsum(on_source[order]), at_least)) + 1
    if n_taken >= len(order):
        raise InputError(
            f"{table.source}: a test set of at least {at_least} of {single.n_rows} comparisons takes all"
            f" {len(order)} sources; ask for a smaller test set, or split by single comparisons"
        )
    test = np.isin(source.codes, order[:n_taken])
    return Split(
        single.select(~test), single.select(test), f"{n_taken} of {len(order)} sources at random, seed {seed}"
    )


def _track_seed(seed: int, track: str) -> int:
    """Another stream for each track; for the one track of a table without tracks, the seed itself."""
    if track in ("", "all"):
        return seed
    return int.from_bytes(hashlib.sha256(f"test set|{seed}|{track}".encode()).digest()[:8], "big")


def trained_on(
    tracks: Mapping[str, Split], other: Comparisons, by: Sequence[str] | None = None
) -> dict[str, Split]:
    """The same test sets, with all comparisons of another table to train on (Hopkins and May's Figure 5:
    other judges).

    Parameters
    ----------
    tracks : mapping of track to Split
    other : Comparisons
        Its tracks are found as those of the first table were; those that have no test set are not used.
    by : sequence of str, optional
        Columns that name a track in `other`.

    Raises
    ------
    InputError
        A track that `other` has not got, or a track whose two sides have no system in common.
    """
    theirs = split_tracks(other, by)
    lacking = [track for track in tracks if track not in theirs]
    if lacking:
        raise InputError(
            f"{other.source}: nothing to train on for track {', '.join(lacking)}; its tracks are"
            f" {', '.join(theirs)}"
        )
    return {track: with_training_set(split, track, theirs[track]) for track, split in tracks.items()}


def with_training_set(split: Split, track: str, train: Comparisons) -> Split:
    """The same test set with other comparisons to train on.

    Raises
    ------
    InputError
        No system in common, or ties in the test set that the training judges could not give.
    """
    if not train.tie_category and split.test.ties.any():
        raise InputError(
            f"{train.source}: no tie category, but {int(split.test.ties.sum())} of {split.test.n_rows} test"
            f" comparisons of track {track} are ties, which a model trained on it calls impossible; if its"
            " judges could answer 'no preference', say so (tie_category=True, --tie-category yes)"
        )
    if not set(train.items) & set(split.test.items):
        raise InputError(
            f"{train.source}: none of the systems of track {track} ({', '.join(train.items[:5])}, ...) is in"
            f" its test set ({', '.join(split.test.items[:5])}, ...)"
        )
    return replace(split, train=one_row_each(train), rule=f"{split.rule}; trained on {train.source}")
