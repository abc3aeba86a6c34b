"""Hopkins and May (2013): their experiment run again on the rankings of WMT10, WMT11 and WMT12, as figures 2
to 6, and what clustering does to it.

Under clustering: three systems and four bands of one track, and how much longer standard errors get in every
track.

Only where the rankings are (they are read in place); elsewhere there is no story, and the claims say that
they did not run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import ndtr

from ....bridge.process.policy import Backend
from ....errors import DataNotHere
from ....native.competitions.experiment.competition_plots import (
    plot_learning_curves,
    plot_preferences,
    plot_trial_abilities,
    size_of_abilities,
    size_of_heat_map,
)
from ....native.competitions.experiment.curve_summaries import Result, difference, means
from ....native.competitions.experiment.held_out import Split
from ....native.competitions.experiment.learning_curves import TrialAbilities
from ....native.competitions.experiment.preference_models import ModelName
from ....report.blocks import Figure, Table
from ...check.checker import Checker
from ...claims.data import table_of
from ...report.context import Story
from ...statements.under_clustering import effects_of, ways_table
from ...verdicts.agreement import Agreement
from ..told import Words
from .computations import clusters_of, one_track, read_tracks
from .statements_experiment import PAPER_MODELS, SEED, abilities_of, paper_design, paper_splits, results_of
from .statements_systems import WAYS, TrackTold, fit_track, p_better_from_all, told_apart

WORDS = Words(__package__)
ALPHA = 0.05
#: Years and the claim that names their tracks.
YEARS = tuple((year, f"sizes-of-competitions-{year}") for year in ("wmt10", "wmt11", "wmt12"))


def english_czech(checker: Checker) -> Story:
    """The paper's three systems that no order can be given, from all comparisons."""
    args = checker.paper.claim("arbitrary-order-by-cluster").test_args
    track = one_track(table_of(checker.paper, "wmt11"), args["tracks"], args["track"])
    pairs = list(combinations(args["systems"], 2))
    fit = fit_track(track)
    effects = effects_of(fit, WAYS, pairs)
    better = p_better_from_all(track, pairs)
    alone = [e.name for e in effects if e.independent.significant(ALPHA)]
    still = [e.name for e in effects if any(test.significant(ALPHA) for test in e.clustered)]
    z = {way: fit.clustered(way, kind="CR1").contrast(*pairs[0]).z for way in ("judge", "source")}
    judge, source, both = effects[0].clustered
    counts = np.sort(clusters_of(track, "judge"))[::-1]
    return WORDS.section(
        "three-systems",
        ways_table(effects, ALPHA, WORDS.say("three-systems-table", track=track)),
        track=track,
        better=", ".join(f"P({a} better than {b}) is {p:.3f}" for (a, b), p in better.items()),
        alone=" and ".join(alone) or "none",
        conclusion=f"{' and '.join(still)} still do" if still else WORDS.say("none-is"),
        first=effects[0],
        z=z,
        p={way: float(ndtr(value)) for way, value in z.items()},
        judge=judge,
        source=source,
        both=both,
        judges=len(counts),
        busiest=100 * counts[:5].sum() / counts.sum(),
    )


# -- every track ---------------------------------------------------------------------------------------------


def every_track(checker: Checker) -> Story:
    """How much larger standard errors get by judge and by segment, and how many pairs stay significant."""
    found: dict[str, TrackTold] = {}
    for year, claim in YEARS:
        named = checker.paper.claim(claim).test_args["tracks"]
        for name, table in read_tracks(table_of(checker.paper, year), named).items():
            found[f"{year.upper()}\u00a0{name}"] = told_apart(table, ALPHA)
    total = sum(told.significant for told in found.values())
    of_ways = [[told.ways[k] for told in found.values()] for k in range(len(WAYS))]
    remain = ", ".join(f"{sum(w.remain for w in own):,} by {way}" for way, own in zip(WAYS, of_ways))
    heads = (
        *("track", "comparisons", "judges", "sources", "pairs", "significant"),
        *(f"{what} {way}" for way in WAYS for what in ("se ratio by", "remain by")),
    )
    lines = tuple(_line(name, told) for name, told in found.items())
    ratios = [(way, [w.ratio for w in own]) for way, own in zip(WAYS, of_ways)]
    ranges = [f"{min(own):.1f} to {max(own):.1f} by {way}" for way, own in ratios]
    shown, n = Table(heads, lines, WORDS.say("every-track-table")), len(found)
    return WORDS.section("every-track", shown, ratios=ranges, remain=remain, tracks=n, total=total)


def _line(name: str, told: TrackTold) -> tuple[str, ...]:
    numbers = (*told.ways[-1].n_clusters, told.n_pairs, told.significant)
    cells = [name, f"{told.n_comparisons:,.0f}", *map(str, numbers)]
    for way in told.ways:
        cells += [f"{way.ratio:.2f}", str(way.remain)]
    return tuple(cells)


#: Models that the paper did not have, on the same training sets; llbt predicts what davidson does.
BESIDE: tuple[ModelName, ...] = ("bradley-terry", "davidson", "rao-kupper")
#: Figure -> data set, claim whose tracks they are, what the paper says.
FIGURES = (
    (2, "wmt10", "best-models-wmt10"),
    (3, "wmt11", "best-models-wmt11"),
    (4, "wmt12", "indistinguishable-wmt12"),
)
CURVES = (8.6, 4.4)


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """The models against R: in digits where they are arithmetic, by Monte Carlo error where drawn."""
    from .beside_r import preference_rows, sampled_rows

    table_2 = checker.data("table-1")
    return preference_rows(table_2, backend) + sampled_rows(table_2, backend)


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """A section for each figure that can be drawn; one that says why, for the others."""
    made: list[tuple[str, Callable[[Checker], Story]]] = [
        (f"Figure {number}", partial(_learning_curves, number=number, data=data, claim=claim))
        for number, data, claim in FIGURES
    ]
    made += [("Figure 5", _crowd), ("Figure 6", _english_czech)]
    made += [("Three systems under clustering", english_czech), ("Every track under clustering", every_track)]
    sections: list[Story] = []
    missing = []
    for what, section in made:
        try:
            sections.append(section(checker))
        except DataNotHere as error:
            missing.append(f"{what}: {error}")
    if missing:
        sections.append(Story("Figures and tables that could not be made", tuple(missing)))
    return tuple(sections)


def _splits(checker: Checker, data: str, claim: str, train: str = "") -> dict[str, Split]:
    tracks = checker.paper.claim(claim).test_args["tracks"]
    other = read_tracks(table_of(checker.paper, train), tracks) if train else None
    return paper_splits(read_tracks(table_of(checker.paper, data), tracks), other)


def _results(splits: dict[str, Split]) -> tuple[Result, ...]:
    """The paper's models, and ours on the same training sets."""
    return results_of(splits, paper_design()) + results_of(splits, paper_design(BESIDE))


def _table(results: Sequence[Result], caption: str) -> Table:
    points = {(m.model, m.train_size): m for m in means(results)}
    sizes = sorted({size for _, size in points})
    lowest = {size: min(m.mean for (_, k), m in points.items() if k == size) for size in sizes}
    marked = {at: f"{m.mean:.3f}{'*' * (m.mean == lowest[at[1]])}" for at, m in points.items()}
    rows = [(m, *(marked[m, k] for k in sizes)) for m in dict.fromkeys(model for model, _ in points)]
    return Table(("mean perplexity", *map(str, sizes)), tuple(rows), caption)


def _described(results: Sequence[Result]) -> str:
    largest = max(r.train_size for r in results)
    last = sorted((m.mean, m.model) for m in means(results) if m.train_size == largest)
    listed = ", ".join(f"{model} {value:.3f}" for value, model in last)
    return f"Mean perplexity at {largest} training comparisons: {listed}."


def _learning_curves(checker: Checker, number: int, data: str, claim: str) -> Story:
    splits = _splits(checker, data, claim)
    results = _results(splits)
    n = f"{len(splits)} tracks, 5 trials each, seed {SEED}"
    year = data.upper()
    caption, drawn = WORDS.say("curves", number=number, year=year), partial(plot_learning_curves, results)
    figure = Figure(caption, _described(results), CURVES, drawn)
    return WORDS.section(
        "learning-curves",
        _table(results, f"{year}, {n}; * lowest"),
        (figure,),
        number=number,
        year=year,
        n=n,
        rest=" " + WORDS.say("tuned") if number == 2 else "",
        short=_short(results),
        **_beside(results),
    )


def _short(results: Sequence[Result]) -> str:
    """Tracks whose training set is smaller than the largest size."""
    largest = max(r.train_size for r in results)
    short = {r.track: r.n_train for r in results if r.train_size == largest and r.n_train < largest}
    if not short:
        return ""
    tracks = ", ".join(f"{track} {n}" for track, n in short.items())
    what = f"Tracks with fewer than {largest} training comparisons, where all trials use the same set"
    return f" {what}: {tracks}."


def _beside(results: Sequence[Result]) -> dict[str, Any]:
    """How models by maximum likelihood do beside the paper's best, in numbers, by training size."""
    points = {(m.model, m.train_size): m.mean for m in means(results)}
    sizes = sorted({size for _, size in points})
    theirs, ours = (
        {k: min(models, key=lambda m: points[m, k]) for k in sizes} for models in (PAPER_MODELS, BESIDE)
    )
    last, first = sizes[-1], sizes[0]
    one, other = (
        [r for r in results if r.model == best[last] and r.train_size == last] for best in (theirs, ours)
    )
    apart = difference(one, other)
    ahead = [k for k in sizes if points[ours[k], k] < points[theirs[k], k]]
    at = f"lower than the paper's best at {', '.join(map(str, ahead))} comparisons"
    found: dict[str, Any] = {"apart": apart, "last": last, "first": first}
    found["lower"] = at if ahead else "never lower than the paper's best"
    found["told"] = "distinguished" if apart.low > 0 or apart.high < 0 else "not distinguished"
    for whose, best in (("ours", ours), ("theirs", theirs)):
        mean = {k: f"{points[best[k], k]:.3f}" for k in (first, last)}
        found[whose] = {"last": f"{mean[last]} ({best[last]})", "first": mean[first]}
    return found


def _crowd(checker: Checker) -> Story:
    claim = "crowd-irt-robust"
    experts = results_of(_splits(checker, "wmt10", claim), paper_design())
    crowd = results_of(_splits(checker, "wmt10", claim, "wmt10-crowd"), paper_design())
    shown = ("students-geometric", "irt-gaussian", "irt-categorical")

    def named(results: Sequence[Result], who: str) -> list[Result]:
        return [replace(r, model=f"{r.model}, {who}") for r in results if r.model in shown]

    results = [*named(experts, "experts"), *named(crowd, "crowd")]
    drawn = partial(plot_learning_curves, results)
    figure = Figure(WORDS.say("crowd-curves"), _described(results), CURVES, drawn)
    return WORDS.section("crowd", _table(results, "WMT10, 6 tracks, 5 trials"), (figure,))


def _english_czech(checker: Checker) -> Story:
    split = _splits(checker, "wmt11", "bands")["ec"]
    found = abilities_of(split, "ec", 1600)
    places = [(name, found.items.index(name)) for name in found.ranking]
    values = (f"{k} {s} {found.mean[at]:.2f} ({found.sd[at]:.2f})" for k, (s, at) in enumerate(places, 1))
    said, drawn = f"Mean (sd): {', '.join(values)}.", partial(plot_trial_abilities, found)
    size = size_of_abilities([f"{len(places)}. {name}" for name in found.items])
    abilities = Figure(WORDS.say("abilities"), said, size, drawn)
    size = size_of_heat_map(found.items)
    heat_map = Figure(WORDS.say("preferences"), _bands(found), size, partial(_heat_map, found), keeps="shape")
    return WORDS.section("english-czech", figures=(abilities, heat_map))


def _bands(found: TrialAbilities) -> str:
    return "Bands at the three widest gaps: " + "; ".join(", ".join(band) for band in found.bands(4)) + "."


def _heat_map(found: TrialAbilities, ax: Any) -> Any:
    return plot_preferences(found.model, ax, order=found.ranking)
