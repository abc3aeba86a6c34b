"""Vilar et al. (2007), Table 2 whole: every pair merged and per judge, votes, reversal, ranking."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof import read
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError, ItemError
from pairproof.native.competitions.ranking.ranking_rules import (
    settled_ranking,
    shortest_cycle,
    unsettled_pairs,
)
from pairproof.native.competitions.ranking.two_systems import (
    TwoSystems,
    binary_result,
    compare_all_pairs,
    compare_two,
)

#: x, y, R, se (equation 6), z, significant, sign test p, judges for x and y.
TABLE_2 = {
    ("A", "B"): (205, 372, -0.238571, 0.033157, -7.195, True, 3.4e-12, (0, 7)),
    ("C", "D"): (214, 377, -0.232857, 0.033644, -6.921, True, 2.0e-11, (0, 7)),
    ("A", "C"): (250, 247, 0.004286, 0.031893, 0.134, False, 0.929, (3, 4)),
    ("A", "E"): (211, 331, -0.171429, 0.032668, -5.248, True, 2.9e-07, (0, 7)),
    ("B", "E"): (209, 226, -0.024286, 0.029824, -0.814, False, 0.443, (2, 5)),
    ("B", "D"): (252, 170, 0.117143, 0.029052, 4.032, True, 7.7e-05, (7, 0)),
    ("A", "D"): (181, 349, -0.240000, 0.031658, -7.581, True, 2.6e-13, (1, 6)),
}
PER_JUDGE = {
    ("A", "B"): "E2 E4 E5 E6",
    ("C", "D"): "E2 E3 E4 E5 E6",
    ("A", "E"): "E2 E3 E5 E7",
    ("B", "D"): "E4 E5",
    ("A", "D"): "E2 E4 E5 E6 E7",
    ("A", "C"): "",
    ("B", "E"): "",
}
AGAINST = {("A", "C"): "E1 E3 E6 E7", ("B", "E"): "E5 E6", ("A", "D"): "E1"}


@pytest.fixture(scope="module")
def results(shared):
    columns = {"first": "x", "second": "y", "wins": "n_x_better", "losses": "n_y_better", "ties": "n_same"}
    return {
        (r.merged.first, r.merged.second): r
        for r in compare_all_pairs(
            read(shared / "data" / "vilar2007_table2.csv", layout="counts", columns=columns)
        )
    }


def test_every_pair_of_table_2_merged(results):
    assert list(results) == list(TABLE_2)
    for pair, (x, y, r, se, z, significant, p, _) in TABLE_2.items():
        m = results[pair].merged
        assert (m.wins, m.losses, m.m) == (x, y, 700) and m.significant is significant
        assert (m.R, m.se_vilar, m.z) == (
            pytest.approx(r, abs=5e-7),
            pytest.approx(se, abs=5e-7),
            pytest.approx(z, abs=5e-4),
        )
        assert m.p_sign == pytest.approx(p, rel=0.02)  # the vector has two digits


def test_judges_votes_and_those_against_the_sum(results):
    for pair, expected in TABLE_2.items():
        found = results[pair]
        assert (found.votes.wins, found.votes.losses) == expected[-1] and found.votes.ties == 0
        assert " ".join(r.judge for r in found.by_judge if r.significant) == PER_JUDGE[pair]
        assert " ".join(found.against) == AGAINST.get(pair, "")
        assert {r.m for r in found.by_judge} == {100} and len(found.by_judge) == 7
    assert sum(len(r.against) for r in results.values()) == 7
    assert sum(bool(j.significant) for r in results.values() for j in r.by_judge) == 20


def test_all_but_a_c_and_b_e_are_significant_as_the_paper_says(results):
    assert [pair for pair, r in results.items() if not r.merged.significant] == [("A", "C"), ("B", "E")]


def test_the_majority_vote_statement_holds_by_equation_6_and_fails_by_an_exact_test(results):
    """7-0 gives a standard error of 0 and no z; 6-1 is beyond 1.96 se, but its sign test has p = .125."""
    a_d = results["A", "D"].votes
    assert (
        a_d.R == pytest.approx(-0.714, abs=5e-4)
        and 1.96 * a_d.se_vilar == pytest.approx(0.605, abs=5e-4)
        and a_d.significant
    )
    assert a_d.p_sign == 0.125
    unanimous = results["A", "B"].votes
    assert unanimous.se_vilar == 0 and unanimous.z is None and unanimous.significant is None
    assert [pair for pair, r in results.items() if r.votes.significant is False] == [("A", "C"), ("B", "E")]


def test_sum_and_vote_reverse_a_and_c_and_the_reversal_is_stated(results):
    assert [pair for pair, r in results.items() if r.reversal] == [("A", "C")]
    said = results["A", "C"].reversal
    assert "250-247" in said and "puts A first" in said and "3-4" in said and "puts C first" in said


def test_the_final_ranking_by_sum_and_by_votes(results):
    assert settled_ranking(tuple(results.values())) == tuple("EBDAC")
    assert settled_ranking(tuple(results.values()), votes=True) == tuple("EBDCA")
    assert (
        settled_ranking(tuple(r for p, r in results.items() if p != ("A", "C"))) is None
    )  # nothing settles A and C then


def of_pairs(*pairs):
    """Results of pairs such as "A>B" or "A=B"; twenty sentences each."""
    names = sorted({name for pair in pairs for name in (pair[0], pair[2])})
    wins, ties, losses = zip(*({">": (12, 0, 8), "=": (9, 2, 9)}[pair[1]] for pair in pairs))
    table = Comparisons.build(
        names,
        [names.index(pair[0]) for pair in pairs],
        [names.index(pair[2]) for pair in pairs],
        wins,
        ties,
        losses,
    )
    return compare_all_pairs(table)


@pytest.mark.parametrize(
    ("pairs", "circle"),
    [
        (("A>B", "B>C", "C>A"), "ABC"),
        (("B>A", "A>C", "C>B"), "ACB"),
        (("A>B", "B>C", "A>C"), ""),
        (("A=B", "B>C", "C>A"), ""),
        (("A>B", "B>C", "C>D", "D>A"), "ABCD"),
        (("A>B", "B>C", "C>D", "D>A", "D>B"), "BCD"),
        (("X>A", "A>B", "B>C", "C>A", "C>Y"), "ABC"),
    ],
)
def test_the_shortest_circle_is_found_and_there_is_none_where_a_ranking_follows(pairs, circle):
    found = of_pairs(*pairs)
    assert shortest_cycle(found) == tuple(circle)
    assert circle == "" or settled_ranking(found) is None


@pytest.mark.parametrize(
    ("pairs", "unsettled"),
    [
        (("A>B", "C>B"), [("A", "C", False)]),
        (("A=B", "A>C", "B>C"), [("A", "B", True)]),
        (("A>B", "B>C"), []),
        (("A=B", "A>C", "C>B"), []),
        (("A>B", "C>D"), [("A", "C", False), ("A", "D", False), ("B", "C", False), ("B", "D", False)]),
    ],
)
def test_two_systems_are_unsettled_where_no_chain_joins_them(pairs, unsettled):
    found = of_pairs(*pairs)
    assert list(unsettled_pairs(found)) == unsettled
    assert (settled_ranking(found) is None) == bool(unsettled)


def test_a_tournament_of_five_has_either_a_ranking_or_a_cycle_or_an_unsettled_pair_or_both_of_these():
    rng = np.random.default_rng(7)
    kinds = set()
    for _ in range(300):
        found = of_pairs(
            *(
                f"{a}{rng.choice(['>', '='], p=[.9, .1])}{b}" if rng.random() < 0.5 else f"{b}>{a}"
                for k, a in enumerate("ABCDE")
                for b in "ABCDE"[k + 1 :]
                if rng.random() < 0.9 or (a, b) == ("A", "B")
            )
        )
        order, circle, unsettled = settled_ranking(found), shortest_cycle(found), unsettled_pairs(found)
        assert (order is not None) == (not circle and not unsettled)
        better = {
            (
                (r.merged.first, r.merged.second)
                if r.merged.better == r.merged.first
                else (r.merged.second, r.merged.first)
            )
            for r in found
            if r.merged.better
        }
        assert all(pair in better for pair in zip(circle, circle[1:] + circle[:1]))
        kinds.add((order is not None, bool(circle), bool(unsettled)))
    assert len(kinds) >= 3


def test_the_usual_standard_error_changes_no_verdict_and_the_exact_test_changes_three(results):
    judges = [j for r in results.values() for j in r.by_judge]
    assert all((abs(j.R / j.se_mean) > 1.959964) == j.significant for j in judges)
    changed = [
        (pair, j.judge)
        for pair, r in results.items()
        for j in r.by_judge
        if (j.p_sign < 0.05) != j.significant
    ]
    assert changed == [(("A", "E"), "E5"), (("B", "D"), "E4"), (("B", "D"), "E5")]


def test_the_vector_of_equation_6_and_of_the_usual_one():
    found = binary_result(40, 31, 29)
    assert (found.R, found.se_vilar, found.se_mean) == pytest.approx(
        (0.11, 0.0831663463, 0.0827494698), abs=5e-11
    )
    together = TwoSystems(
        found, ()
    ).tests.sum  # McNemar's test, whose standard error is that of no difference
    assert together.statistic == pytest.approx(11 / np.sqrt(69))


@pytest.mark.parametrize(("m", "factor"), [(7, 1.0801), (100, 1.00504), (700, 1.000715)])
def test_equation_6_is_larger_than_the_usual_one_by_sqrt_m_over_m_minus_1(m, factor):
    found = binary_result(m // 2, 1, m - m // 2 - 1)
    assert found.se_vilar / found.se_mean == pytest.approx(factor, abs=5e-5)
    r = np.array([1] * (m // 2) + [0] + [-1] * (m - m // 2 - 1))
    assert found.se_mean == pytest.approx(r.std(ddof=1) / np.sqrt(m), rel=1e-12)


@pytest.mark.parametrize("counts", [(7, 0, 0), (0, 5, 0), (0, 0, 3)])
def test_where_all_agree_there_is_no_z(counts):
    found = binary_result(*counts)
    assert found.se_vilar == 0 and found.z is None and found.significant is None and 0 < found.p_sign <= 1


def test_one_sentence_has_no_standard_error_and_a_judge_with_one_row_is_no_trouble():
    one = binary_result(1, 0, 0)
    assert one.se_vilar is None and one.se_mean is None and one.z is None and one.p_sign == 1
    table = Comparisons.build(
        ["A", "B"],
        [0, 0, 0],
        [1, 1, 1],
        [1, 0, 1],
        [0, 1, 0],
        [0, 0, 0],
        columns={"judge": Factor(np.array([0, 1, 1]), ("x", "y"))},
    )
    found = compare_two(table)
    assert found.by_judge[0].se_vilar is None and found.votes.wins == 2 and found.merged.m == 3


def test_an_even_judge_votes_for_neither_and_only_ties_decide_nothing():
    table = Comparisons.build(
        ["A", "B"],
        [0, 1, 0],
        [1, 0, 1],
        [2, 3, 0],
        [0, 0, 4],
        [2, 1, 0],
        columns={"judge": Factor(np.array([0, 1, 2]), ("even", "b", "ties"))},
    )
    found = compare_two(table, "A", "B")
    assert (found.votes.wins, found.votes.ties, found.votes.losses) == (
        0,
        2,
        1,
    ) and found.merged.better == "B"
    assert (
        compare_two(table.select([2])).merged.p_sign == 1
        and compare_two(table.select([2])).merged.better is None
    )


def test_rows_turned_round_are_counted_from_the_first_ones_side():
    table = Comparisons.build(["A", "B"], [1, 0], [0, 1], [3, 1], [1, 1], [2, 4])
    assert compare_two(table).merged == binary_result(7, 2, 3, "B", "A")  # as the table first names them
    assert compare_two(table, "A", "B").merged == binary_result(3, 2, 7, "A", "B")


def test_the_json_rows_are_those_of_the_interface():
    table = Comparisons.build(
        ["A", "B"],
        [0, 0],
        [1, 1],
        [4, 3],
        [1, 0],
        [2, 3],
        columns={"judge": Factor(np.array([0, 1]), ("x", "y"))},
    )
    rows = compare_two(table).to_dicts()
    keys = [
        "first",
        "second",
        "judge",
        "wins",
        "ties",
        "losses",
        "m",
        "R",
        "se_vilar",
        "se_mean",
        "z",
        "significant",
        "p_sign",
        "log10_p_sign",
    ]
    assert [list(r) for r in rows] == [keys, keys, [*keys, "votes", "headline", "by_judge"]]
    assert [r["judge"] for r in rows] == ["x", "y", None] and rows[2]["votes"] == [1, 0]
    without = compare_two(Comparisons.build(["A", "B"], [0], [1], [4], [0], [2])).to_dicts()
    assert len(without) == 1 and without[0]["votes"] is None


def three():
    return Comparisons.build(["A", "B", "C"], [0, 1], [1, 2], [1, 1], [0, 0], [0, 0])


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: compare_two(three()), InputError, "2 pairs of systems"),
        (lambda: compare_two(three(), "A", "D"), ItemError, "no system 'D'"),
        (lambda: compare_two(three(), "A", "A"), ItemError, "against itself"),
        (lambda: compare_two(three(), "A", "C"), InputError, "never compared"),
        (lambda: compare_two(three(), "A"), ItemError, "no system None"),
        (lambda: binary_result(1.5, 0, 1), InputError, "wins is 1.5"),
        (lambda: binary_result(0, 0, 0), InputError, "no sentence"),
        (lambda: binary_result(1, float("nan"), 1), InputError, "ties is nan"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_a_row_without_a_judge_is_refused_beside_rows_with_one():
    table = Comparisons.build(
        ["A", "B"],
        [0, 0],
        [1, 1],
        [1, 1],
        [0, 0],
        [0, 0],
        columns={"judge": Factor(np.array([0, -1]), ("x",))},
    )
    with pytest.raises(InputError, match="row 2: no judge"):
        compare_two(table)
