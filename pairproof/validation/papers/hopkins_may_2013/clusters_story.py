"""Hopkins and May (2013) under clustering, in words: three systems and four bands of one track, and how much
longer standard errors get in every track.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ....data.comparisons import Comparisons
from ....fit.fit import Fit
from ....report.blocks import Column, Table
from ...claims.data import table_of
from ...report import Story
from ...statements.clustered import Effect, effects_of
from ..under_clustering import ways_table
from .clusters import WAYS, TrackTold, clusters_of, fit_track, told_apart
from .statements_abilities import p_better_from_all
from .tracks import one_track, read_tracks

if TYPE_CHECKING:
    from ...check import Checker

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
    """How much longer standard errors get by judge and by source segment, and how many pairs stay
    significant.
    """
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
                Column("comparisons"),
                Column("judges"),
                Column("sources"),
                Column("pairs"),
                Column("significant"),
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
