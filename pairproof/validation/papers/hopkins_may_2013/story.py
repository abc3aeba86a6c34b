"""Hopkins and May (2013): their experiment run again on the rankings of WMT10, WMT11 and WMT12, as figures 2
to 6, and what clustering does to it.

Under clustering: three systems and four bands of one track, and how much longer standard errors get in every
track.

Only where the rankings are (they are read in place); elsewhere there is no story, and the claims say that
they did not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from ....bridge.process.policy import Backend
from ....data.comparisons import Comparisons
from ....errors import DataNotHere
from ....fit.fit import Fit
from ....native.competitions.experiment.competition_plots import (
    plot_learning_curves,
    plot_preferences,
    plot_trial_abilities,
    size_of_abilities,
    size_of_heat_map,
)
from ....native.competitions.experiment.curve_summaries import Difference, Result, difference, means
from ....native.competitions.experiment.held_out import Split
from ....native.competitions.experiment.learning_curves import TrialAbilities
from ....native.competitions.experiment.preference_models import ModelName
from ....report.blocks import Column, Figure, Table
from ...check.checker import Checker
from ...claims.data import table_of
from ...report.context import Story
from ...statements.under_clustering import Effect, effects_of, ways_table
from ...verdicts.agreement import Agreement
from .computations import one_track, read_tracks
from .statements_experiment import PAPER_MODELS, SEED, abilities_of, paper_design, paper_splits, results_of
from .statements_systems import WAYS, TrackTold, clusters_of, fit_track, p_better_from_all, told_apart

ALPHA = 0.05
#: Years and the claim that names their tracks.
YEARS = (
    ("wmt10", "sizes-of-competitions-wmt10"),
    ("wmt11", "sizes-of-competitions-wmt11"),
    ("wmt12", "sizes-of-competitions-wmt12"),
)


def english_czech(checker: Checker) -> Story:
    """The paper's three systems that no order can be given, from all comparisons."""
    args = next(c for c in checker.paper.claims if c.id == "arbitrary-order-by-cluster").test_args
    track = one_track(table_of(checker.paper, "wmt11"), args["tracks"], args["track"])
    pairs = list(combinations(args["systems"], 2))
    fit = fit_track(track)
    effects = effects_of(fit, WAYS, pairs)
    return Story(
        "English-Czech, WMT11, under clustering: three systems",
        (_three_systems(track, pairs, effects), _first_pair(track, fit, pairs[0], effects[0])),
        ways_table(
            effects,
            ALPHA,
            (
                f"Davidson's model of all {track.n_comparisons:,.0f} comparisons, lambda scale; CR2,"
                " Satterthwaite's degrees of freedom; by both columns the largest of the three standard"
                " errors"
            ),
        ),
    )


def _three_systems(track: Comparisons, pairs: Sequence[tuple[str, str]], effects: Sequence[Effect]) -> str:
    better = p_better_from_all(track, pairs)
    alone = [e.name for e in effects if e.independent.significant(ALPHA)]
    still = [e.name for e in effects if any(test.significant(ALPHA) for test in e.clustered)]
    conclusion = (
        f"told from 0 are {' and '.join(still)}"
        if still
        else "none is, and the paper's conclusion stands from all comparisons too"
    )
    return (
        "The paper says of online-B, cu-bojar and cu-marecek that any order is essentially arbitrary, from"
        f" 1,600 comparisons. All {track.n_comparisons:,.0f} of the track, taken as independent, contradict"
        " it: by the paper's own model "
        + ", ".join(f"P({a} better than {b}) is {p:.3f}" for (a, b), p in better.items())
        + f", and by Davidson's model {' and '.join(alone) or 'none'} are told from 0. They are not"
        f" independent: clustered by judge, by source segment or by both, {conclusion}."
    )


def _first_pair(track: Comparisons, fit: Fit, pair: tuple[str, str], effect: Effect) -> str:
    """One pair with the corrections of other programs, and why judges leave so few degrees of freedom."""
    z = {way: fit.clustered(way, kind="CR1").contrast(*pair).z for way in ("judge", "source")}
    judge, source, both = effect.clustered
    counts = np.sort(clusters_of(track, "judge"))[::-1]
    return (
        f"{effect.name}: z = {effect.independent.statistic:.2f} with independent answers, P ="
        f" {effect.independent.p_above:.3f}. With CR1 and the normal distribution, as many programs have it,"
        f" {z['judge']:.2f} by judge and {z['source']:.2f} by source segment (P ="
        f" {_normal(z['judge']):.3f} and {_normal(z['source']):.3f}); with CR2 and its degrees of freedom t ="
        f" {judge.statistic:.2f} on {judge.df:.1f} by judge (P = {judge.p_above:.3f}),"
        f" {source.statistic:.2f} on {source.df:.0f} by source segment (P = {source.p_above:.3f}),"
        f" {both.statistic:.2f} on {both.df:.1f} by both (P = {both.p_above:.3f}). Of {len(counts)} judges"
        f" the five busiest gave {100 * counts[:5].sum() / counts.sum():.0f} % of the answers, which is why"
        " they leave so few degrees of freedom."
    )


def _normal(z: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(z))


# -- every track ---------------------------------------------------------------------------------------------


def every_track(checker: Checker) -> Story:
    """How much longer standard errors get by judge and by segment, and how many pairs stay significant."""
    found: dict[str, TrackTold] = {}
    for year, claim in YEARS:
        named = next(c.test_args["tracks"] for c in checker.paper.claims if c.id == claim)
        for name, table in read_tracks(table_of(checker.paper, year), named).items():
            found[f"{year.upper()}\u00a0{name}"] = told_apart(table, ALPHA)
    return Story(
        "Every track under clustering: how much longer standard errors get",
        (_ranges(found),),
        Table(
            (
                Column("track", "left"),
                *map(Column, ("comparisons", "judges", "sources", "pairs", "significant")),
                *(Column(f"{what} {way}") for way in WAYS for what in ("se ratio by", "remain by")),
            ),
            tuple(_line(name, told) for name, told in found.items()),
            (
                "Davidson's model of all comparisons of a track; pairs of systems significant at 5 %, each by"
                " itself; se ratio: median over the pairs of the clustered (CR2) over the model's own"
                " standard error; remain: of the significant pairs those that stay so by the t test of"
                " that way"
            ),
        ),
    )


def _ranges(found: Mapping[str, TrackTold]) -> str:
    def of(k: int) -> str:
        ratios = [told.ways[k].ratio for told in found.values()]
        return f"{min(ratios):.1f} to {max(ratios):.1f} by {WAYS[k]}"

    total = sum(told.significant for told in found.values())
    remain = ", ".join(
        f"{sum(told.ways[k].remain for told in found.values()):,} by {way}" for k, way in enumerate(WAYS)
    )
    return (
        f"The median over the pairs of systems of clustered over model-based standard errors is {of(0)},"
        f" {of(1)} and {of(2)}, over {len(found)} tracks. Of {total:,} pairs that are significant with"
        f" independent answers {remain} remain so. A part of this is not the judges' doing: one ranking of"
        " five systems counts as ten comparisons, which alone makes standard errors of equal systems 1.41"
        " times as long as the model has them; every ranking is one judge's, on one segment, so both ways of"
        " clustering include it."
    )


def _line(name: str, told: TrackTold) -> tuple[str, ...]:
    both = told.ways[-1].n_clusters
    cells = [
        name,
        f"{told.n_comparisons:,.0f}",
        str(both[0]),
        str(both[1]),
        str(told.n_pairs),
        str(told.significant),
    ]
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
    sections: list[Story] = []
    missing = []
    for number, data, claim in FIGURES:
        try:
            sections.append(_learning_curves(checker, number, data, claim))
        except DataNotHere as error:
            missing.append(f"Figure {number}: {error}")
    for number, made in ((5, _crowd), (6, _english_czech)):
        try:
            sections.append(made(checker))
        except DataNotHere as error:
            missing.append(f"Figure {number}: {error}")
    for what, story_of in (("Three systems", english_czech), ("Every track", every_track)):
        try:
            sections.append(story_of(checker))
        except DataNotHere as error:
            missing.append(f"{what} under clustering: {error}")
    if missing:
        sections.append(Story("Figures and tables that were not made", tuple(missing)))
    return tuple(sections)


def _splits(checker: Checker, data: str, claim: str, train: str = "") -> dict[str, Split]:
    tracks = next(c.test_args["tracks"] for c in checker.paper.claims if c.id == claim)
    other = read_tracks(table_of(checker.paper, train), tracks) if train else None
    return paper_splits(read_tracks(table_of(checker.paper, data), tracks), other)


def _results(splits: dict[str, Split]) -> tuple[Result, ...]:
    """The paper's models, and ours on the same training sets."""
    return results_of(splits, paper_design()) + results_of(splits, paper_design(BESIDE))


def _table(results: Sequence[Result], caption: str) -> Table:
    points = {(m.model, m.train_size): m for m in means(results)}
    sizes = sorted({size for _, size in points})
    lowest = {size: min(m.mean for (_, k), m in points.items() if k == size) for size in sizes}
    rows = [
        (
            model,
            *(
                f"{points[model, k].mean:.3f}{'*' if points[model, k].mean == lowest[k] else ''}"
                for k in sizes
            ),
        )
        for model in dict.fromkeys(model for model, _ in points)
    ]
    return Table(("mean perplexity", *map(str, sizes)), tuple(rows), caption)


def _described(results: Sequence[Result]) -> str:
    largest = max(r.train_size for r in results)
    last = sorted((m.mean, m.model) for m in means(results) if m.train_size == largest)
    return (
        f"Mean perplexity at {largest} training comparisons: "
        + ", ".join(f"{model} {value:.3f}" for value, model in last)
        + "."
    )


def _learning_curves(checker: Checker, number: int, data: str, claim: str) -> Story:
    splits = _splits(checker, data, claim)
    results = _results(splits)
    n = f"{len(splits)} tracks, 5 trials each, seed {SEED}"
    rest = (
        ""
        if number != 2
        else " German-English and English-German are left out: the paper tuned its constants on them."
    )
    paragraphs = (
        (
            f"Figure {number} of the paper, run again: {n}; every model of a trial is fitted on the same"
            " comparisons and judged on the track's test set, that of Table 3. One chain of 200 iterations"
            f" for each item-response model, as in the paper.{rest}{_short(results)}"
        ),
        _beside(results),
    )
    figure = Figure(
        (
            f"Figure {number} of the paper, {data.upper()}: perplexity by training comparisons; bars are 95 %"
            " intervals over the training sets."
        ),
        _described(results),
        CURVES,
        partial(plot_learning_curves, results),
    )
    return Story(
        f"Figure {number}: {data.upper()}",
        paragraphs,
        _table(results, f"{data.upper()}, {n}; * lowest"),
        (figure,),
    )


def _short(results: Sequence[Result]) -> str:
    """Tracks whose training set is smaller than the largest size."""
    largest = max(r.train_size for r in results)
    short = {r.track: r.n_train for r in results if r.train_size == largest and r.n_train < largest}
    if not short:
        return ""
    return (
        f" Fewer than {largest} to train on, so that all their trials there are one set:"
        f" {', '.join(f'{track} {n}' for track, n in short.items())}."
    )


def _beside(results: Sequence[Result]) -> str:
    """How models by maximum likelihood do beside the paper's best, in numbers."""
    points = {(m.model, m.train_size): m.mean for m in means(results)}
    sizes = sorted({size for _, size in points})

    def best(models: Sequence[str], size: int) -> str:
        return min(models, key=lambda m: points[m, size])

    def gap(size: int) -> Difference:
        one, other = (
            ([r for r in results if r.model == best(models, size) and r.train_size == size])
            for models in (PAPER_MODELS, BESIDE)
        )
        return difference(one, other)

    ahead = [k for k in sizes if points[best(BESIDE, k), k] < points[best(PAPER_MODELS, k), k]]
    said = (
        f"lower than the paper's best at {', '.join(map(str, ahead))} comparisons"
        if ahead
        else "nowhere lower than the paper's best"
    )
    last, first, apart = sizes[-1], sizes[0], gap(sizes[-1])
    told = "told apart" if apart.low > 0 or apart.high < 0 else "not told apart"
    return (
        "Bradley-Terry with ties by maximum likelihood, which the paper does not compare, stands beside them"
        f" on the same training sets. Its mean is {said}: at"
        f" {last} {points[best(BESIDE, last), last]:.3f} ({best(BESIDE, last)}) against"
        f" {points[best(PAPER_MODELS, last), last]:.3f} ({best(PAPER_MODELS, last)}), {told} over training"
        f" sets and test sources (95 % interval of the difference {apart.low:.4f} to {apart.high:.4f}; lower"
        f" in {apart.positive_in} of {apart.n_tracks} tracks). At {first} it has"
        f" {points[best(BESIDE, first), first]:.3f} against {points[best(PAPER_MODELS, first), first]:.3f}:"
        " it has no prior, and pairs without a finite estimate get pooled rates."
    )


def _crowd(checker: Checker) -> Story:
    claim = "crowd-irt-robust"
    experts = results_of(_splits(checker, "wmt10", claim), paper_design())
    crowd = results_of(_splits(checker, "wmt10", claim, "wmt10-crowd"), paper_design())
    shown = ("students-geometric", "irt-gaussian", "irt-categorical")

    def named(results: Sequence[Result], who: str) -> list[Result]:
        return [replace(r, model=f"{r.model}, {who}") for r in results if r.model in shown]

    results = [*named(experts, "experts"), *named(crowd, "crowd")]
    figure = Figure(
        "Figure 5 of the paper, WMT10: trained on experts or on the crowd, tested on experts.",
        _described(results),
        CURVES,
        partial(plot_learning_curves, results),
    )
    return Story(
        "Figure 5: trained on a crowd",
        ("The same test sets, with the unfiltered judgments of a crowd to train on.",),
        _table(results, "WMT10, 6 tracks, 5 trials"),
        (figure,),
    )


def _english_czech(checker: Checker) -> Story:
    split = _splits(checker, "wmt11", "bands")["ec"]
    found = abilities_of(split, "ec", 1600)
    values = ", ".join(
        f"{k} {name} {found.mean[found.items.index(name)]:.2f} ({found.sd[found.items.index(name)]:.2f})"
        for k, name in enumerate(found.ranking, 1)
    )
    n = len(found.items)
    figures = (
        Figure(
            (
                "Figure 6 of the paper, left: abilities by IRT-Gaussian; bars are one standard deviation over"
                " five training sets of 1600."
            ),
            f"Mean (sd): {values}.",
            size_of_abilities([f"{n}. {name}" for name in found.items]),
            partial(plot_trial_abilities, found),
        ),
        Figure(
            (
                "Figure 6 of the paper, right: who is preferred to whom, the mean of the five models (blue:"
                " the row's system)."
            ),
            _bands(found),
            size_of_heat_map(found.items),
            partial(_heat_map, found),
        ),
    )
    return Story(
        "Figure 6: English-Czech, WMT11",
        (
            (
                "Abilities from five random training sets of 1600 comparisons. The bars say how much the"
                " choice of comparisons matters, not how well an ability is known from all of them; the claim"
                " on the order of online-B, cu-bojar and cu-marecek has both."
            ),
        ),
        None,
        figures,
    )


def _bands(found: TrialAbilities) -> str:
    return "Cut at the three widest gaps: " + "; ".join(", ".join(band) for band in found.bands(4)) + "."


def _heat_map(found: TrialAbilities, ax: Any) -> Any:
    return plot_preferences(found.model, ax, order=found.ranking)
