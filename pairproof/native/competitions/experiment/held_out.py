"""Training and test comparisons of every track of a table.

How a test set is chosen:

least-compared
    With n(x) the number of comparisons on source segment x, and k the smallest integer for which at least
    2000 comparisons c have n(x_c) <= k, those are the test set (Hopkins and May 2013, section 4). The
    segments compared least often were not chosen by design, so they come closest to a random sample.
sources
    Whole sources at random until the test set is large enough, so that no text is on both sides.
comparisons
    Single comparisons at random, for tables without source segments.

Unless one is asked for, each track gets the first of these that is possible.  The paper's rule counts as
possible if it leaves at least a quarter of the comparisons to train on (in the paper's 24 tracks it leaves 35
% and more); where all sources are compared equally often it would leave none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from ....data.columns import Factor, refuse_rows
from ....data.comparisons import Comparisons
from ....data.judgments import one_row_each, split_tracks
from ....data.options import one_of, whole_number
from ....errors import InputError
from ....numerics.arrays import BoolArray, IntArray

SplitRule = Literal["auto", "least-compared", "sources", "comparisons"]
RULES: tuple[SplitRule, ...] = get_args(SplitRule)
#: Least size of the test set in the paper.
PAPER_TEST_SIZE = 2000
#: Share of a track that is its test set where the paper's 2000 comparisons would be more than half of it (its
#: own smallest track has 4922).
DEFAULT_SHARE = 0.2
#: Largest share of a track's comparisons that the paper's rule may take; in the paper it takes at most 0.65
#: (WMT11, Czech-English: 3216 of 4922).
MOST_OF_TRACK = 0.75
#: Groups of sources that a test set is cut into, to see how much depends on which sources are in it.
TEST_GROUPS = 20


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test comparisons of one track.
    rule: how the test set was chosen, in words.  k: comparisons on a source up to which it is in the test
    set; None if the split is random."""

    train: Comparisons
    test: Comparisons
    rule: str
    k: int | None = None


# -- one track -----------------------------------------------------------------------------------------------


def split_by_source(table: Comparisons, at_least: int = PAPER_TEST_SIZE) -> Split:
    """Split by the paper's rule: the sources compared least often are the test set."""
    single = one_row_each(table)
    _check_size(single, at_least)
    source = _sources(single)
    k, test = _least_compared(source, at_least)
    if test.all():
        raise InputError(
            f"{table.source}: every source has at most {k} comparisons, so a test set of at least"
            f" {at_least} by source takes all {single.n_rows}; ask for a smaller test set, or split at random"
        )
    rule = f"comparisons on sources with at most {k} comparisons (smallest number that gives at least {at_least})"
    return _split(single, test, rule, k)


def split_sources_at_random(table: Comparisons, at_least: int, seed: int, track: str = "") -> Split:
    """Split by whole sources: in random order until there are `at_least` test comparisons."""
    whole_number("seed", seed)
    single = one_row_each(table)
    source = _sources(single)
    if at_least < 1:
        raise InputError(f"a test set of {at_least}; at least 1 comparison is needed")
    on_source = np.bincount(source.codes, minlength=len(source.levels))
    order = np.random.default_rng(_track_seed(seed, track)).permutation(np.flatnonzero(on_source))
    n_taken = int(np.searchsorted(np.cumsum(on_source[order]), at_least)) + 1
    if n_taken >= len(order):
        raise InputError(
            f"{table.source}: a test set of at least {at_least} of {single.n_rows} comparisons takes all"
            f" {len(order)} sources; ask for a smaller test set, or split by single comparisons"
        )
    rule = f"{n_taken} of {len(order)} sources at random, seed {seed}"
    return _split(single, np.isin(source.codes, order[:n_taken]), rule)


def split_at_random(table: Comparisons, test_size: int, seed: int) -> Split:
    """Split by comparisons: `test_size` judgments drawn without replacement, the same for the same seed."""
    single = one_row_each(table)
    _check_size(single, test_size)
    test = np.zeros(single.n_rows, bool)
    test[np.random.default_rng(whole_number("seed", seed)).permutation(single.n_rows)[:test_size]] = True
    return _split(single, test, f"{test_size} comparisons at random, seed {seed}")


def _split(single: Comparisons, test: BoolArray, rule: str, k: int | None = None) -> Split:
    return Split(single.select(~test), single.select(test), rule, k)


def _sources(single: Comparisons) -> Factor:
    source = single.columns.get("source")
    if not isinstance(source, Factor):
        raise InputError(
            f"{single.source}: the test set is chosen by source segment, but there is no column 'source'; name"
            " it (columns={'source': ...}) or split by single comparisons"
        )
    needed = "no source segment; every row needs one, or split by single comparisons"
    refuse_rows(single.source, source.codes < 0, needed)
    return source


def _least_compared(source: Factor, at_least: int) -> tuple[int, BoolArray]:
    """k, and bool[n_rows]: the comparisons on sources with at most k."""
    on_source = np.bincount(source.codes, minlength=len(source.levels))[source.codes]
    k = int(np.sort(on_source)[at_least - 1])
    return k, np.asarray(on_source <= k)


def _check_size(single: Comparisons, size: int) -> None:
    if not 1 <= size < single.n_rows:
        raise InputError(
            f"{single.source}: a test set of {size} of {single.n_rows} comparisons leaves no training set;"
            f" ask for a test set of 1 to {single.n_rows - 1}"
        )


def test_groups(test: Comparisons, most: int = TEST_GROUPS) -> IntArray:
    """Groups of test comparisons, with whole sources in a group and nearly as many sources in each.
    Sources are shuffled by a hash of their names, so that sources of one document are in different groups and
    nothing depends on the order of the rows.  Without sources every comparison counts as its own source.
    Returns int[n_rows]: 0 to at most `most` - 1."""
    source = test.columns.get("source")
    if not isinstance(source, Factor) or (source.codes < 0).any():
        return np.arange(test.n_rows) % most
    levels = source.levels
    present = np.unique(source.codes)
    shuffled = sorted(present.tolist(), key=lambda code: hashlib.sha256(levels[code].encode()).digest())
    group = np.zeros(len(levels), np.int64)
    group[shuffled] = np.arange(len(shuffled)) % most
    return np.asarray(group[source.codes])


# -- all tracks ----------------------------------------------------------------------------------------------


def default_test_size(track: Comparisons) -> int:
    """Size of a track's test set.
    It is the paper's 2000, or a fifth of the comparisons (at least 1) of a track with fewer than 4000."""
    n = track.n_comparisons
    return PAPER_TEST_SIZE if n >= 2 * PAPER_TEST_SIZE else max(1, int(DEFAULT_SHARE * n))


def chosen_tracks(
    table: Comparisons, by: Sequence[str] | None = None, leave_out: Sequence[str] = ()
) -> dict[str, Comparisons]:
    """Tracks of a table (:func:`pairproof.data.judgments.split_tracks`) without those that are left out."""
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
    """Split every track of a table into training and test comparisons.
    `by`: columns that name a track; default as in :func:`pairproof.data.judgments.split_tracks`.  test_size:
    least size of each track's test set; default: each track's :func:`default_test_size`.  rule: how test sets
    are chosen; `Split.rule` says how each was."""
    one_of("rule", rule, RULES)
    whole_number("seed", seed)
    tracks = chosen_tracks(table, by, leave_out).items()
    size = {track: default_test_size(part) if test_size is None else test_size for track, part in tracks}
    return {track: _split_track(part, track, size[track], rule, seed) for track, part in tracks}


def _split_track(part: Comparisons, track: str, size: int, rule: SplitRule, seed: int) -> Split:
    if rule == "least-compared":
        return split_by_source(part, size)
    if rule == "sources":
        return split_sources_at_random(part, size, seed, track)
    source = part.columns.get("source")
    has_sources = isinstance(source, Factor) and not (source.codes < 0).any()
    if rule == "auto" and has_sources and 1 <= size < part.n_comparisons:
        sources = _sources(one_row_each(part))
        if _least_compared(sources, size)[1].mean() <= MOST_OF_TRACK:
            return split_by_source(part, size)
        if len(np.unique(sources.codes)) > 1:
            return split_sources_at_random(part, size, seed, track)
    found = split_at_random(part, size, _track_seed(seed, track))
    return replace(found, rule=f"{size} comparisons at random, seed {seed}")


def _track_seed(seed: int, track: str) -> int:
    """The seed of a track; in a table without tracks it is the seed that was given."""
    if track in ("", "all"):
        return seed
    return int.from_bytes(hashlib.sha256(f"test set|{seed}|{track}".encode()).digest()[:8], "big")


def trained_on(
    tracks: Mapping[str, Split], other: Comparisons, by: Sequence[str] | None = None
) -> dict[str, Split]:
    """The same test sets, with all comparisons of another table to train on (Hopkins and May's Figure 5:
    other judges).
    `other`: its tracks are found as those of the first table were; tracks without a test set are not used."""
    theirs = split_tracks(other, by)
    lacking = [track for track in tracks if track not in theirs]
    if lacking:
        raise InputError(
            f"{other.source}: nothing to train on for track {', '.join(lacking)}; its tracks are"
            f" {', '.join(theirs)}"
        )
    return {track: with_training_set(split, track, theirs[track]) for track, split in tracks.items()}


def with_training_set(split: Split, track: str, train: Comparisons) -> Split:
    """The same test set with other comparisons to train on."""
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
