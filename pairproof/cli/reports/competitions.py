"""The report of `pairproof compare-models`: its results as a page and as a JSON document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...native.competitions.experiment import competition_plots as plots
from ...native.competitions.experiment.curve_summaries import (
    Best,
    HeldOutClusters,
    Mean,
    Result,
    best_by_size,
    differences_from_best,
    judgments_enough,
    means,
    sizes_trained,
)
from ...native.competitions.experiment.held_out import Split
from ...native.competitions.experiment.learning_curves import Design, TrialAbilities
from ...native.competitions.experiment.preference_models import PreferenceModel
from ...native.competitions.irt.posterior import Posterior
from ...native.competitions.ranking.ranking_rules import Ranking
from ...report.blocks import Block, Bullets, Column, Figure, Heading, Page, Table

#: With more tracks than this the curves of each are left out of the page; the JSON has all numbers.
MOST_TRACKS = 30


@dataclass(frozen=True, eq=False)
class Experiment:
    """An experiment: its design and its results, by track; what was not asked for is empty, or None.

    test_size: the number asked for in each track; the rows give the actual one.
    """

    source: str
    tracks: Mapping[str, Split]
    design: Design
    results: tuple[Result, ...]
    test_size: int
    within: float
    level: float
    abilities: Mapping[str, PreferenceModel] = field(default_factory=dict)
    trial_abilities: Mapping[str, TrialAbilities] = field(default_factory=dict)
    rankings: Mapping[str, Mapping[str, Ranking]] = field(default_factory=dict)
    clusters: HeldOutClusters | None = None

    @property
    def means(self) -> list[Mean]:
        return means(self.results, self.level)

    @property
    def best(self) -> list[Best]:
        return best_by_size(
            self.results, self.level, None if self.clusters is None else self.clusters.over_test
        )

    @property
    def differences(self) -> list[dict[str, Any]]:
        """From the best model, by clusters of the test sets; empty if they were not asked for."""
        if self.clusters is None:
            return []
        return differences_from_best(self.results, self.level, self.clusters)

    @property
    def enough(self) -> dict[str, int | None]:
        return judgments_enough(self.results, self.within)


def document(e: Experiment) -> dict[str, Any]:
    """The JSON document; an infinite perplexity is null, with the number of `impossible` comparisons."""
    d = e.design
    perplexity = [r.to_dict() for r in e.results]
    result: dict[str, Any] = {"perplexity": perplexity, "test_size": e.test_size, "seed": d.seed}
    result |= {"train_sizes": d.sizes, "trials": d.trials, "models": d.models}
    result |= {"level": e.level, "within": e.within}
    result["tracks"] = [_track(track, split) for track, split in e.tracks.items()]
    result |= {"means": [*map(vars, e.means)], "best": [*map(vars, e.best)], "enough": e.enough}
    if e.abilities:
        result["abilities"] = {track: m.fitted.to_dict(e.level) for track, m in e.abilities.items()}
    if e.trial_abilities:
        result["trial_abilities"] = {track: found.to_dict() for track, found in e.trial_abilities.items()}
    if e.clusters is not None:
        result["covariance"] = {
            "kind": e.clusters.kind,
            "clusters": list(e.clusters.columns),
            "n_clusters": {track: list(e.clusters.n_clusters(track)) for track in e.tracks},
        }
        result["differences"] = e.differences
    if e.rankings:
        result["rankings"] = {track: [vars(r) for r in found.values()] for track, found in e.rankings.items()}
    return result


def _track(name: str, s: Split) -> dict[str, Any]:
    sizes = {"systems": len(s.train.items), "train": s.train.n_rows, "test": s.test.n_rows}
    return {"track": name, **sizes, "rule": s.rule}


def page(e: Experiment) -> Page:
    """The perplexities as curves and numbers, the answers, and the optional abilities and rankings."""
    return Page("Which model predicts best", [*_perplexities(e), *_systems(e)], f"Data: {e.source}")


def _perplexities(e: Experiment) -> Iterator[Block]:
    d, interval = e.design, f"{e.level:.0%} interval"
    tracks = (
        f"{track}: {s.train.n_rows} training and {s.test.n_rows} test comparisons of {len(s.train.items)}"
        f" systems; test: {s.rule}"
        for track, s in e.tracks.items()
    )
    yield Heading(
        f"Best (models that differ by less than the {interval} over training sets and test"
        f" {'sources' if e.clusters is None else 'clusters'} are not distinguished)"
    )
    yield Bullets(tuple(_best(b, d.trials) for b in e.best) or ("none: every mean is infinite",))
    trained = sizes_trained(e.results)
    largest, all_there_is = max(trained.values()), max(trained.values()) < max(d.sizes)
    yield Heading(f"Enough judgments (within {e.within:.1%} of the perplexity at {largest})")
    yield Bullets(tuple(_enough(model, n, largest, all_there_is) for model, n in e.enough.items()))
    yield from _curves(e)
    over = f", mean over {len(e.tracks)} tracks" if len(e.tracks) > 1 else ""
    yield Heading(
        f"Perplexity{over} (+- half the {interval} over the training sets), by training comparisons"
    )
    points = {(m.model, m.train_size): m for m in e.means}
    rows = tuple((model, *(_mean(points[model, k]) for k in d.sizes)) for model in d.models)
    yield Table(("model", *map(str, d.sizes)), rows)
    yield from _differences(e)
    yield Heading("Notes")
    yield Bullets((f"{d.trials} trials, seed {d.seed}", *tracks, *_notes(e)))


def _differences(e: Experiment) -> Iterator[Block]:
    """Differences from the best model with standard errors by clusters of the test sets."""
    if e.clusters is None:
        return
    numbers = "; ".join(
        f"{track}: {' and '.join(map(str, e.clusters.n_clusters(track)))} clusters" for track in e.tracks
    )
    keys = ("mean", "se", "low", "high", "se_train", "se_test")
    rows = []
    for d in e.differences:
        values = ("-" if d[k] != d[k] else f"{d[k]:.4f}" for k in keys)
        rows.append((str(d["train_size"]), f"{d['model']} - {d['best']}", *values))
    yield Heading(
        f"Differences from the best, {e.clusters.kind} by {' and '.join(e.clusters.columns)} ({numbers})"
    )
    heads = ("difference", "se", "low", "high", "se train", "se test")
    yield Table((Column("size"), Column("models", "left"), *heads), tuple(rows))
    if e.clusters.caution:
        yield Bullets((e.clusters.caution,))


def _systems(e: Experiment) -> Iterator[Block]:
    """Abilities and rankings of the systems of each track."""
    for track, model in e.abilities.items():
        yield Heading(f"Abilities, {track}, from all its comparisons")
        yield from _abilities(model.fitted, e.level)
        yield from _two_drawn(
            *(track, model.items),
            lambda ax, m=model: plots.plot_abilities(m.fitted, ax, level=e.level),
            lambda ax, m=model: plots.plot_preferences(m, ax),
        )
    for track, found in e.trial_abilities.items():
        about = f"{track}, {len(found.trials)} trials of {found.n_train}"
        yield Heading(
            f"Abilities, {track}, over {len(found.trials)} trials of {found.n_train} training comparisons"
        )
        yield from _trial_abilities(found)
        yield from _two_drawn(
            *(about, found.items),
            lambda ax, t=found: plots.plot_trial_abilities(t, ax),
            lambda ax, t=found: plots.plot_preferences(t.model, ax, order=t.ranking),
        )
    for track, rankings in e.rankings.items():
        yield Heading(f"Rankings, {track}, from all its comparisons, best first")
        yield Bullets(tuple(map(_ranking, rankings.values())))


def _curves(e: Experiment) -> Iterator[Block]:
    """Learning curves of all tracks, and of each if they are few."""
    size = plots.size_of_learning_curves(e.results)
    parts = {"Learning curves": e.results}
    if 1 < len(e.tracks) <= MOST_TRACKS:
        parts |= {
            f"Learning curves, {track}": tuple(r for r in e.results if r.track == track) for track in e.tracks
        }
    for title, some in parts.items():
        yield _drawn(title, size, lambda ax, r=some: plots.plot_learning_curves(r, ax, level=e.level))


def _two_drawn(about: str, items: tuple[str, ...], abilities: Any, preferences: Any) -> Iterator[Figure]:
    yield _drawn(f"Abilities, {about}", plots.size_of_abilities(items), abilities)
    said = f"Who beats whom, {about}"
    yield Figure("", said, plots.size_of_heat_map(items), preferences, title=said, keeps="shape")


def _drawn(title: str, size: tuple[float, float], draw: Any) -> Figure:
    return Figure("", title, size, draw, title=title)


def _mean(m: Mean) -> str:
    if m.n_infinite:
        return f"inf ({m.n_infinite} of {m.n})"
    half = m.high - m.mean
    return f"{m.mean:.4f} +- {half:.4f}" if half == half else f"{m.mean:.4f}"


def _best(best: Best, trials: int) -> str:
    level = f"; not distinguishable from it: {', '.join(best.level_with)}" if best.level_with else ""
    where = f" (lowest in {best.lowest_in} of {best.n_tracks} tracks)" if best.n_tracks > 1 else ""
    one = " (one trial: no interval, no comparison)" if trials == 1 else ""
    return f"{best.train_size}: {best.model}{where}{level}{one}"


def _enough(model: str, n: int | None, largest: int, all_there_is: bool) -> str:
    if n is None:
        return f"{model}: no answer, because its perplexity is infinite"
    if n != largest:
        return f"{model}: {n}"
    limit = "all the training data" if all_there_is else "the largest size that was run"
    return f"{model}: {n}, {limit}: more may help"


#: Kind of note -> what it says of many fits, without the numbers of one.
OF_MANY_FITS: Mapping[str, str] = {
    "not-mixed": (
        "chains not mixed well enough to interpret abilities (use more --draws or --chains);"
        " in the perplexities this is part of the variation between trials, which have separate chains"
    ),
    "never-compared": "some systems are never compared",
    "no-finite-estimate": "some pairs have no finite estimate, so pooled rates are used",
}


def _notes(e: Experiment) -> Iterator[str]:
    """The notes that fits made, each once with its count."""
    fits = Counter(r.model for r in e.results)
    said = Counter((r.model, OF_MANY_FITS.get(note.kind, note.text)) for r in e.results for note in r.notes)
    for (model, text), n in said.items():
        yield f"{model}: {text} ({n} of {fits[model]} fits)"
    for model, n in Counter(r.model for r in e.results if r.impossible).items():
        yield f"{model}: {n} of {fits[model]} perplexities are infinite: an outcome with probability 0 occurred"
    samples = e.design.trials * len(e.tracks)
    for size, n in sorted(Counter(r.train_size for r in e.results if r.unseen).items()):
        yield (
            f"at {size} training comparisons the test set of {n // len(e.design.models)} of {samples} samples"
            " has systems that are missing from the sample"
        )


def _abilities(posterior: Posterior, level: float) -> Iterator[Block]:
    frame = posterior.to_frame(level)
    rows = tuple(
        tuple(f"{value:.3f}" if isinstance(value, float) else str(value) for value in row)
        for row in frame.itertuples(index=False)
    )
    yield Table(tuple(map(str, frame.columns)), rows)
    mixing = [f"NOT MIXED: {posterior.mixing}"] if posterior.mixing else []
    if posterior.notes or mixing:
        yield Bullets((*map(str, posterior.notes), *mixing))


def _trial_abilities(found: TrialAbilities) -> Iterator[Block]:
    numbers = zip(found.mean, found.sd, found.n_seen)
    row = {i: (i, f"{mean:.3f}", f"{sd:.3f}", str(n)) for i, (mean, sd, n) in zip(found.items, numbers)}
    yield Table(("item", "mean", "sd", "trials"), tuple(row[item] for item in found.ranking))
    if found.notes:
        yield Bullets(tuple(found.notes))


def _ranking(r: Ranking) -> str:
    notes = "; ".join(r.notes)
    if not r.ranking:
        return f"{r.rule}: {notes}"
    return f"{r.rule}: {', '.join(r.ranking)}" + (f" ({notes})" if notes else "")
