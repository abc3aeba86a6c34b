"""Arithmetic of Hopkins and May (2013): sizes of data sets, rules that rank, perplexities, agreement of judges.

The tracks of one year's rankings are translations from one language to another, of the same sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ....data.columns import Factor
from ....data.comparisons import Comparisons
from ....data.options import one_of
from ....data.reading.layouts import read
from ....errors import InputError
from ....numerics.arrays import FloatArray
from ...statements.registers import Computed, Request, computation

if TYPE_CHECKING:
    import pandas as pd


#: Name of a track -> its source and its target language.
Tracks = Mapping[str, Sequence[str]]


def read_tracks(table: pd.DataFrame, named: Tracks) -> dict[str, Comparisons]:
    """Each track of one year's rankings, by its short name: the rows of its source and target language."""
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


def clusters_of(table: Comparisons, column: str) -> FloatArray:
    """Comparisons of each judge, or on each source segment, that has any.  float[n_clusters]."""
    labels = table.columns[column]
    assert isinstance(labels, Factor)  # rankings have both as labels
    counts = np.bincount(labels.codes, weights=table.wins + table.ties + table.losses)
    return np.asarray(counts[counts > 0])


@computation("held-out-sizes")
def held_out_sizes(request: Request) -> Computed:
    """train.T, test.T, all.T, k.T, least.T of every track T, by the paper's rule; args: `tracks`."""
    from ....native.competitions.experiment.held_out import split_by_source

    found: dict[str, float] = {}
    for name, table in read_tracks(request.table_of(request.data), request.pairs_by_name("tracks")).items():
        split, all_ = split_by_source(table), table.n_comparisons
        sizes = {"train": split.train.n_comparisons, "test": split.test.n_comparisons, "all": all_}
        sizes |= {"k": float(split.k or 0), "least": float(clusters_of(table, "source").min())}
        found.update({f"{what}.{name}": n for what, n in sizes.items()})
    return Computed(native=found)


@computation("ranking-heuristics")
def ranking_heuristics(request: Request) -> Computed:
    """origwmt.S and bojar.S of the claim's own comparisons."""
    from ....native.competitions.ranking.ranking_rules import bojar, orig_wmt

    table = request.data_of(request.data)
    found = {}
    for name, rule in (("origwmt", orig_wmt), ("bojar", bojar)):
        scores = rule(table)
        found.update({f"{name}.{item}": float(value) for item, value in zip(scores.items, scores.values)})
    return Computed(native=found)


@computation("perplexities")
def perplexities(request: Request) -> Computed:
    """perplexity.M of models on the claim's own comparisons, fitted on the same; args: `models`."""
    from ....native.competitions.experiment.preference_models import MODELS, fit_preference_model

    table, asked = request.data_of(request.data), request.texts("models")
    for name in asked:
        one_of("args.models", name, MODELS)
    fits = {m: fit_preference_model(table, m, warn=False) for m in MODELS if m in asked}
    return Computed(native={f"perplexity.{m}": fit.perplexity(table).value for m, fit in fits.items()})


@computation("judge-agreement")
def judge_agreement(request: Request) -> Computed:
    """share (per cent), kappa and number of pairs of judgments by two judges on the same segment."""
    from ....native.competitions.experiment.judge_agreement import judge_agreement as agreement

    found = agreement(read(request.table_of(request.data), layout="rankings"), tracks=("srclang", "trglang"))
    return Computed(native={"share": 100.0 * found.share, "kappa": found.kappa, "pairs": float(found.pairs)})
