"""How well each model predicts held-out comparisons after so many training comparisons (Hopkins and May 2013,
section 8).

For every track, trial and training size k: draw k of the track's training comparisons, fit every model on the
same k, and take its perplexity on the track's test comparisons.  Where k exceeds the training set, all of it
is taken (the paper's footnote 12).  A trial's draws are nested: its k comparisons are the first k of one
random order.

Every number depends on the seed, its own track, trial, size and model, and on nothing else: an experiment
that was interrupted, extended, or run in another order has the same numbers bit for bit (with the same
version of numpy).  For the file in which results are kept see :mod:`pairproof.native.experiment.state`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.options import one_of, whole_number
from ...errors import InputError
from ..numerics.processes import in_order
from ..ranking.by_cluster import cells_of
from .models import MODELS, ModelName, PreferenceModel, PreferenceOptions, fit_preference_model
from .splits import Split, test_groups
from .state import Key, opened
from .summary import Result

#: The paper's training sizes and number of trials.
PAPER_SIZES = (100, 200, 400, 800, 1600, 3200)
PAPER_TRIALS = 5


@dataclass(frozen=True)
class Design:
    """The design of an experiment.

    sizes: training sizes, each >= 1.  trials: random training sets of each size.  models: some of `MODELS`.
    cluster: columns by which test comparisons go together; bits are then kept by them, and not by groups of
    sources.
    """

    sizes: tuple[int, ...] = PAPER_SIZES
    trials: int = PAPER_TRIALS
    models: tuple[ModelName, ...] = MODELS
    seed: int = 0
    options: PreferenceOptions = PreferenceOptions()
    cluster: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        whole = all(int(k) == k and k >= 1 for k in self.sizes)
        if not self.sizes or not whole or len(set(self.sizes)) != len(self.sizes):
            raise InputError(
                f"training sizes {list(self.sizes)}; expected distinct whole numbers of at least 1"
            )
        whole_number("trials", self.trials, 1)
        whole_number("seed", self.seed)
        if not self.models or len(set(self.models)) != len(self.models):
            raise InputError(f"models {list(self.models)}; expected at least one, each once")
        for model in self.models:
            one_of("model", model, MODELS)


def run(
    tracks: Mapping[str, Split],
    design: Design,
    *,
    state: Path | None = None,
    progress: Callable[[int, int, Result], None] | None = None,
    workers: int = 1,
) -> tuple[Result, ...]:
    """Run the experiment, except for results that are already stored.

    state: database file in which results are kept as they come; those already there are not computed again.
    Sizes, trials and models may be added to an old state.  workers: processes; the results are the same.
    More than one starts Python anew for each, so a script that asks for them must stand under ``if __name__
    == "__main__":``.  Returns tuple of Result: of this design, by track, trial, size and model.
    """
    if workers < 1:
        raise InputError(f"workers={workers}; at least 1 is needed")
    if not tracks:
        raise InputError("no track to run; the table has no comparison")
    total = len(tracks) * design.trials * len(design.sizes) * len(design.models)
    out: list[Result] = []
    with opened(state, _settings(tracks, design)) as kept:
        for result in _results(tracks, design, kept.done, workers):
            if result.key not in kept.done:
                kept.write(result)
            out.append(result)
            if progress is not None:
                progress(len(out), total, result)
    return tuple(out)


@dataclass(frozen=True, eq=False)
class _Sample:
    """A training set, the models still to be fitted to it, and the results of the other models.

    The training set is None if no model is left to fit.
    """

    track: str
    trial: int
    size: int
    models: tuple[ModelName, ...]
    known: Mapping[ModelName, Result]
    train: Comparisons | None
    test: Comparisons

    def results(self, design: Design) -> dict[ModelName, Result]:
        if self.train is None:
            return {}
        return {
            model: one_result(self.track, self.trial, self.size, model, self.train, self.test, design)
            for model in self.models
        }


def _samples(tracks: Mapping[str, Split], design: Design, done: Mapping[Key, Result]) -> Iterator[_Sample]:
    for track, split in tracks.items():
        for trial in range(1, design.trials + 1):
            for size in sorted(design.sizes):
                known = {
                    model: done[track, model, size, trial]
                    for model in design.models
                    if (track, model, size, trial) in done
                }
                left = tuple(model for model in design.models if model not in known)
                yield _Sample(
                    track,
                    trial,
                    size,
                    left,
                    known,
                    training_sample(split, track, trial, size, design.seed) if left else None,
                    split.test,
                )


def _results(
    tracks: Mapping[str, Split], design: Design, done: Mapping[Key, Result], workers: int
) -> Iterator[Result]:
    for sample, fresh in in_order(
        partial(_Sample.results, design=design), _samples(tracks, design, done), workers
    ):
        found = {**sample.known, **fresh}
        yield from (found[model] for model in design.models)


def training_sample(split: Split, track: str, trial: int, size: int, seed: int) -> Comparisons:
    """Draw the comparisons on which every model of a trial is fitted at one size.

    trial: from 1.  size: comparisons; where the training set has fewer, all of them are taken.  Returns
    Comparisons: those of a smaller size of the same trial are among them.
    """
    order = np.random.default_rng(_stream(seed, track, trial)).permutation(split.train.n_rows)
    # Rows in their own order: the same sample is the same table.
    return split.train.select(np.sort(order[:size]))


def fit_sample(
    sample: Comparisons, track: str, trial: int, size: int, model: ModelName, design: Design
) -> PreferenceModel:
    """Fit one model on one sample; the sampler's seed depends on the design's seed and on what is fitted."""
    key = f"{design.seed}|{track}|{trial}|{size}|{model}"
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    return fit_preference_model(sample, model, options=design.options, seed=seed, warn=False)


def one_result(
    track: str,
    trial: int,
    size: int,
    model: ModelName,
    sample: Comparisons,
    test: Comparisons,
    design: Design,
) -> Result:
    """Fit one model on one sample and work out its perplexity on the test set."""
    fitted = fit_sample(sample, track, trial, size, model, design)
    found = fitted.perplexity(test)
    group = cells_of(test, design.cluster) if design.cluster else test_groups(test)
    bits = np.bincount(group, fitted.surprise(test))
    sizes = np.bincount(group, test.wins + test.ties + test.losses)
    return Result(
        track,
        model,
        size,
        trial,
        found.value,
        sample.n_rows,
        int(found.n),
        int(found.impossible),
        len(found.unseen),
        fitted.notes,
        tuple(bits.tolist()),
        tuple(sizes.tolist()),
    )


def _stream(seed: int, track: str, trial: int) -> np.random.SeedSequence:
    words = np.frombuffer(hashlib.sha256(track.encode()).digest(), ">u4").tolist()
    return np.random.SeedSequence([seed, trial, *words])


# -- which experiment it is ----------------------------------------------------------------------------------


def table_digest(table: Comparisons) -> str:
    """sha256 of all that a draw of rows depends on: the rows in their order, with their sources."""
    h = hashlib.sha256(repr((table.items, table.tie_category)).encode())
    source = table.columns.get("source")
    for column in (
        table.first,
        table.second,
        table.wins,
        table.ties,
        table.losses,
        source.codes if isinstance(source, Factor) else None,
    ):
        if column is not None:
            h.update(np.ascontiguousarray(column).astype("<f8").tobytes())
    return h.hexdigest()


def _cells_digest(tracks: Mapping[str, Split], columns: tuple[str, ...]) -> str:
    """sha256 of which test comparisons go together."""
    h = hashlib.sha256()
    for name, split in tracks.items():
        h.update(name.encode() + b"\0" + cells_of(split.test, columns).astype("<i8").tobytes())
    return h.hexdigest()


def _settings(tracks: Mapping[str, Split], design: Design) -> dict[str, Any]:
    return {
        "seed": design.seed,
        "options": asdict(design.options),
        "tracks": {name: [table_digest(s.train), table_digest(s.test)] for name, s in tracks.items()},
        # Absent by default, as in states of older versions.
        **({"cluster": [*design.cluster, _cells_digest(tracks, design.cluster)]} if design.cluster else {}),
    }
