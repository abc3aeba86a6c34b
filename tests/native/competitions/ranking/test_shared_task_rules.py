"""Ranking heuristics on the paper's examples; feedback arcs against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from pairproof import read
from pairproof.data.comparisons import Comparisons
from pairproof.data.judgments import preference_counts, split_tracks
from pairproof.errors import InputError
from pairproof.native.competitions.ranking.ranking_rules import (
    _by_integer_program,
    _by_subsets,
    all_rankings,
    best_order,
    bojar,
    expected_wins,
    minimum_feedback_arc_set,
    monte_carlo_playoffs,
    most_probable_ranking,
    orig_wmt,
)
from tests.native.translation import random_table, table, table_2


def test_origwmt_and_bojar_of_table_2():
    assert orig_wmt(table_2()).values == pytest.approx([1, 0.25, 0.75, 0, 0.75], abs=1e-15)
    assert bojar(table_2()).values == pytest.approx([1, 0.25, 2 / 3, 0, 2 / 3], abs=1e-15)
    assert orig_wmt(table_2()).ranking == ("bbn", "jhu", "uedin", "cmu", "kit")


def test_a_copy_of_a_system_raises_its_origwmt_and_leaves_bojar():
    """Bojar et al.'s argument (the paper's section 2): A and B equal, C a copy of B that always ties with
    it.
    """

    def counts(rows):
        return Comparisons.build(["A", "B", "C"], *([r[k] for r in rows] for k in range(5)))

    alone, doubled = counts([(0, 1, 1, 1, 1)]), counts([(0, 1, 1, 1, 1), (0, 2, 1, 1, 1), (1, 2, 0, 3, 0)])
    assert orig_wmt(alone).values[:2] == pytest.approx([2 / 3, 2 / 3])
    assert orig_wmt(doubled).values == pytest.approx([2 / 3, 5 / 6, 5 / 6])
    assert bojar(doubled).values == pytest.approx([0.5, 0.5, 0.5])


def test_a_system_with_ties_only_has_no_bojar_and_one_never_compared_has_nothing():
    only_ties = table([("A", "B", 0), ("A", "B", 0)], "ABC")
    assert np.isnan(bojar(only_ties).values).all() and bojar(only_ties).ranking == ()
    assert orig_wmt(only_ties).to_dict() == {"A": 1.0, "B": 1.0, "C": None}
    assert np.isnan(expected_wins(only_ties).values).all()


def test_expected_wins_weighs_every_opponent_alike_however_often_it_was_met():
    rows = [("A", "B", 1)] * 8 + [("A", "B", 2)] * 2 + [("A", "C", 2)] + [("B", "C", 0)]
    scores = expected_wins(table(rows, "ABC")).values
    assert scores == pytest.approx([(0.8 + 0) / 2, 0.2, 1.0])


def test_playoffs_are_won_in_proportion_to_the_strength_of_two():
    scores = monte_carlo_playoffs(table([("A", "B", 1)] * 7 + [("A", "B", 2)] * 1, "AB"), 20_000, seed=3)
    assert abs(scores.values[0] - 0.8) < 4 * scores.se[0] < 0.02  # (1 + 7) / (2 + 8)
    assert scores.values.sum() == pytest.approx(1)


@pytest.mark.parametrize("n", [3, 5, 6, 8])
def test_in_playoffs_between_equals_each_wins_its_share_whatever_the_byes(n):
    names = "ABCDEFGH"[:n]
    level = table([(a, b, 0) for a in names for b in names if a < b], names)
    scores = monte_carlo_playoffs(level, 20_000, seed=1)
    assert np.abs(scores.values - 1 / n).max() < 4 * scores.se.max()


def test_playoffs_are_the_same_for_the_same_seed():
    one, again, other = (monte_carlo_playoffs(table_2(), 500, seed=s).values for s in (1, 1, 2))
    assert (one == again).all() and (one != other).any()
    with pytest.raises(InputError, match="tournaments"):
        monte_carlo_playoffs(table_2(), 0)


def brute_force(cost):
    def paid(order):
        return sum(cost[order[j], order[i]] for j in range(len(order)) for i in range(j))

    costs = {order: paid(order) for order in permutations(range(len(cost)))}
    best = min(costs.values())
    return best, [o for o, c in costs.items() if c <= best + 1e-9]


@pytest.mark.parametrize("seed", range(12))
def test_the_order_found_is_the_best_of_all_and_unique_exactly_if_no_other_is_as_good(seed):
    rng = np.random.default_rng(seed)
    n = 3 + seed % 4
    cost = rng.integers(0, 4, (n, n)).astype(float)
    if seed % 2:  # as in a feedback arc set only one side pays, so components part
        cost = np.maximum(cost - cost.T, 0)
    np.fill_diagonal(cost, 0)
    best, orders = brute_force(cost)
    order, unique = best_order(cost)
    assert tuple(order) in orders and unique == (len(orders) == 1)


@pytest.mark.parametrize("seed", range(4))
def test_the_rankings_pay_what_the_best_permutation_pays(seed):
    from scipy.special import betainc

    data = random_table(seed, n=60, n_systems=6)
    won = preference_counts(data)[:, :, 1]
    for found, cost in (
        (minimum_feedback_arc_set(data), np.maximum(won - won.T, 0)),
        (most_probable_ranking(data), -np.log(betainc(1 + won, 1 + won.T, 0.5))),
    ):
        cost = cost.copy()
        np.fill_diagonal(cost, 0)
        best, orders = brute_force(cost)
        assert found.cost == pytest.approx(best, rel=1e-12) and found.unique == (len(orders) == 1)


def test_the_most_probable_ranking_of_thirty_systems_is_found_where_they_can_be_parted():
    """Every pair costs something in either order; only the difference of its two costs decides."""
    names = [f"s{k:02d}" for k in range(30)]
    line = table([(a, b, 1) for a, b in zip(names, names[1:])], names)
    found = most_probable_ranking(line)
    # Each decided pair pays -log P(Beta(2, 1) > 1/2) = -log 0.75, each pair never met -log 0.5.
    assert found.ranking == tuple(names) and found.cost == pytest.approx(
        -29 * np.log(0.75) - (435 - 29) * np.log(0.5), rel=1e-12
    )


def test_every_rule_ranks_the_systems_and_says_what_is_open():
    found = all_rankings(table_2())
    assert list(found) == ["origwmt", "bojar", "lopez", "most-probable", "playoffs", "expected-wins"]
    assert all(r.ranking[0] == "bbn" and r.ranking[-1] == "kit" for r in found.values())
    assert found["origwmt"].notes == ("equal scores, in the order of the table",)  # jhu and uedin: 0.75 each
    names = [f"s{k:02d}" for k in range(24)]
    ring = all_rankings(table([(a, b, 1) for a, b in zip(names, names[1:] + names[:1])], names))
    assert ring["lopez"].notes == ("other orders contradict as little",) and len(ring["lopez"].ranking) == 24
    names = [f"s{k:02d}" for k in range(61)]
    large = all_rankings(table([(a, b, 1) for a, b in zip(names, names[1:] + names[:1])], names))
    assert (
        large["lopez"].ranking == () and "no ranking: 61 systems cannot be parted" in large["lopez"].notes[0]
    )
    assert len(large["expected-wins"].ranking) == 61
    ties = all_rankings(table([("a", "b", 0), ("b", "c", 1)], "abc"))
    assert ties["bojar"].notes[0] == "no score: a"


def test_rock_paper_scissors_costs_its_cheapest_win_and_has_three_best_orders():
    ring = Comparisons.build(["R", "P", "S"], [0, 1, 2], [1, 2, 0], [5, 5, 5], [0, 0, 0], [0, 0, 0])
    found = minimum_feedback_arc_set(ring)
    assert found.cost == 5 and not found.unique
    weak = Comparisons.build(["R", "P", "S"], [0, 1, 2], [1, 2, 0], [5, 5, 2], [0, 0, 0], [0, 0, 0])
    assert minimum_feedback_arc_set(weak).ranking == ("R", "P", "S") and minimum_feedback_arc_set(weak).unique


def test_more_than_twenty_systems_are_ranked_whether_they_can_be_parted_or_not():
    names = [f"s{k:02d}" for k in range(24)]
    line = table([(a, b, 1) for a, b in zip(names, names[1:])], names)
    assert minimum_feedback_arc_set(line).ranking == tuple(names) and minimum_feedback_arc_set(line).unique
    ring = minimum_feedback_arc_set(table([(a, b, 1) for a, b in zip(names, names[1:] + names[:1])], names))
    assert ring.cost == 1 and not ring.unique
    weak = table(
        [(a, b, 1) for a, b in zip(names, names[1:] + names[:1]) for _ in range(1 if b == "s00" else 2)],
        names,
    )
    assert minimum_feedback_arc_set(weak).ranking == tuple(names) and minimum_feedback_arc_set(weak).unique


@pytest.mark.parametrize("seed", range(12))
def test_the_integer_program_finds_what_dynamic_programming_finds(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    cost = rng.integers(0, 4, (n, n)).astype(float) if seed % 2 else rng.exponential(size=(n, n))
    cost = np.maximum(cost - cost.T, 0)

    def paid(order):
        return sum(cost[order[later], order[earlier]] for later in range(n) for earlier in range(later))

    (one, only), (two, also) = _by_subsets(cost), _by_integer_program(cost)
    # HiGHS stops within 1e-6 of the smallest cost; observed 0 to 1e-15.
    assert abs(paid(one) - paid(two)) < 1e-6 and only == also and sorted(two) == list(range(n))


def test_too_many_systems_and_a_search_without_a_proof_are_refused(monkeypatch):
    from pairproof.native.competitions.ranking import ranking_rules as feedback_arc

    with pytest.raises(InputError, match="61 systems cannot be parted .* at most 60"):
        _by_integer_program(np.ones((61, 61)))
    monkeypatch.setattr(feedback_arc, "TIME_LIMIT", 0.01)
    cost = np.random.default_rng(1).exponential(size=(40, 40))
    with pytest.raises(InputError, match="not proved within 0.01 s"):
        _by_integer_program(np.maximum(cost - cost.T, 0))


def test_wmt10_has_two_tracks_of_more_than_twenty_systems_and_both_are_ranked(shared):
    tracks = split_tracks(read(shared / "data" / "wmt" / "wmt10.RNK_results.csv"))
    assert [minimum_feedback_arc_set(tracks[name]).cost for name in ("French-English", "German-English")] == [
        61,
        55,
    ]


def test_twenty_systems_in_one_component_are_ranked_exactly():
    """19 places of a ring of twenty can be kept: one win is contradicted, and any of the twenty will do."""
    names = [f"s{k:02d}" for k in range(20)]
    found = minimum_feedback_arc_set(table([(a, b, 1) for a, b in zip(names, names[1:] + names[:1])], names))
    assert found.cost == 1 and not found.unique


def test_the_references_of_wmt11_come_first_by_every_heuristic(shared):
    track = split_tracks(read(shared / "data" / "wmt" / "wmt11-maneval-indivsystems.RNK_results.csv"))[
        "English-Czech"
    ]
    rankings = [
        h(track).ranking
        for h in (
            orig_wmt,
            bojar,
            expected_wins,
            minimum_feedback_arc_set,
            most_probable_ranking,
            monte_carlo_playoffs,
        )
    ]
    assert {r[0] for r in rankings} == {"_ref"} and {r[-1] for r in rankings[:5]} == {"cu-zeman"}
