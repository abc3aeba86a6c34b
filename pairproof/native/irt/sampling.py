"""What both item-response models are told: what an item is, and how many chains are run for how long.

The paper (Hopkins and May 2013, section 7) does not say what an item is.  "shared": one item for each
(system, source segment), in as many comparisons as it appears in.  "fresh": a new item for each option of
each comparison.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.judgments import compared
from ...data.options import one_of, whole_number
from ...data.tracks import check_one_track
from ...errors import InputError
from .note import Note
from .posterior import Posterior, Setting

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Items = Literal["shared", "fresh"]

#: Comparisons from which on chains run in threads of their own.
THREADS_FROM = 5000


# -- what an item is


def choose_items(table: Comparisons, items: Items | None) -> Items:
    """What an item is, in a table of one track; by default shared if the table has a column `source`."""
    check_one_track(table)
    source = table.columns.get("source")
    if items is None:
        items = "shared" if isinstance(source, Factor) else "fresh"
    one_of("items", items, get_args(Items))
    if items == "shared":
        if not isinstance(source, Factor):
            raise InputError(
                f"{table.source}: shared items are (system, source segment), but there is no column 'source';"
                " name it (columns={'source': ...}) or use items='fresh'"
            )
        if (source.codes < 0).any():
            raise InputError(
                f"{table.source}, row {int(np.flatnonzero(source.codes < 0)[0]) + 1}: no source segment;"
                " every row needs one for shared items, or use items='fresh'"
            )
    return items


def item_codes(
    table: Comparisons, first: IntArray, second: IntArray, row: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Shared items of judgments.

    table: with a column `source` without gaps (see :func:`choose_items`).  `first`, second, row int[n]:
    systems, and the table's row.  Returns author, segment int[n_items]: items of a segment stand together.
    Returns item int[2 n]: of `first`, then of `second`.
    """
    source = table.columns["source"]
    assert isinstance(source, Factor)  # choose_items has refused anything else
    n, segment = len(table.items), source.codes[row]
    found, codes = np.unique(
        np.concatenate([segment, segment]) * n + np.concatenate([first, second]), return_inverse=True
    )
    return found % n, found // n, np.ravel(codes)


def _notes(table: Comparisons, stated: Items | None, items: Items) -> tuple[Note, ...]:
    """Notes for readers of the posterior: the default that was taken, and systems without a comparison."""
    notes = []
    if stated is None:
        shared = "items: one for each (system, source segment), shared over comparisons"
        fresh = "items: a new one for each option of each comparison, since there is no source column"
        notes.append(Note("items", shared if items == "shared" else fresh))
    unseen = [name for name, seen in zip(table.items, compared(table)) if not seen]
    if unseen:
        text = f"never compared, so only the prior speaks: {', '.join(unseen)}"
        notes.append(Note("never-compared", text))
    return tuple(notes)


# -- chains


class Chain(Protocol):
    """One Markov chain."""

    def step(self) -> FloatArray:
        """Go on by one iteration; what is kept of it, an array of always the same shape."""


@dataclass(frozen=True)
class Run:
    """How long to sample.

    chains, draws: >= 1.  warmup, seed: >= 0.  workers: threads, >= 1.  None: one a chain, at most the number
    of processors.
    """

    chains: int = 4
    warmup: int = 200
    draws: int = 1000
    seed: int = 0
    workers: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("chains", 1), ("warmup", 0), ("draws", 1), ("seed", 0)):
            whole_number(name, getattr(self, name), least)
        if self.workers is not None:
            whole_number("workers", self.workers, 1)

    def sample(self, start: Callable[[Generator], Chain], n_comparisons: float = np.inf) -> FloatArray:
        """Draws of several chains, each with a random stream of its own: `workers` does not change them.

        start: makes a chain.  n_comparisons: with fewer than `THREADS_FROM`, and `workers` not stated, one
        thread does all: threads would only wait for each other.  Returns float[chains, draws, ...].
        """
        streams = np.random.SeedSequence(self.seed).spawn(self.chains)

        def one(stream: np.random.SeedSequence) -> FloatArray:
            chain = start(np.random.default_rng(stream))
            for _ in range(self.warmup):
                chain.step()
            first = chain.step()
            kept = np.empty((self.draws, *first.shape))
            kept[0] = first
            for k in range(1, self.draws):
                kept[k] = chain.step()
            return kept

        default = 1 if n_comparisons < THREADS_FROM else os.cpu_count() or 1
        n_workers = min(self.chains, self.workers or default)
        if n_workers <= 1:
            return np.stack([one(s) for s in streams])
        # Threads are enough: numpy lets go of the interpreter inside its loops over comparisons.
        with ThreadPoolExecutor(n_workers) as pool:
            return np.stack(list(pool.map(one, streams)))

    def posterior(
        self,
        table: Comparisons,
        draws: FloatArray,
        constants: Mapping[str, Setting],
        stated: Items | None,
        items: Items,
        what: str,
        sampler: str,
        centre: bool = True,
    ) -> Posterior:
        """Draws, float[chains, draws, n_systems], with all that is known of where they come from."""
        settings: dict[str, Setting] = {**constants, "items": items}
        notes = _notes(table, stated, items)
        return Posterior(table.items, draws, what, sampler, self.warmup, self.seed, settings, notes, centre)
