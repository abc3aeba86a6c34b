"""The tracks of one year's rankings: translations from one language to another, of the same sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ....data.columns import Factor
from ....data.options import one_of
from ....data.reading import read
from ....errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from ....data.comparisons import Comparisons

#: Name of a track -> its source and its target language.
Tracks = Mapping[str, Sequence[str]]


def read_tracks(table: pd.DataFrame, named: Tracks) -> dict[str, Comparisons]:
    """Each track of one year's rankings, by its short name: the rows of its source and target language.

    table: with the columns of WMT: srclang, trglang, srcIndex, system1Id, system1rank, ...
    """
    found = {}
    for name, (source, target) in named.items():
        rows = table[(table["srclang"] == source) & (table["trglang"] == target)]
        if rows.empty:
            raise InputError(
                f"track {name!r}: no row from {source} to {target}; there are "
                + ", ".join(sorted({f"{a}-{b}" for a, b in zip(table["srclang"], table["trglang"])}))
            )
        found[name] = read(rows.reset_index(drop=True), layout="rankings")
    return found


def one_track(table: pd.DataFrame, named: Tracks, name: str) -> Comparisons:
    """The one of `named` that is called so."""
    one_of("track", name, tuple(named))
    return read_tracks(table, {name: named[name]})[name]


def on_least_compared_source(table: Comparisons) -> float:
    """Comparisons on the source segment that has fewest."""
    source = table.columns["source"]
    assert isinstance(source, Factor)  # read makes it one
    counts = np.bincount(source.codes, weights=table.wins + table.ties + table.losses)
    return float(counts[counts > 0].min())
