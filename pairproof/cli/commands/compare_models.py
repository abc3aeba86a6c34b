"""`pairproof compare-models`: which preference model predicts best after how many judgments."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options.reading import (
    Reading,
    cluster_options,
    names,
    names_or_none,
    numbers_of,
    reader_options_of_all_tracks,
)
from ..state import (
    COUNT,
    KEPT,
    LEVEL,
    POSITIVE,
    READ,
    State,
    choice,
    options,
    progress_bar,
    sectioned,
    shared_options,
)

if TYPE_CHECKING:
    from ...data.comparisons import Comparisons
    from ...native.competitions.experiment.curve_summaries import Result
    from ...native.competitions.experiment.held_out import Split
    from ...native.competitions.experiment.learning_curves import Design
    from ...native.competitions.experiment.preference_models import PreferenceModel


#: The names of MODELS in pairproof.native.competitions.experiment.preference_models (a test compares them),
#: repeated here so that --help need not import NumPy.
MODELS = (
    *("uniform", "adjusted-uniform", "pairs"),
    *("students-asymmetric", "students-arithmetic", "students-geometric"),
    *("irt-gaussian", "irt-categorical", "bradley-terry", "davidson", "rao-kupper", "llbt"),
)


def _sizes(_: click.Context, __: click.Parameter, value: str) -> tuple[int, ...]:
    found = numbers_of(value, int, "whole numbers separated by commas, for example 100,200,400")
    if min(found) < 1 or len(set(found)) != len(found):
        raise click.BadParameter(f"{value!r}; expected distinct numbers of at least 1")
    return tuple(sorted(found))


def _model_names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    found = MODELS if value is None else tuple(names(value))
    for name in found:
        if name not in MODELS:
            raise click.BadParameter(f"no model {name!r}; expected one of {', '.join(MODELS)}")
        if found.count(name) > 1:
            raise click.BadParameter(f"model {name!r} is named more than once")
    return found


@sectioned("compare-models")
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Experiment",
    {
        "--train-sizes K,K,...": "Numbers of training comparisons; a track that has fewer uses all of them.",
        "--trials": ("Random training sets of each size.", {"type": COUNT, "default": 5}),
        "--test-size N": "Minimum number of test comparisons per track (default: 2000; a fifth of a track that"
        " has fewer than 4000).",
        "--split": "Test set: the least compared sources (as in the paper), random whole sources, or"
        " random comparisons; auto: the first possible one of these.",
        "--track COL,...": "Columns that name a track (default: track, or srclang and trglang).",
        "--leave-out TRACK,...": ("Tracks to leave out.", {"callback": names_or_none}),
        "--train FILE": "Train on the comparisons in this file, which has the same layout (for example, those"
        " of other judges), and test on those in FILE.",
        "--resume STATE": "Save each result in this database file, and continue from those already in it.",
        "--workers": "Number of processes; the results do not depend on it.",
        "--within": "Judgments suffice if the perplexity is within this fraction of that at the largest size.",
        "--level": ("Level of the intervals.", LEVEL),
        "--abilities": "Also report the systems' abilities (irt-gaussian) from all comparisons of each track:"
        " intervals, credible sets of ranks, letters. At least 4 chains of 1000 draws; --chains, --warmup, --draws"
        " for more.",
        "--abilities-at K": "Also report how much the abilities vary between trials: mean and sd over the"
        " training sets of K comparisons.",
        "--rankings": "Also rank the systems of each whole track by every rule of the shared tasks (ORIGWMT,"
        " BOJAR, Lopez's, ...).",
    },
    train_sizes={"name": "sizes", "default": "100,200,400,800,1600,3200", "callback": _sizes},
    test_size=COUNT,
    split=choice("auto", "least-compared", "sources", "comparisons", name="rule", default="auto"),
    track={"name": "--tracks by", "callback": names_or_none},
    train=READ,
    resume=KEPT,
    workers={"type": COUNT, "default": lambda: os.cpu_count() or 1, "show_default": "one a processor"},
    within={"type": POSITIVE, "default": 0.01},
    abilities_at=COUNT,
)
@cluster_options(
    "Experiment",
    "Clusters of test comparisons (one column or two: judge, source) for comparing the models' perplexities,"
    " instead of groups of sources.",
)
@options(
    "Models",
    {
        "--models A,B,...": (f"Some of {', '.join(MODELS)} (default: all).", {"callback": _model_names}),
        "--alpha": ("Prior strength in the baselines.", {"type": POSITIVE, "default": 1.0}),
        "--raw-geometric": "students-geometric without renormalisation.",
        "--irt-items": "irt-*: one item per (system, source), or a new one per comparison"
        " (default: shared if there are sources).",
        "--chains": ("irt-*: Markov chains.", {"type": COUNT, "default": 4}),
        "--warmup": "irt-*: iterations discarded from each chain.",
        "--draws": ("irt-*: iterations kept in each chain.", {"type": COUNT, "default": 250}),
    },
    irt_items=choice("shared", "fresh"),
    warmup={"type": click.IntRange(min=0), "default": 100},
)
@reader_options_of_all_tracks
@shared_options
def command(state: State, file: str, reading: Reading[Comparisons], **asked: Any) -> None:
    """Fit preference models to part of the comparisons in FILE and report how well they predict the rest.

    For every track, trial and training size each model is fitted to the same random comparisons and judged by its
    perplexity on the track's test comparisons (Hopkins and May 2013). Lower is better; guessing gives 3, or 2 if ties
    cannot happen.

    \b
    pairproof compare-models judgments.csv --train-sizes 100,200,400 --trials 5
    pairproof compare-models wmt12.RNK_results.csv --resume run.db --report out.html
    """
    state.no_junit("an experiment has")
    from ...native.competitions.experiment import held_out as splits
    from ...native.competitions.experiment.curve_summaries import clusters_of
    from ...native.competitions.experiment.learning_curves import trial_abilities
    from ...native.competitions.ranking.ranking_rules import all_rankings
    from ..reports.competitions import Experiment, document, page

    table = reading.of(file)
    leave_out = asked["leave_out"] or ()
    design = _design(asked, 0 if state.seed is None else state.seed)
    how = {name: asked[name] for name in ("by", "test_size", "rule")}
    tracks = splits.split_table(table, leave_out=leave_out, seed=design.seed, **how)
    parts = splits.chosen_tracks(table, asked["by"], leave_out)
    size = asked["test_size"] or max(map(splits.default_test_size, parts.values()))
    if asked["train"]:
        tracks = splits.trained_on(tracks, reading.of(asked["train"]), asked["by"])
    _say_what_is_small(state, tracks, design)
    clusters = clusters_of(tracks, design.cluster, asked["kind"]) if design.cluster else None
    results, at = _run(state, tracks, design, asked["resume"], asked["workers"]), asked["abilities_at"]
    experiment = Experiment(
        *(table.source, tracks, design, results, size, asked["within"], asked["level"]),
        abilities=_abilities(table, asked["by"], tracks, design) if asked["abilities"] else {},
        trial_abilities={t: trial_abilities(s, t, at, design) for t, s in tracks.items() if at is not None},
        rankings={track: all_rankings(p, design.seed) for track, p in parts.items() if asked["rankings"]},
        clusters=clusters,
    )
    state.give(lambda: page(experiment), lambda: document(experiment))


def _design(asked: Mapping[str, Any], seed: int) -> Design:
    from ...native.competitions.experiment.learning_curves import Design
    from ...native.competitions.experiment.preference_models import PreferenceOptions

    stated = {name: asked[name] for name in ("alpha", "raw_geometric", "chains", "warmup", "draws")}
    options = PreferenceOptions(items=asked["irt_items"], **stated)
    return Design(asked["sizes"], asked["trials"], asked["models"], seed, options, asked["cluster"])


def _abilities(
    table: Comparisons, by: list[str] | None, tracks: Mapping[str, Split], design: Design
) -> dict[str, PreferenceModel]:
    """irt-gaussian on each whole track, with chains at least long enough for intervals."""
    from dataclasses import replace

    from ...data.judgments import split_tracks
    from ...native.competitions.experiment.preference_models import fit_preference_model

    asked = design.options
    options = replace(
        asked, chains=max(4, asked.chains), warmup=max(200, asked.warmup), draws=max(1000, asked.draws)
    )
    return {
        track: fit_preference_model(part, "irt-gaussian", options=options, seed=design.seed, warn=False)
        for track, part in split_tracks(table, by).items()
        if track in tracks
    }


#: With fewer test comparisons than this, only models that differ greatly can be told apart.
FEW = 100


def _say_what_is_small(state: State, tracks: Mapping[str, Split], design: Design) -> None:
    for track, split in tracks.items():
        if split.test.n_rows < FEW:
            state.say(
                f"Warning: track {track} has {split.test.n_rows} test comparisons; perplexities from"
                " so few are imprecise (--test-size, or more data)"
            )
        beyond = [str(k) for k in design.sizes if k > split.train.n_rows]
        if beyond:
            state.say(
                f"Warning: track {track} has {split.train.n_rows} training comparisons; for size"
                f" {', '.join(beyond)} every trial uses all of them, so the trials do not differ"
            )


def _run(
    state: State, tracks: Mapping[str, Split], design: Design, resume: str | None, workers: int
) -> tuple[Result, ...]:
    from ...native.competitions.experiment.learning_curves import run

    # A process takes almost a second to start.
    worth_it = max(1, len(tracks) * design.trials * len(design.sizes) // 8)

    kept = None if resume is None else Path(resume)
    how: dict[str, Any] = {"state": kept, "workers": min(workers, worth_it)}
    if state.quiet or not sys.stderr.isatty():
        return run(tracks, design, progress=None, **how)
    with progress_bar("fits") as advance:

        def told(done: int, total: int, r: Result) -> None:
            advance(done, total, f"{r.track} {r.model} {r.train_size}")

        return run(tracks, design, progress=told, **how)
