"""An experiment of `pairproof compare-models` as text, JSON, Markdown or one HTML page: views of the same
results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...native.experiment.models import PreferenceModel
from ...native.experiment.run import Design
from ...native.experiment.splits import Split
from ...native.experiment.summary import (
    Best,
    Mean,
    Result,
    best_by_size,
    judgments_enough,
    means,
    sizes_trained,
)
from ...native.experiment.trial_abilities import TrialAbilities
from ...native.irt.posterior import Posterior
from ...native.ranking.all_rules import Ranking
from ..state import State, json_text

#: Curves of more tracks than this make a page nobody reads; the JSON has all numbers.
MOST_TRACKS = 30


@dataclass(frozen=True, eq=False)
class Experiment:
    """What was run, and what came out.

    Attributes
    ----------
    source : str
    tracks : mapping of track to Split
    design : Design
    results : tuple of Result
    test_size : int
        Asked for, of each track; rows have what there was.
    within, level : float
    abilities : mapping of track to PreferenceModel
        irt-gaussian on all comparisons of the track; empty if not asked for.
    trial_abilities : mapping of track to TrialAbilities
        Over the trials, at one training size; empty if not asked for.
    rankings : mapping of track to mapping of rule to Ranking
        From all comparisons of the track; empty if not asked for.
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

    @property
    def means(self) -> list[Mean]:
        return means(self.results, self.level)

    @property
    def best(self) -> list[Best]:
        return best_by_size(self.results, self.level)

    @property
    def enough(self) -> dict[str, int | None]:
        return judgments_enough(self.results, self.within)

    def document(self) -> dict[str, Any]:
        """The JSON of `compare-models`; an infinite perplexity is null beside its `impossible`
        comparisons.
        """
        d = self.design
        result: dict[str, Any] = {
            "perplexity": [r.to_dict() for r in self.results],
            "test_size": self.test_size,
            "seed": d.seed,
            "train_sizes": list(d.sizes),
            "trials": d.trials,
            "models": list(d.models),
            "level": self.level,
            "within": self.within,
            "tracks": [
                {
                    "track": t,
                    "systems": len(s.train.items),
                    "train": s.train.n_rows,
                    "test": s.test.n_rows,
                    "rule": s.rule,
                }
                for t, s in self.tracks.items()
            ],
            "means": [vars(m) for m in self.means],
            "best": [vars(b) for b in self.best],
            "enough": self.enough,
        }
        if self.abilities:
            result["abilities"] = {
                track: _posterior(m).to_dict(self.level) for track, m in self.abilities.items()
            }
        if self.trial_abilities:
            result["trial_abilities"] = {
                track: found.to_dict() for track, found in self.trial_abilities.items()
            }
        if self.rankings:
            result["rankings"] = {
                track: [vars(r) for r in found.values()] for track, found in self.rankings.items()
            }
        return result

    def text(self) -> str:
        """For a terminal."""
        return "\n".join(
            line
            for title, lines in self.sections()
            for line in (*([title] if title else []), *(f"  {x}" for x in lines), "")
        ).rstrip()

    def sections(self) -> Iterator[tuple[str, list[str]]]:
        """Titles with their lines."""
        d = self.design
        yield f"{self.source}: {d.trials} trials, seed {d.seed}", [
            f"{track}: {s.train.n_rows} training and {s.test.n_rows} test comparisons of {len(s.train.items)} systems; test: {s.rule}"
            for track, s in self.tracks.items()
        ]
        over = f", mean over {len(self.tracks)} tracks" if len(self.tracks) > 1 else ""
        yield f"Perplexity{over} (+- half the {self.level:.0%} interval over the training sets), by training comparisons:", self._table()
        yield f"Best (models that differ by less than the {self.level:.0%} interval over training sets and test sources are not told apart):", [
            _best_sentence(b, d.trials) for b in self.best
        ] or [
            "none: every mean is infinite"
        ]
        trained = sizes_trained(self.results)
        largest, all_there_is = max(trained.values()), max(trained.values()) < max(d.sizes)
        yield f"Enough judgments (within {self.within:.1%} of the perplexity at {largest}):", [
            _enough_sentence(model, n, largest, all_there_is) for model, n in self.enough.items()
        ]
        notes = self._notes()
        if notes:
            yield "Notes:", notes
        for track, model in self.abilities.items():
            yield f"Abilities, {track}, from all its comparisons:", _abilities(_posterior(model), self.level)
        for track, found in self.trial_abilities.items():
            yield f"Abilities, {track}, over {len(found.trials)} trials of {found.n_train} training comparisons:", _trial_abilities(
                found
            )
        for track, rankings in self.rankings.items():
            yield f"Rankings, {track}, from all its comparisons, best first:", [
                f"{r.rule}: {', '.join(r.ranking)}"
                + (f" ({'; '.join(r.notes)})" if r.ranking and r.notes else "; ".join(r.notes))
                for r in rankings.values()
            ]

    def _table(self) -> list[str]:
        width = max(map(len, self.design.models))
        points = {(m.model, m.train_size): m for m in self.means}
        rows = [" " * width + "".join(f"{k:>18}" for k in self.design.sizes)]
        for model in self.design.models:
            rows.append(
                f"{model:<{width}}" + "".join(f"{_cell(points[model, k]):>18}" for k in self.design.sizes)
            )
        return rows

    def _notes(self) -> list[str]:
        """What fits said of themselves, each once with its count."""
        said = Counter((r.model, _kind(note)) for r in self.results for note in r.notes)
        fits = Counter(r.model for r in self.results)
        lines = [f"{model}: {note} ({n} of {fits[model]} fits)" for (model, note), n in said.items()]
        infinite = Counter(r.model for r in self.results if r.impossible)
        lines += [
            f"{model}: {n} of {fits[model]} perplexities are infinite: something with probability 0 happened"
            for model, n in infinite.items()
        ]
        unseen = Counter(r.train_size for r in self.results if r.unseen)
        lines += [
            f"at {size} training comparisons the test set of {n // len(self.design.models)} of "
            f"{self.design.trials * len(self.tracks)} samples has systems that the sample has not"
            for size, n in sorted(unseen.items())
        ]
        return lines


def _posterior(model: PreferenceModel) -> Posterior:
    found: Posterior = model.fitted
    return found


def _cell(m: Mean) -> str:
    if m.n_infinite:
        return f"inf ({m.n_infinite} of {m.n})"
    half = m.high - m.mean
    return f"{m.mean:.4f} +- {half:.4f}" if half == half else f"{m.mean:.4f}"


def _kind(note: str) -> str:
    """A note without the numbers of one fit."""
    for start, words in (
        (
            "not mixed:",
            "chains not mixed well enough to read abilities from (more --draws or --chains); in the perplexities it is part of the spread "
            "between trials, each having chains of its own",
        ),
        ("never compared", "some systems are never compared in it"),
    ):
        if note.startswith(start):
            return words
    return (
        "some pairs have no finite estimate: pooled rates for them" if "no finite estimate" in note else note
    )


def _best_sentence(best: Best, trials: int) -> str:
    level = f"; not told from it: {', '.join(best.level_with)}" if best.level_with else ""
    where = f" (lowest in {best.lowest_in} of {best.n_tracks} tracks)" if best.n_tracks > 1 else ""
    one = " (one trial: no interval, nothing is told apart)" if trials == 1 else ""
    return f"{best.train_size}: {best.model}{where}{level}{one}"


def _enough_sentence(model: str, n: int | None, largest: int, all_there_is: bool) -> str:
    if n is None:
        return f"{model}: no answer, its perplexity there is infinite"
    return f"{model}: {n}" + (
        ""
        if n != largest
        else ", all there is to train on: more may help"
        if all_there_is
        else ", the largest that was run: more may help"
    )


def _abilities(posterior: Posterior, level: float) -> list[str]:
    frame = posterior.to_frame(level)
    return [
        *frame.to_string(index=False, float_format=lambda v: f"{v:.3f}").splitlines(),
        *posterior.notes,
        *([f"NOT MIXED: {posterior.mixing}"] if posterior.mixing else []),
    ]


def _trial_abilities(found: TrialAbilities) -> list[str]:
    width = max(map(len, found.items))
    values = {name: (m, s, n) for name, m, s, n in zip(found.items, found.mean, found.sd, found.n_seen)}
    return [
        f"{'item':<{width}}    mean      sd  trials",
        *(
            f"{name:<{width}}  {values[name][0]:6.3f}  {values[name][1]:6.3f}  {values[name][2]:6d}"
            for name in found.ranking
        ),
        *found.notes,
    ]


# -- files
# -----------------------------------------------------------------------------------------------------------


def write(state: State, path: Path, experiment: Experiment) -> None:
    """A report; its suffix says which."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        content = json_text(experiment.document()) + "\n"
    else:
        content = html(experiment) if suffix == ".html" else markdown(experiment)
    state.write(path, content)


def markdown(experiment: Experiment) -> str:
    import re

    body = experiment.text()
    # A fence longer than any run of backquotes inside: names may hold them.
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", body)), default=0))
    return f"# Which model predicts best\n\n{fence}\n{body}\n{fence}\n"


def html(experiment: Experiment) -> str:
    """One self-contained page."""
    from importlib.resources import files

    from jinja2 import Environment, StrictUndefined

    import pairproof

    template = files(__package__).joinpath("competitions.html.j2").read_text(encoding="utf-8")
    page = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(template)
    rendered: str = page.render(
        version=pairproof.__version__,
        sections=list(experiment.sections()),
        drawings=list(_drawings(experiment)),
        source=experiment.source,
    )
    return rendered


def _drawings(experiment: Experiment) -> Iterator[tuple[str, str]]:
    from ...native.experiment.plots import (
        plot_abilities,
        plot_learning_curves,
        plot_preferences,
        plot_trial_abilities,
        size_of_abilities,
        size_of_heat_map,
        size_of_learning_curves,
    )

    tracks, curves = list(experiment.tracks), size_of_learning_curves(experiment.results)
    yield "Learning curves", _picture(
        curves,
        "Learning curves",
        lambda ax: plot_learning_curves(experiment.results, ax, level=experiment.level),
    )
    if 1 < len(tracks) <= MOST_TRACKS:
        for track in tracks:
            one: Sequence[Result] = [r for r in experiment.results if r.track == track]
            yield f"Learning curves, {track}", _picture(
                curves,
                f"Learning curves, {track}",
                lambda ax, one=one: plot_learning_curves(one, ax, level=experiment.level),
            )
    for track, model in experiment.abilities.items():
        yield f"Abilities, {track}", _picture(
            size_of_abilities(model.items),
            f"Abilities, {track}",
            lambda ax, m=model: plot_abilities(_posterior(m), ax, level=experiment.level),
        )
        yield f"Who beats whom, {track}", _picture(
            size_of_heat_map(model.items),
            f"Preferences, {track}",
            lambda ax, m=model: plot_preferences(m, ax),
        )
    for track, found in experiment.trial_abilities.items():
        words = f"{track}, {len(found.trials)} trials of {found.n_train}"
        yield f"Abilities, {words}", _picture(
            size_of_abilities(found.items),
            f"Abilities, {words}",
            lambda ax, t=found: plot_trial_abilities(t, ax),
        )
        yield f"Who beats whom, {words}", _picture(
            size_of_heat_map(found.items),
            f"Preferences, {words}",
            lambda ax, t=found: plot_preferences(t.model, ax, order=t.ranking),
        )


def _picture(size: tuple[float, float], title: str, draw: Any) -> str:
    from matplotlib.figure import Figure

    from ...campaign.report import svg

    figure = Figure(figsize=size, layout="constrained")
    draw(figure.subplots())
    return svg(figure, title, {})
