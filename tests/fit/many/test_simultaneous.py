"""Families of contrasts: adjusted p-values, letters and ranks, against multcomp, p.adjust, multcompView and csranks."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError
from pairproof.fit.many.letters import groups, letters
from pairproof.fit.many.of_fit import abilities_of
from pairproof.fit.many.p_values import benjamini_hochberg, holm
from pairproof.fit.many.ranks import rank_sets
from pairproof.fit.many.simultaneous import Abilities, contrasts
from tests.places import DATA

#: p of AB AC AD AE AF BC BD BE BF CD CE CF DE DF EF, D24 Davidson, CR2 by judge.
T = [0.607806390945, 1.2132991295, 0.245011817032, 1.94435539927, 2.35100727981, 0.417452793425, -0.470285948389,
     1.72244029351, 2.29676180430, -0.92886757352, 1.03576226519, 1.89213860668, 2.46764011622, 2.58216387078,
     1.00978176194]  # fmt: skip
#: Adjusted by the copula, from 4e6 draws: good to .0005.
ADJUSTED = {"A - F": 0.2198, "B - F": 0.2406, "D - E": 0.1797, "D - F": 0.1463, "A - E": 0.4076}


@pytest.fixture(scope="module")
def d24() -> Abilities:
    table = pairproof.read(DATA / "inference_d24.csv")
    fit = pairproof.fit_bradley_terry(table, ties="davidson", order_effect=True, reference="F")
    return abilities_of(fit.clustered("judge"))


@pytest.fixture(scope="module")
def r8() -> Abilities:
    """Eight items of the rank vectors."""
    b = np.array([1.4, 1.2, 0.9, 0.85, 0.5, 0.2, 0.1, 0.0])
    k = np.arange(8)
    v = 0.02 * 0.5 ** np.abs(k[:, None] - k) + 0.01 * np.eye(8)
    se = np.sqrt(np.diag(v)[:, None] + np.diag(v) - 2.0 * v)
    return Abilities(tuple("ABCDEFGH"), b, v, se, np.full((8, 8), np.inf))


def test_each_contrast_has_its_own_t_and_the_family_one_critical_value(d24):
    found = contrasts(d24)
    np.testing.assert_allclose(found.t, T, rtol=1e-10)
    assert abs(found.critical - 2.8208) <= 0.0004 + 4.0 * found.critical_error
    assert found.critical_error < 1e-3
    frame = found.to_frame()
    for name, p in ADJUSTED.items():
        assert frame.loc[name, "adjusted"] == pytest.approx(
            p, abs=0.002
        )  # their error .0005, ours seen: .0001
    assert (found.adjusted >= found.p).all()


def test_intervals_and_adjusted_p_values_agree(d24):
    found = contrasts(d24, level=0.80)
    outside = (found.low > 0) | (found.high < 0)
    assert outside.any() and not outside.all()
    assert (outside == (found.adjusted < 0.20)).all()


def test_holm_and_benjamini_hochberg_are_p_adjusts(d24):
    frame = contrasts(d24, adjustment="holm").to_frame()
    assert frame.loc["D - F", "adjusted"] == pytest.approx(0.250115726600, rel=1e-10)
    assert frame.loc["D - E", "adjusted"] == pytest.approx(0.300621630072, rel=1e-10)
    frame = contrasts(d24, adjustment="bh").to_frame()
    for name in ("D - F", "D - E", "A - F", "B - F"):
        assert frame.loc[name, "adjusted"] == pytest.approx(0.116611041744, rel=1e-10)


def test_adjusting_without_correlations_is_monotone_and_at_most_bonferroni():
    p = np.array([0.001, 0.2, 0.01, 0.04, 0.04])
    for adjust in (holm, benjamini_hochberg):
        out = adjust(p)
        assert (out >= p).all() and (out <= np.minimum(1.0, 5 * p)).all()
        assert (np.diff(out[np.argsort(p)]) >= 0).all()


def test_letters_are_those_of_multcompview():
    """A ab, B ab, C abc, D a, E bc, F c, from the pairs with p < .05."""
    columns = groups(6, [(0, 5), (1, 5), (3, 4), (3, 5)], [0, 3, 1, 2, 4, 5])
    assert letters(6, columns) == ("ab", "ab", "abc", "a", "bc", "c")


def test_items_share_a_letter_exactly_if_they_were_not_told_apart():
    rng = np.random.default_rng(5)
    for _ in range(50):
        apart = [(i, j) for i in range(7) for j in range(i + 1, 7) if rng.random() < 0.4]
        marks = letters(7, groups(7, apart, list(range(7))))
        for i in range(7):
            for j in range(i + 1, 7):
                assert bool(set(marks[i]) & set(marks[j])) == ((i, j) not in apart)


RANKS = {
    (True, "both"): ([1, 1, 1, 1, 3, 4, 5, 5], [4, 4, 5, 6, 8, 8, 8, 8]),
    (False, "both"): ([1, 1, 1, 1, 3, 5, 5, 5], [4, 4, 5, 5, 8, 8, 8, 8]),
    (True, "lower"): ([1, 1, 1, 1, 3, 4, 5, 5], [8] * 8),
    (True, "upper"): ([1] * 8, [4, 4, 5, 6, 8, 8, 8, 8]),
}


@pytest.mark.parametrize(("simultaneous", "side"), list(RANKS))
def test_rank_sets_are_those_of_csranks(r8, simultaneous, side):
    found = rank_sets(r8, simultaneous=simultaneous, side=side)
    low, high = RANKS[simultaneous, side]
    assert found.low.tolist() == low and found.high.tolist() == high


def test_the_items_that_may_be_best_are_hsus(r8):
    """D's largest score against another is 2.3452, the point 2.3438 +- .0003: D is out, by a hair."""
    assert rank_sets(r8).best == ("A", "B", "C")


def test_ranks_of_noisy_judges_are_all_possible(d24):
    found = rank_sets(d24)
    assert found.low.tolist() == [1] * 6 and found.high.tolist() == [6] * 6
    assert found.groups == (("A", "D", "B", "C", "E", "F"),)


def test_strata_no_longer_hide_a_pair_that_is_told_apart():
    """Of 100 wins AB 56, BC 56, AC 62, AD 95, BD 95, CD 93: A above C has a probability of .9988."""
    wins = {"AB": 56, "BC": 56, "AC": 62, "AD": 95, "BD": 95, "CD": 93}
    table = pairproof.Comparisons.build(
        list("ABCD"),
        ["ABCD".index(p[0]) for p in wins],
        ["ABCD".index(p[1]) for p in wins],
        wins=list(wins.values()),
        losses=[100 - w for w in wins.values()],
    )
    fit = pairproof.fit_bradley_terry(table, ties="none")
    assert fit.contrast("A", "C").p < 0.01
    found = rank_sets(abilities_of(fit))
    assert found.rank.tolist() == [1, 2, 3, 4] and found.low[3] == 4


def test_what_is_asked_wrongly_is_refused_with_what_was_expected(d24):
    with pytest.raises(InputError, match="expected one of all pairs, against one, against the mean"):
        contrasts(d24, family="tukey")
    with pytest.raises(InputError, match="against='Z'; expected one of the items A, B, C"):
        contrasts(d24, family="against one", against="Z")
    with pytest.raises(InputError, match="level=0.3"):
        rank_sets(d24, level=0.3)
