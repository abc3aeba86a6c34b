"""Conclusions of Dras, of Vilar and of Hopkins and May under clustering: numbers of the specification and of
the page.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pairproof.native.competitions.ranking.two_systems import compare_two
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.claims.data import data_from
from pairproof.validation.papers.dras_2015 import story as dras_judges
from pairproof.validation.papers.hopkins_may_2013.computations import read_tracks
from pairproof.validation.papers.hopkins_may_2013.statements_systems import WAYS, fit_track, told_apart
from pairproof.validation.papers.hopkins_may_2013.story import english_czech
from pairproof.validation.papers.vilar_2007.statements import PairByJudges, pairs_by_judges
from pairproof.validation.statements.registers import Context, run_test
from pairproof.validation.statements.under_clustering import effects_of
from tests.places import ROOT


def vilar() -> dict[str, PairByJudges]:
    return {p.name: p for p in pairs_by_judges(Checker(read_paper("vilar-2007")).data("table-2"))}


def test_vilars_pairs_have_the_numbers_of_the_specification() -> None:
    # 12 digits are printed there; observed 1e-12 and better.
    a_b, a_d, b_d = (vilar()[name] for name in ("A-B", "A-D", "B-D"))
    assert (
        a_b.tests.judge_means.statistic,
        a_b.tests.judge_means.p,
        a_b.tests.sign_flips.p,
    ) == pytest.approx((-4.23180533223, 0.00548918446596, 0.015625), rel=1e-10)
    assert (a_b.tests.judges_differ.statistic, a_b.tests.judges_differ.df) == pytest.approx(
        (62.9662208235, 12.0), rel=1e-10
    )
    assert (a_b.cluster.estimate, a_b.cluster.se, a_b.cluster.df, a_b.cluster.p) == pytest.approx(
        (-0.595883875135, 0.150872899460, 5.90808203616, 0.00777842820864), rel=1e-9
    )
    assert (
        a_d.tests.judge_means.statistic,
        a_d.tests.judge_means.p,
        a_d.tests.sign_flips.p,
    ) == pytest.approx((-4.34063607036, 0.00487193174308, 0.03125), rel=1e-10)
    assert (
        a_d.tests.judges_differ.statistic,
        a_d.cluster.estimate,
        a_d.cluster.se,
        a_d.cluster.df,
    ) == pytest.approx((83.3196212215, -0.656574890937, 0.170057681475, 5.81132083042), rel=1e-9)
    # "z 3.99 but t 10.59": two decimals are given.
    assert round(b_d.tests.judge_means.statistic, 2) == 10.59 and a_d.merged.z == pytest.approx(
        -7.58, abs=0.005
    )


def test_vilars_judges_differ_in_all_seven_pairs_and_all_his_conclusions_survive() -> None:
    pairs = vilar()
    assert len(pairs) == 7
    # The issue rounds to 1e-4; the largest, of A and E, is 1.089e-4.
    assert max(p.tests.judges_differ.p for p in pairs.values()) == pytest.approx(1.0894e-4, rel=1e-3)
    assert {name for name, p in pairs.items() if not p.significant(0.05)} == {"A-C", "B-E"}
    assert {name for name, p in pairs.items() if not p.merged.significant} == {"A-C", "B-E"}


def context(table: str = "table-2") -> Context:
    checker = Checker(read_paper("vilar-2007"))
    return Context(checker.data, checker.fit, table, "", 0.05)


def test_a_pair_said_to_differ_that_does_not_or_the_other_way_is_false() -> None:
    for pair, significant in ((["A", "C"], True), (["D", "A"], False)):
        found = run_test("pair-by-judges", context(), {"pair": pair, "significant": significant})
        assert (
            found.verdict == "differs-conclusion"
            and "the sum over judges says the opposite" in found.explanation
        )


def test_a_difference_that_only_the_sum_has_does_not_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of five judges make a sum significant, and the five judges' means are not."""
    from pairproof.data.reading import read

    wins, losses = [60, 60, 20, 20, 20], [10, 10, 25, 25, 25]
    table = read(
        {"first": ["A"] * 5, "second": ["B"] * 5, "judge": list("vwxyz"), "wins": wins, "ties": [5] * 5,
         "losses": losses}
    )  # fmt: skip
    one = Context(lambda name: table, lambda claim: pytest.fail("no fit is needed"), "mine", "", 0.05)
    found = run_test("pair-by-judges", one, {"pair": ["A", "B"], "significant": True})
    assert (found.verdict, found.code) == ("explained", "independent-answers")
    assert found.explanation.startswith("independent-answers: holds if all sentences are independent")
    m = np.array([50, 50, -5, -5, -5]) / np.array([75, 75, 50, 50, 50])
    assert found.native == pytest.approx(m.mean() / (m.std(ddof=1) / np.sqrt(5)), rel=1e-12)


def test_dras_judges_of_one_pair_are_counted_from_the_side_that_is_asked() -> None:
    table = Checker(read_paper("dras-2015")).data("table-1")
    tests = compare_two(table, "D", "A").tests
    assert (tests.first.tolist(), tests.second.tolist(), tests.ties.tolist()) == (
        [2, 1, 34, 2],
        [37, 38, 3, 35],
        [1, 1, 3, 3],
    )
    story = dras_judges.under_clustering(Checker(read_paper("dras-2015")))
    assert (
        "with and without clustering: A - B, D - B, D - C, tie. No longer significant: A - D, A - C, B - C."
        in story.paragraphs[1]
    )
    assert story.table is not None and [row[0] for row in story.table.rows][-1] == "tie"


# -- Hopkins and May, where the rankings are -----------------------------------------------------------------

WMT11, WMT12 = "wmt11-maneval-indivsystems.RNK_results.csv", "wmt12.RNK_results.csv"


def track(shared: Path, file: str, source: str, target: str):
    return read_tracks(pd.read_csv(shared / "data" / "wmt" / file), {"x": [source, target]})["x"]


def test_three_systems_of_english_czech_cannot_be_put_in_order_under_clustering(shared: Path) -> None:
    """The numbers of docs/papers-under-clustering.md; 17,875 comparisons, which two programs round alike."""
    fit = fit_track(track(shared, WMT11, "English", "Czech"))
    (effect,) = effects_of(fit, WAYS, [("online-B", "cu-bojar")])
    one = effect.independent
    assert (round(one.se, 4), round(one.statistic, 2), round(one.p_above, 3)) == (0.0290, 2.96, 0.998)
    shown = {
        test.title: (round(test.se, 4), round(test.statistic, 2), round(test.df, 1), round(test.p_above, 3))
        for test in effect.clustered
    }
    assert shown == {
        "CR2 by judge (19 clusters)": (0.0408, 2.11, 5.7, 0.959),
        "CR2 by source (480 clusters)": (0.0522, 1.64, 344.7, 0.949),
        "CR2 by judge (19 clusters) and source (480 clusters)": (0.0522, 1.64, 5.7, 0.923),
    }
    for way, expected in (("judge", (0.0398, 2.16)), ("source", (0.0522, 1.65))):
        contrast = fit.clustered(way, kind="CR1").contrast("online-B", "cu-bojar")
        assert (round(contrast.se, 4), round(contrast.z, 2)) == expected


def test_the_words_on_english_czech_are_those_of_the_page(shared: Path) -> None:
    checker = Checker(data_from(read_paper("hopkins-may-2013"), shared / "data" / "wmt"))
    story = english_czech(checker)
    text = " ".join(story.paragraphs)
    for words in (
        "P(online-B better than cu-bojar) is 0.998",
        "none does, and the paper's conclusion also holds for all comparisons",
        "2.16 by judge and 1.65 by source segment (P = 0.984 and 0.950)",
        "The five busiest of 19 judges gave 69 % of the answers",
    ):
        assert words in text
    page = (ROOT / "docs" / "papers-under-clustering.md").read_text(encoding="utf-8")
    for words in (
        "P(online-B better than cu-bojar) is 0.998",
        "| 2.16 | | 0.984 |",
        "| 1.65 | | 0.950 |",
        "69 %",
    ):
        assert words in page


def test_of_104_significant_pairs_in_one_track_87_remain_by_judge(shared: Path) -> None:
    table = track(shared, WMT12, "German", "English")
    told = told_apart(table)
    assert (told.n_pairs, told.significant) == (120, 104)
    assert [(way.remain, round(way.ratio, 2)) for way in told.ways] == [(87, 1.52), (87, 1.60), (82, 1.67)]
    assert told.ways[2].n_clusters == (47, 974)
    # With CR1 and the normal distribution, as the issue of this analysis counted them.
    fit = fit_track(table)
    pairs = [(a, b) for k, a in enumerate(fit.items) for b in fit.items[k + 1 :]]
    for way, remain in (("judge", 90), ("source", 87)):
        clustered = fit.clustered(way, kind="CR1")
        assert sum(abs(clustered.contrast(a, b).z) > 1.96 for a, b in pairs) == remain
