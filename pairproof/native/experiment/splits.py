"""Training and test comparisons of one track.

By source (Hopkins and May 2013, section 4): with n(x) the number of comparisons on source segment x, and k
the smallest integer for which at least 2000 comparisons c have n(x_c) <= k, those are the test set and the
others the training set. The segments compared least often are the least chosen by anybody's design, so they
come nearest to a random sample.

At random: for tables without source segments.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.judgments import one_row_each
from ...data.options import whole_number
from ...errors import InputError

#: Least size of the test set in the paper.
PAPER_TEST_SIZE = 2000


@dataclass(frozen=True, eq=False)
class Split:
    """Attributes
    ----------
    train, test : Comparisons
        With the same items, one judgment a row.
    rule : str
        In words.
    k : int or None
        Comparisons on a source up to which it is in the test set; None if split at random.
    """

    train: Comparisons
    test: Comparisons
    rule: str
    k: int | None = None


def split_by_source(table: Comparisons, at_least: int = PAPER_TEST_SIZE) -> Split:
    """The paper's rule.

    Parameters
    ----------
    table : Comparisons
        One track, with a column `source`.
    at_least : int
        Least size of the test set, >= 1.

    Raises
    ------
    InputError
        No source column, a row without a source, or too few comparisons to leave a training set.
    """
    single = one_row_each(table)
    _check_size(single, at_least)
    source = single.columns.get("source")
    if not isinstance(source, Factor):
        raise InputError(
            f"{table.source}: the test set is chosen by source segment, but there is no column 'source'; name"
            " it (columns={'source': ...}) or split at random"
        )
    if (source.codes < 0).any():
        raise InputError(
            f"{table.source}, row {int(np.flatnonzero(source.codes < 0)[0]) + 1}: no source segment; every"
            " row needs one, or split at random"
        )
    on_source = np.bincount(source.codes, minlength=len(source.levels))[source.codes]
    k = int(np.sort(on_source)[at_least - 1])
    test = on_source <= k
    if test.all():
        raise InputError(
            f"{table.source}: every source has at most {k} comparisons, so a test set of at least"
            f" {at_least} by source takes all {single.n_rows}; ask for a smaller test set, or split at random"
        )
    return Split(
        single.select(~test),
        single.select(test),
        (
            f"comparisons on sources with at most {k} comparisons (smallest number that "
            f"gives at least {at_least})"
        ),
        k,
    )


def split_at_random(table: Comparisons, test_size: int, seed: int) -> Split:
    """`test_size` judgments drawn at random without replacement, the same for the same seed."""
    single = one_row_each(table)
    _check_size(single, test_size)
    test = np.zeros(single.n_rows, bool)
    test[np.random.default_rng(whole_number("seed", seed)).permutation(single.n_rows)[:test_size]] = True
    return Split(single.select(~test), single.select(test), f"{test_size} comparisons at random, seed {seed}")


def _check_size(single: Comparisons, size: int) -> None:
    if not 1 <= size < single.n_rows:
        raise InputError(
            f"{single.source}: a test set of {size} of {single.n_rows} comparisons leaves no training set;"
            f" ask for a test set of 1 to {single.n_rows - 1}"
        )


#: Groups of sources that a test set is cut into, to see how much depends on which sources are in it.
TEST_GROUPS = 20


def test_groups(test: Comparisons, most: int = TEST_GROUPS) -> NDArray[np.int64]:
    """int[n_rows]: the group of each test comparison, 0 to at most 19; a source is in one group, groups are
    nearly equal in sources.

    Sources are shuffled by a hash of their names, so that neighbours (of one document) part and nothing
    depends on the rows' order. Without sources every comparison counts as its own.
    """
    source = test.columns.get("source")
    if not isinstance(source, Factor) or (source.codes < 0).any():
        return np.arange(test.n_rows) % most
    levels = source.levels
    present = np.unique(source.codes)
    shuffled = sorted(present.tolist(), key=lambda code: hashlib.sha256(levels[code].encode()).digest())
    group = np.zeros(len(levels), np.int64)
    group[shuffled] = np.arange(len(shuffled)) % most
    return np.asarray(group[source.codes])
