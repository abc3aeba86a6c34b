"""Learning curves: how well each model predicts after so many comparisons (Hopkins and May 2013, section 8).

For every track, trial and training size k: draw k of the track's training comparisons, fit every model on the
same k, and take its perplexity on the track's test comparisons.  Where k exceeds the training set, all of it
is taken (the paper's footnote 12).  A trial's draws are nested: its k comparisons are the first k of one
random order.

Every number depends on the seed, its own track, trial, size and model, and on nothing else: an experiment
that was interrupted, extended, or run in another order has the same numbers bit for bit (with the same
version of numpy). Results are kept in an SQLite file, each written in its own transaction before the next one
is computed, so a run that is killed loses at most the one that it was computing.  The file is locked for as
long as a run works on it (https://www.sqlite.org/pragma.html#pragma_locking_mode); a second run is refused at
once.

How much abilities change from one training set to the next (Figure 6): with a_st the posterior mean of system
s in trial t, the systems that all samples have in common averaging 0 in each::

    mean_s = sum_t a_st / T          sd_s = sqrt( sum_t (a_st - mean_s)^2 / (T - 1) )

and the whole is then moved so that the means average 0.  The paper's error bars are one sd_s.  They say how
much the choice of k comparisons matters, not how well the ability is known: samples of one track overlap, and
a posterior interval from all of its comparisons is another thing
(:func:`pairproof.native.competitions.irt.gaussian_irt.fit_irt_gaussian`).  The preference model is the mean of the trials'
models.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ....data.columns import Factor
from ....data.comparisons import Comparisons
from ....data.judgments import compared
from ....data.options import one_of, whole_number
from ....errors import DataWarning, InputError
from ....files.database import DatabaseKind, Schema
from ....files.outputs import check
from ....fit.shown.fit_json import finite
from ....numerics.arrays import FloatArray, IntArray
from ....numerics.processes import in_order
from ..irt.posterior import Note
from ..ranking.sums_by_cluster import cells_of
from .curve_summaries import Result
from .held_out import Split, test_groups
from .preference_models import MODELS, ModelName, PreferenceModel, PreferenceOptions, fit_preference_model

Key = tuple[str, str, int, int]
Tracks = Mapping[str, Split]

#: One column for each field of a result; `notes` is a JSON list of [kind, text], `bits` and `sizes` are
#: little-endian doubles.
_SCHEMA = (
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE result (
        track TEXT, model TEXT, train_size INTEGER, trial INTEGER, perplexity REAL, n_train INTEGER,
        test_size INTEGER, impossible INTEGER, unseen INTEGER, notes TEXT, bits BLOB, sizes BLOB,
        PRIMARY KEY (track, model, train_size, trial))""",
)
#: "PPLC" in ASCII. Version 4: 1 and 2 were files of JSON lines, 3 had no kinds of notes.
STATE = DatabaseKind(
    "state of a learning-curve experiment",
    0x50504C43,
    4,
    "another process works on this state; wait for it, or name another file",
    lambda version: Schema(_SCHEMA),
    "name another file, or remove it: what it held is computed again",
)
_COLUMNS = [f.name for f in fields(Result)]
_SQLITE, _JSON_LINES = b"SQLite format 3\0", b'{"pairproof": "learning-curve"'


class State:
    """The results of an experiment, and the open database they are kept in (None: they are not kept).
    done: what the file held when it was opened."""

    def __init__(self, path: Path | None = None, connection: sqlite3.Connection | None = None) -> None:
        self._path, self._db = path, connection
        query = f"SELECT {', '.join(_COLUMNS)} FROM result"
        rows = () if connection is None else connection.execute(query)
        self.done: dict[Key, Result] = {r.key: r for r in map(self._result, rows)}

    def write(self, result: Result) -> None:
        """Keep a result."""
        if self._db is None or self._path is None:
            return
        *numbers, notes, bits, sizes = astuple(result)
        blobs = [np.array(values, "<f8").tobytes() for values in (bits, sizes)]
        places = ", ".join("?" * len(_COLUMNS))
        with STATE.errors_explained(self._path):
            self._db.execute(f"INSERT INTO result VALUES ({places})", (*numbers, json.dumps(notes), *blobs))

    def _result(self, row: tuple[Any, ...]) -> Result:
        values = dict(zip(_COLUMNS, row))
        try:
            values["notes"] = tuple(Note(*note) for note in json.loads(values["notes"]))
            for name in ("bits", "sizes"):
                values[name] = tuple(np.frombuffer(values[name], "<f8").tolist())
            return Result(**values)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{self._path}: the result of {', '.join(map(str, row[:4]))} cannot be read ({error}); the file"
                f" is damaged: {STATE.remedy}"
            ) from error


@contextmanager
def opened(path: Path | None, settings: Mapping[str, Any]) -> Iterator[State]:
    """The state in a file, made if there is none; locked until the end of the block.
    settings: seed, options and data of the experiment; an old file must have been made with the same."""
    if path is None:
        yield State()
        return
    check(path, force=True, again=True)
    _check_head(path)
    with STATE.errors_explained(path):
        connection = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    with closing(connection):
        with STATE.errors_explained(path):
            # The lock that the first transaction takes is kept until the connection is closed.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            if path.stat().st_size == 0:
                _create(connection, settings)
            connection.execute("COMMIT")
            STATE.check(path, connection)
            _check_settings(path, dict(connection.execute("SELECT name, value FROM setting")), settings)
            state = State(path, connection)
        yield state


def _check_head(file: Path) -> None:
    """Refuse a file that is no SQLite database before SQLite opens it; an empty one will be a new state."""
    head = b""
    if file.exists():
        with file.open("rb") as opened_file:
            head = opened_file.read(len(_JSON_LINES))
    if head.startswith(_JSON_LINES):
        raise InputError(
            f"{file}: a state in JSON lines, as pairproof kept it before; states are SQLite databases now."
            " Name another file: what this one holds is computed again"
        )
    if head and not head.startswith(_SQLITE):
        raise InputError(f"{file}: holds {head[:20]!r}..., which is no {STATE.name}; name another file")


def _create(connection: sqlite3.Connection, settings: Mapping[str, Any]) -> None:
    STATE.stamp(connection)
    for statement in _SCHEMA:
        connection.execute(statement)
    values = {**settings, "numpy": np.__version__}
    rows = [(name, json.dumps(value)) for name, value in values.items()]
    connection.executemany("INSERT INTO setting VALUES (?, ?)", rows)


def _check_settings(file: Path, found: Mapping[str, str], expected: Mapping[str, Any]) -> None:
    """The experiment of the file must be this one; another version of numpy is only warned of."""
    # What only the file states, such as clusters, was not asked for now.
    asked = {**dict.fromkeys(set(found) - {"numpy"}), **expected}
    for name, value in asked.items():
        if found.get(name) != json.dumps(value):
            what = "other data" if name == "tracks" else f"{name} {found.get(name)}, not {json.dumps(value)}"
            raise InputError(
                f"{file}: is the state of an experiment with {what}; continue that one, or name another file"
                " for this one"
            )
    version = json.loads(found.get("numpy", "null"))
    if version != np.__version__:
        begun = f"{file}: was begun with numpy {version}, this is {np.__version__}"
        differs = "what is added now may differ in random draws from what that version would have given"
        warnings.warn(f"{begun}; {differs}", DataWarning, stacklevel=5)


#: The paper's training sizes and number of trials.
PAPER_SIZES = (100, 200, 400, 800, 1600, 3200)
PAPER_TRIALS = 5


@dataclass(frozen=True)
class Design:
    """The design of an experiment.
    trials: random training sets of each size.  cluster: columns by which test comparisons go together; bits
    are then kept by them, and not by groups of sources."""

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
    tracks: Tracks,
    design: Design,
    *,
    state: Path | None = None,
    progress: Callable[[int, int, Result], None] | None = None,
    workers: int = 1,
) -> tuple[Result, ...]:
    """Run the experiment, except for results that are already stored.
    state: database file in which results are kept as they come; those already there are not computed again.
    Sizes, trials and models may be added to an old state.  More than one starts Python again for each, so a
    script that asks for them must stand under ``if __name__ == "__main__":``.  Returns tuple of Result: of
    this design, by track, trial, size and model."""
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
    The training set is None if no model is left to fit."""

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
        keys: list[tuple[ModelName, Key]] = [(m, (self.track, m, self.size, self.trial)) for m in self.models]
        return {model: one_result(key, model, self.train, self.test, design) for model, key in keys}


def _samples(tracks: Tracks, design: Design, done: Mapping[Key, Result]) -> Iterator[_Sample]:
    for track, split in tracks.items():
        for trial in range(1, design.trials + 1):
            for size in sorted(design.sizes):
                there = {model: done.get((track, model, size, trial)) for model in design.models}
                known = {model: result for model, result in there.items() if result is not None}
                left = tuple(model for model in design.models if model not in known)
                train = training_sample(split, track, trial, size, design.seed) if left else None
                yield _Sample(track, trial, size, left, known, train, split.test)


def _results(tracks: Tracks, design: Design, done: Mapping[Key, Result], workers: int) -> Iterator[Result]:
    fit = partial(_Sample.results, design=design)
    for sample, fresh in in_order(fit, _samples(tracks, design, done), workers):
        found = {**sample.known, **fresh}
        yield from (found[model] for model in design.models)


def training_sample(split: Split, track: str, trial: int, size: int, seed: int) -> Comparisons:
    """Draw the comparisons on which every model of a trial is fitted at one size.
    size: comparisons; where the training set has fewer, all of them are taken.  Returns Comparisons: those of
    a smaller size of the same trial are among them."""
    words = np.frombuffer(hashlib.sha256(track.encode()).digest(), ">u4").tolist()
    stream = np.random.SeedSequence([seed, trial, *words])
    order = np.random.default_rng(stream).permutation(split.train.n_rows)
    # Rows in their own order: the same sample is the same table.
    return split.train.select(np.sort(order[:size]))


def fit_sample(sample: Comparisons, key: Key, model: ModelName, design: Design) -> PreferenceModel:
    """Fit one model on one sample; the sampler's seed depends on the design's seed and on what is fitted."""
    track, _, size, trial = key
    text = f"{design.seed}|{track}|{trial}|{size}|{model}"
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return fit_preference_model(sample, model, options=design.options, seed=seed, warn=False)


def one_result(key: Key, model: ModelName, sample: Comparisons, test: Comparisons, design: Design) -> Result:
    """Fit one model on one sample and work out its perplexity on the test set."""
    fitted = fit_sample(sample, key, model, design)
    found = fitted.perplexity(test)
    group = cells_of(test, design.cluster) if design.cluster else test_groups(test)
    bits = np.bincount(group, fitted.surprise(test))
    sizes = np.bincount(group, test.wins + test.ties + test.losses)
    counts = (sample.n_rows, int(found.n), int(found.impossible), len(found.unseen))
    return Result(*key, found.value, *counts, fitted.notes, tuple(bits.tolist()), tuple(sizes.tolist()))


# -- which experiment it is ----------------------------------------------------------------------------------


def table_digest(table: Comparisons) -> str:
    """sha256 of all that a draw of rows depends on: the rows in their order, with their sources."""
    h = hashlib.sha256(repr((table.items, table.tie_category)).encode())
    source = table.columns.get("source")
    codes = [source.codes] if isinstance(source, Factor) else []
    for column in (table.first, table.second, table.wins, table.ties, table.losses, *codes):
        h.update(np.ascontiguousarray(column).astype("<f8").tobytes())
    return h.hexdigest()


def _cells_digest(tracks: Tracks, columns: tuple[str, ...]) -> str:
    """sha256 of which test comparisons go together."""
    h = hashlib.sha256()
    for name, split in tracks.items():
        h.update(name.encode() + b"\0" + cells_of(split.test, columns).astype("<i8").tobytes())
    return h.hexdigest()


def _settings(tracks: Tracks, design: Design) -> dict[str, Any]:
    return {
        "seed": design.seed,
        "options": asdict(design.options),
        "tracks": {name: [table_digest(s.train), table_digest(s.test)] for name, s in tracks.items()},
        # Absent by default, as in states of older versions.
        **({"cluster": [*design.cluster, _cells_digest(tracks, design.cluster)]} if design.cluster else {}),
    }


@dataclass(frozen=True, eq=False, repr=False)
class TrialAbilities:
    """The abilities of a track's systems in every trial of an experiment.
    items: systems that are compared in the training set.  size, n_train: training comparisons asked for, and
    how many there were.  trials float[n_trials, n_items]: posterior means, centred; nan where the sample has
    no comparison of the system.  p_better float[n_items, n_items]: P(ability of row > ability of column)
    within a trial, mean over the trials that have both; nan where none has.  model: the mean of the trials'
    probabilities."""

    items: tuple[str, ...]
    size: int
    n_train: int
    trials: FloatArray
    p_better: FloatArray
    model: PreferenceModel
    notes: tuple[str, ...] = ()

    @property
    def n_seen(self) -> IntArray:
        """int[n_items]: trials whose sample has the system."""
        return np.asarray((~np.isnan(self.trials)).sum(axis=0))

    @property
    def mean(self) -> FloatArray:
        """float[n_items]: over the trials that have the system; nan where none has."""
        return _known_mean(self.trials)

    @property
    def sd(self) -> FloatArray:
        """float[n_items]: over the trials; nan with fewer than two."""
        n = self.n_seen
        squares = np.nansum((self.trials - self.mean) ** 2, axis=0)
        return np.asarray(np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan))

    @property
    def ranking(self) -> tuple[str, ...]:
        """Systems by mean, best first; those that no sample has come last."""
        order = np.argsort(-np.where(np.isnan(self.mean), -np.inf, self.mean), kind="stable")
        return tuple(self.items[k] for k in order)

    def difference(self, first: str, second: str) -> tuple[float, float]:
        """Mean and standard deviation over the trials of first minus second, trial by trial."""
        for name in (first, second):
            if name not in self.items:
                raise InputError(f"no system {name!r}; there are {', '.join(self.items)}")
        gap = self.trials[:, self.items.index(first)] - self.trials[:, self.items.index(second)]
        gap = gap[~np.isnan(gap)]
        mean = float(gap.mean()) if len(gap) else float("nan")
        return mean, float(gap.std(ddof=1)) if len(gap) > 1 else float("nan")

    def bands(self, n: int) -> tuple[tuple[str, ...], ...]:
        """The ranking cut into n groups where neighbours' means are farthest apart."""
        ranking = [s for s in self.ranking if not np.isnan(self.mean[self.items.index(s)])]
        if not 1 <= n <= len(ranking):
            raise InputError(f"{n} bands of {len(ranking)} systems; expected 1 to {len(ranking)}")
        values = np.array([self.mean[self.items.index(s)] for s in ranking])
        cuts = sorted((np.argsort(values[1:] - values[:-1], kind="stable")[: n - 1] + 1).tolist())
        return tuple(tuple(ranking[a:b]) for a, b in zip([0, *cuts], [*cuts, len(ranking)]))

    def to_dict(self) -> dict[str, Any]:
        """The abilities as a JSON object, with null for missing numbers."""

        numbers = {"train_size": self.size, "n_train": self.n_train, "trials": len(self.trials)}
        systems = [
            {"item": name, "mean": finite(m), "sd": finite(s), "trials": int(n)}
            for name, m, s, n in zip(self.items, self.mean, self.sd, self.n_seen)
        ]
        return {**numbers, "notes": list(self.notes), "ranking": list(self.ranking), "systems": systems}

    def __repr__(self) -> str:
        return (
            f"<TrialAbilities: {len(self.items)} systems, {len(self.trials)} trials of"
            f" {self.n_train} comparisons>"
        )


def trial_abilities(split: Split, track: str, size: int, design: Design) -> TrialAbilities:
    """Fit irt-gaussian in every trial of a design, on its samples of one size.
    design: its trials, seed and options; sizes and models do not matter here."""
    if size < 1:
        raise InputError(f"abilities at {size} training comparisons; expected at least 1")
    items = tuple(name for name, met in zip(split.train.items, compared(split.train)) if met)
    if not items:
        raise InputError(f"track {track}: the training set has no comparison")
    keys: list[Key] = [(track, "irt-gaussian", size, trial) for trial in range(1, design.trials + 1)]
    samples = [training_sample(split, track, trial, size, design.seed) for *_, trial in keys]
    fits = [fit_sample(sample, key, "irt-gaussian", design) for key, sample in zip(keys, samples)]
    trials = np.full((len(fits), len(items)), np.nan)
    better = np.full((len(fits), len(items), len(items)), np.nan)
    mean = np.zeros((len(items) + 1, len(items) + 1, 3))
    for row, p, fit in zip(trials, better, fits):
        known = np.array([k for k, name in enumerate(items) if name in fit.items])
        own = np.array([fit.items.index(items[k]) for k in known])
        row[known] = fit.fitted.mean[own]
        p[np.ix_(known, known)] = fit.fitted.p_better[np.ix_(own, own)]
        where = np.array([fit.place(name) for name in (*items, "")])
        mean += fit.probabilities[np.ix_(where, where)] / len(fits)
    lacking = np.isnan(trials).sum(axis=0)
    notes = []
    if lacking.any():
        fewer = ", ".join(f"{name} ({int(n)} of {len(fits)})" for name, n in zip(items, lacking) if n)
        notes.append(f"not compared in every sample, so its mean is over fewer: {fewer}")
        if (lacking > 0).all():
            notes.append("no system is compared in every sample, so each trial is centred on its own systems")
    averaged = Note("mean-of-trials", f"mean of {len(fits)} trials")
    model = PreferenceModel("irt-gaussian", items, mean, float(samples[0].n_rows), (averaged,))
    numbers = (samples[0].n_rows, centred(trials), _known_mean(better))
    return TrialAbilities(items, size, *numbers, model, tuple(notes))


def centred(trials: FloatArray) -> FloatArray:
    """Abilities of each trial, shifted so that the systems that all trials have average 0; then all are
    shifted alike so that the systems' means average 0."""
    common = ~np.isnan(trials).any(axis=0)
    level = trials[:, common].mean(axis=1) if common.any() else _known_mean(trials.T)
    moved = trials - level[:, None]
    return np.asarray(moved - np.nanmean(_known_mean(moved)))


def _known_mean(values: FloatArray) -> FloatArray:
    """Mean over the first axis of the values that are not nan; nan if all are."""
    n = (~np.isnan(values)).sum(axis=0)
    return np.asarray(np.where(n > 0, np.nansum(values, axis=0) / np.maximum(n, 1), np.nan))
