"""Items that won or lost everything: what stands of the others, and what the likelihood shows of them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import expit, log_expit

import pairproof
from pairproof.errors import InputError, NotEstimableError
from pairproof.fit.estimates.identification import chained
from pairproof.fit.estimates.predictions import sets_of_items
from pairproof.fit.many.abilities import one_vote_a_cluster
from pairproof.fit.many.ranks import rank_sets
from tests.fit.many.cases import of

MODELS = [f"m{k:02d}" for k in range(20)]
#: Estimates with the newcomer and without, relative; seen: 3e-13.
SAME = 1e-10


def board(newcomer: bool, ties: float = 0.0, order: float = 0.0, seed: int = 25) -> pairproof.Comparisons:
    """50,000 votes on 20 models by 500 judges; and 12 on a newcomer, which lost them all."""
    rng = np.random.default_rng(seed)
    b = np.linspace(1.0, -1.0, 20) + rng.normal(0.0, 0.05, 20)
    first = rng.integers(0, 20, 50_000)
    second = (first + rng.integers(1, 20, 50_000)) % 20
    tied = rng.random(50_000) < ties
    won = ~tied & (rng.random(50_000) < expit(b[first] - b[second] + order))
    lost = ~tied & ~won
    judge = rng.integers(0, 500, 50_012)
    if newcomer:
        opponents, named_first = rng.choice(20, 12, replace=False), rng.random(12) < 0.5
        first = np.append(first, np.where(named_first, 20, opponents))
        second = np.append(second, np.where(named_first, opponents, 20))
        won, lost, tied = (
            np.append(won, ~named_first),
            np.append(lost, named_first),
            np.append(tied, np.zeros(12, bool)),
        )
    n = len(first)
    data = {
        "first": [[*MODELS, "new"][k] for k in first],
        "second": [[*MODELS, "new"][k] for k in second],
        "wins": won.astype(int),
        "losses": lost.astype(int),
        "judge": [f"u{k}" for k in judge[:n]],
    }
    return pairproof.read(data | ({"ties": tied.astype(int)} if ties else {}))


MODELS_ASKED = {
    "bradley-terry": (pairproof.fit_bradley_terry, 0.0, {}),
    "llbt": (pairproof.fit_llbt, 0.0, {}),
    "order effect": (pairproof.fit_bradley_terry, 0.0, {"order_effect": True}),
    "davidson": (pairproof.fit_llbt, 0.15, {"ties": "davidson", "order_effect": True}),
    "rao-kupper": (pairproof.fit_bradley_terry, 0.15, {"ties": "rao-kupper"}),
    "half wins": (pairproof.fit_bradley_terry, 0.15, {"ties": "half"}),
    "probability of a tie held": (pairproof.fit_bradley_terry, 0.15, {"ties": "none"}),
}


@pytest.mark.parametrize("asked", MODELS_ASKED)
@pytest.mark.parametrize("reference", ["m00", "sum"])
def test_twelve_lost_votes_of_a_newcomer_change_no_number_of_the_others(asked, reference):
    """In the limit its votes are certain: they say nothing of the others, of the order effect or of ties.

    What counts votes, cells or parameters changes: AIC by 2 for the infinite parameter, which was fitted.
    """
    fitter, ties, options = MODELS_ASKED[asked]
    options = {"reference": reference, "order_effect": asked == "order effect", **options}
    without, fit = (fitter(board(newcomer, ties, 0.1), **options) for newcomer in (False, True))
    kept = list(without.names)
    assert fit.params[kept].to_numpy() == pytest.approx(without.params.to_numpy(), rel=SAME)
    assert fit.bse[kept].dropna().to_numpy() == pytest.approx(without.bse.dropna().to_numpy(), rel=SAME)
    assert np.isnan(fit.params["new"]) and np.isnan(fit.bse["new"])
    # Of entries up to 1e-3; seen: 2e-16.
    assert fit.cov_params().to_numpy() == pytest.approx(without.cov_params().to_numpy(), abs=1e-12)
    worth = fit.worth().set_index("item")
    assert worth.loc[MODELS, "worth"].to_numpy() == pytest.approx(
        without.worth()["worth"].to_numpy(), rel=SAME
    )
    assert worth.loc[MODELS, "se"].to_numpy() == pytest.approx(without.worth()["se"].to_numpy(), rel=SAME)
    assert worth.loc[MODELS, "worth"].sum() == pytest.approx(1.0) and np.isnan(worth.loc["new", "worth"])
    assert fit.llf == pytest.approx(without.llf, rel=1e-12)  # seen: 1e-15
    assert fit.aic - without.aic == pytest.approx(2.0, abs=1e-6)  # of 6e4, whose rounding is 7e-12
    assert (fit.n_comparisons, fit.rank) == (50_012, without.rank + 1)


@pytest.mark.parametrize("clusters", [False, True])
def test_contrasts_and_ranks_of_the_others_are_those_without_the_newcomer(clusters):
    without, fit = (pairproof.fit_bradley_terry(board(newcomer)) for newcomer in (False, True))
    if clusters:
        without, fit = without.clustered("judge", kind="CR1"), fit.clustered("judge", kind="CR1")
    before, now = without.contrasts(), fit.contrasts()
    assert now.what == before.what and len(now.left_out) == 20
    assert now.critical == pytest.approx(before.critical, abs=1e-6)  # the same draws, in single precision
    for name in ("estimate", "se", "low", "high"):
        assert getattr(now, name) == pytest.approx(getattr(before, name), rel=1e-6, abs=1e-9)
    earlier, ranks = without.ranks(), fit.ranks()
    assert (ranks.above[:20, :20] == earlier.above).all() and ranks.rank[
        :20
    ].tolist() == earlier.rank.tolist()
    assert np.isnan(ranks.rank[20]) and ranks.status == ("",) * 20 + ("below all",)
    # Who is shown to be above the newcomer is not below it: only the others may be one place lower.
    assert ranks.low[:20].tolist() == earlier.low.tolist()
    assert (ranks.high[:20] - earlier.high == ~ranks.above[:20, 20]).all()
    assert ranks.best == earlier.best and "new" not in ranks.best
    assert 14 < ranks.low[20] <= ranks.high[20] == 21
    frame = ranks.to_frame().join(fit.to_frame())
    assert {"rank_low", "rank_high", "low", "high", "status"} <= set(frame.columns)


def small() -> pairproof.Comparisons:
    """Three items, and N, which lost to each of them."""
    return pairproof.Comparisons.build(
        "ABCN", [0, 0, 1, 0, 1, 2], [1, 2, 2, 3, 3, 3], [7, 8, 6, 4, 3, 5], None, [3, 2, 4, 0, 0, 0]
    )


def constrained(table: pairproof.Comparisons, i: int, j: int, gap: float) -> float:
    """The largest log-likelihood with b_i - b_j = gap, by BFGS on a function of its own."""
    free = [k for k in range(len(table.items)) if k != i]

    def minus(x: np.ndarray) -> float:
        b = np.zeros(len(table.items))
        b[free[1:]] = x
        b[i] = b[j] + gap
        u = b[table.first] - b[table.second]
        return -float(table.wins @ log_expit(u) + table.losses @ log_expit(-u))

    return -float(minimize(minus, np.zeros(len(free) - 1), method="BFGS", options={"gtol": 1e-10}).fun)


@pytest.mark.parametrize("item", ["A", "B", "C"])
def test_the_profile_bounds_an_infinite_difference_as_a_direct_search_finds(item):
    table = small()
    fit = pairproof.fit_bradley_terry(table)
    k, critical = table.items.index(item), 2.5
    statistic = pairproof.profile_test(fit, [(item, "N")])["statistic"].iloc[0]
    # BFGS stops at gradients of 1e-7; seen: 2e-9.
    assert statistic == pytest.approx(2.0 * (fit.llf - constrained(table, k, 3, 0.0)), abs=1e-6)
    level = 0.987580669348447  # of |Z| < 2.5
    limit = fit.profile(contrasts=[(item, "N")], level=level)["profile_low"].iloc[0]
    direct = brentq(lambda v: 2.0 * (fit.llf - constrained(table, k, 3, v)) - critical**2, -3.0, 6.0)
    assert limit == pytest.approx(direct, abs=1e-5)  # the same; seen: 4e-8
    assert (limit > 0.0) == (statistic > critical**2)


def test_against_opponents_that_are_known_the_likelihood_is_that_of_coin_tosses():
    """Two equal items with 2e9 comparisons, and N, which lost 12: as able as they are has the probability 2^-12."""
    table = pairproof.Comparisons.build("ABN", [0, 0, 1], [1, 2, 2], [10**9, 6, 6], None, [10**9, 0, 0])
    found = pairproof.profile_test(pairproof.fit_bradley_terry(table), [("A", "N"), ("N", "B")])
    # What is left is the moving of A and B by 1e-9, and the rounding of a likelihood of 1e9; seen: 8e-7.
    assert found["statistic"].to_numpy() == pytest.approx(24.0 * np.log(2.0), abs=1e-5)
    assert found["z"].to_numpy() == pytest.approx(
        np.array([1.0, -1.0]) * np.sqrt(24.0 * np.log(2.0)), abs=1e-5
    )


def test_equal_items_have_equal_profiles():
    """B and C have the same results; one limit was that of another model, since rounding of 0 was taken for a demand."""
    table = pairproof.Comparisons.build(
        "ABCD", [0, 0, 1, 1, 2], [1, 3, 2, 3, 3], [4, 4, 2, 4, 4], None, [0, 0, 2, 0, 0]
    )
    low = pairproof.fit_bradley_terry(table).profile(contrasts=[("B", "D"), ("C", "D")])["profile_low"]
    assert low.iloc[1] == pytest.approx(low.iloc[0], rel=1e-8)  # seen: 1e-10


def test_several_infinite_items_stand_above_and_below_and_those_between_themselves_claim_nothing():
    rows = [("A", "B", 30, 20), ("B", "C", 30, 20), ("A", "C", 35, 15)]
    rows += [("X", item, 20, 0) for item in "ABC"] + [(item, low, 20, 0) for item in "ABC" for low in "YZ"]
    first, second, wins, losses = zip(*rows)
    fit = pairproof.fit_bradley_terry(
        pairproof.read({"first": first, "second": second, "wins": wins, "losses": losses}), reference="sum"
    )
    ranks = fit.ranks()
    status = dict(zip(ranks.items, ranks.status))
    assert status == {"A": "", "B": "", "C": "", "X": "above all", "Y": "below all", "Z": "below all"}
    sets = {item: (int(low), int(high)) for item, low, high in zip(ranks.items, ranks.low, ranks.high)}
    assert sets["X"] == (1, 1) and sets["Y"] == sets["Z"] == (5, 6) and ranks.best == ("X",)
    assert ranks.to_frame().index.tolist()[0] == "X" and ranks.to_frame()["rank"].dropna().tolist() == [
        2,
        3,
        4,
    ]
    assert fit.params[["A", "B", "C"]].sum() == pytest.approx(0.0, abs=1e-12)
    assert fit.constraint == "3 of 6 items sum to zero"
    said = " ".join(map(str, fit.warnings))
    assert "The sum runs over the 3 items of the set with the most comparisons: A, B, C" in said
    assert [what for what, _ in ranks.left_out] == ["Y - Z"]
    p = fit.probabilities(items=["A", "X", "Y"]).set_index(["first", "second"])["p_first"]
    assert p["X", "A"] == 1.0 and p["Y", "A"] == 0.0 and p["X", "Y"] == 1.0
    assert fit.to_dict()["item_status"] == {"all": {"X": "above all", "Y": "below all", "Z": "below all"}}
    json.dumps(ranks.to_dict(), allow_nan=False)


def two_sets(between: int) -> pairproof.Fit:
    """A, B, C beat D, E, F in every one of their comparisons; within a set all is open."""
    inside = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]
    crossing = [(i, j) for i in range(3) for j in range(3, 6)] if between else []
    wins = [30, 35, 30, 26, 28, 26] + [between] * len(crossing)
    losses = [20, 15, 20, 14, 12, 14] + [0] * len(crossing)
    first, second = zip(*inside, *crossing)
    return pairproof.fit_bradley_terry(
        pairproof.Comparisons.build("ABCDEF", first, second, wins, None, losses)
    )


def test_the_summary_says_which_worths_sum_to_1_together():
    said = " ".join(two_sets(10).summary().split())
    assert "each set of items, and are not compared between sets: A, B, C | D, E, F" in said
    rows = {"first": ["A", "A"], "second": ["B", "C"], "wins": [3, 2], "losses": [2, 0]}
    assert "between sets:" not in pairproof.fit_bradley_terry(pairproof.read(rows)).summary()


def test_of_two_sets_one_above_the_other_each_keeps_its_numbers():
    fit = two_sets(10)
    worth, ranks = fit.worth().set_index("item")["worth"], fit.ranks()
    assert worth[list("ABC")].sum() == pytest.approx(1.0) and worth[list("DEF")].sum() == pytest.approx(1.0)
    alone = pairproof.fit_bradley_terry(fit.data.select(fit.data.first >= 3))
    assert fit.contrast("D", "F").estimate == pytest.approx(alone.contrast("D", "F").estimate, rel=1e-12)
    assert ranks.status == ("",) * 3 + ("below all",) * 3 and ranks.rank.tolist() == [1, 2, 3, 4, 5, 6]
    assert (ranks.high[:3] <= 3).all() and (ranks.low[3:] >= 4).all()
    assert set(fit.contrasts().what) == {"A - B", "A - C", "B - C", "D - E", "D - F", "E - F"}
    with pytest.raises(NotEstimableError):
        fit.contrast("A", "D")


def test_sets_that_were_never_compared_are_apart():
    ranks = two_sets(0).ranks()
    assert ranks.status == ("",) * 3 + ("apart",) * 3
    assert np.isnan(ranks.critical_between) and len(ranks.left_out) == 9
    assert (ranks.low == 1 + ranks.above.sum(axis=0)).all() and (ranks.high[:3] >= 4).all()


def test_an_infinite_reference_leaves_what_needs_none_and_the_warning_names_the_option():
    fit = pairproof.fit_bradley_terry(small(), reference="N")
    assert fit.params.drop("N").isna().all() and fit.params["N"] == 0.0
    other = pairproof.fit_bradley_terry(small(), reference="B")
    assert fit.contrast("A", "C").estimate == pytest.approx(other.contrast("A", "C").estimate, rel=1e-12)
    assert fit.worth()["worth"].to_numpy()[:3] == pytest.approx(
        other.worth()["worth"].to_numpy()[:3], rel=1e-12
    )
    assert fit.ranks().to_dict()["items"] == other.ranks().to_dict()["items"]
    assert "(--reference A) its 3 items have estimates" in str(fit.warnings[0])


def test_votes_of_one_judge_against_another_set_count_as_one():
    """N lost 12 votes of one judge, or of twelve: the first may be one opinion, given twelve times."""
    votes = {"first": ["A", "B"] * 50 + ["A"] * 6 + ["B"] * 6, "second": ["B", "A"] * 50 + ["N"] * 12}
    votes |= {"wins": [1, 0, 1, 1] * 25 + [1] * 12, "losses": [0, 1, 0, 0] * 25 + [0] * 12}
    crowd = [f"u{k % 25}" for k in range(100)]
    fits = [
        pairproof.fit_bradley_terry(pairproof.read(votes | {"judge": crowd + judges}))
        for judges in ([f"v{k}" for k in range(12)], ["v"] * 12)
    ]
    many, one = (fit.clustered("judge").ranks() for fit in fits)
    assert many.low[2] == 3 and (one.low[2], one.high[2]) == (1, 3)
    assert fits[1].ranks().low[2] == 3
    weighed = one_vote_a_cluster(fits[1].data, sets_of_items(fits[1], {}), ("judge",))
    assert (
        weighed.wins[100:].sum() == pytest.approx(1.0)
        and (weighed.wins[:100] == fits[1].data.wins[:100]).all()
    )


def test_what_follows_from_two_statements_is_a_statement():
    above = np.zeros((4, 4), bool)
    above[0, 1] = above[1, 2] = True
    assert chained(above)[0, 2] and chained(above).sum() == 3


def test_summary_plot_and_report_say_how_an_infinite_item_stands():
    from matplotlib.figure import Figure

    fit = pairproof.fit_bradley_terry(small(), reference="sum")
    assert fit.summary().count("below all") == 2 and "(not estimable)" not in fit.summary()
    ax = pairproof.plot_worth(fit, Figure().subplots())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["C", "B", "A"]
    assert "not drawn: N, below all" in " ".join(ax.get_xlabel().split())
    text = " ".join(fit.ranks().summary().split())
    assert "below all" in text and "compared with the profile likelihood" in text
    assert fit.test_equal_items().hypothesis == "A = B = C"
    assert fit.quasi_variances()["quasi_se"].notna().tolist() == [True, True, True, False]


def test_against_the_best_an_infinite_item_that_is_ruled_out_spoils_no_limit():
    found, without = (
        pairproof.fit_bradley_terry(table).contrasts("against the best")
        for table in (
            small(),
            pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [7, 8, 6], None, [3, 2, 4]),
        )
    )
    assert "N" not in found.best and found.best == without.best
    assert found.estimate[:3] == pytest.approx(without.estimate, rel=1e-9) and found.estimate[3] == -np.inf
    assert found.low[:3] == pytest.approx(without.low, abs=1e-9)
    assert found.high[:3] == pytest.approx(without.high, abs=1e-9)
    mean = pairproof.fit_bradley_terry(small()).contrasts("against the mean")
    assert mean.what == ("A - mean", "B - mean", "C - mean") and mean.estimate.sum() == pytest.approx(
        0.0, abs=1e-12
    )


def test_of_two_items_that_the_letters_tell_apart_the_better_has_the_better_set():
    """On degrees of freedom of their own A - B and B - C are shown, and A - C alone is not: it follows."""
    abilities = of(("A", "B", "C"), np.array([8.0, 4.0, 0.0]), 0.5 * np.eye(3))
    df = abilities.df.copy()
    df[0, 2] = df[2, 0] = 1.0
    found = rank_sets(replace(abilities, df=df))
    assert found.letters == ("a", "b", "c")
    assert found.low.tolist() == found.high.tolist() == [1, 2, 3]


def test_plots_take_a_fit_and_say_what_they_take():
    from matplotlib.figure import Figure

    fit = pairproof.fit_bradley_terry(small())
    assert len(pairproof.plot_ranks(fit, Figure().subplots()).patches) == 4
    ax = pairproof.plot_contrasts(fit, Figure().subplots())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["B - C", "A - C", "A - B"]
    with pytest.raises(
        InputError, match=r"plot_ranks was given a dict; it takes what fit.ranks\(...\) returns"
    ):
        pairproof.plot_ranks({"A": 1})


def test_a_contrast_of_one_name_is_a_parameter_or_says_what_it_takes():
    fit = pairproof.fit_bradley_terry(small(), order_effect=True)
    assert fit.contrast("order").estimate == pytest.approx(fit.params["order"], rel=1e-12)
    with pytest.raises(
        InputError, match=r"contrast\('A'\) names one item; expected two items, as in contrast\('A', 'B'\)"
    ):
        fit.contrast("A")
    with pytest.raises(InputError, match="names no parameter"):
        fit.contrast("nobody")
