"""Families of differences: adjusted p-values and intervals, against multcomp and p.adjust."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pairproof
from pairproof.errors import InputError, ItemError, NotEstimableError, TooLargeError
from pairproof.fit.many.simultaneous import contrasts, log10_benjamini_hochberg, log10_holm
from tests.fit.many.cases import apart, d24, d24_fit, of, separated, with_infinite_df

#: p of AB AC AD AE AF BC BD BE BF CD CE CF DE DF EF, D24 Davidson, CR2 by judge.
T = [0.607806390945, 1.2132991295, 0.245011817032, 1.94435539927, 2.35100727981, 0.417452793425, -0.470285948389,
     1.72244029351, 2.29676180430, -0.92886757352, 1.03576226519, 1.89213860668, 2.46764011622, 2.58216387078,
     1.00978176194]  # fmt: skip
#: Adjusted by the copula, from 4e6 draws: good to .0005.
ADJUSTED = {"A - F": 0.2198, "B - F": 0.2406, "D - E": 0.1797, "D - F": 0.1463, "A - E": 0.4076}
#: The same as glht has them: df infinite, and df = 23 for all.
GLHT = {"A - F": 0.16080, "D - E": 0.12347, "D - F": 0.09366}
GLHT_23 = {"A - F": 0.2005, "D - E": 0.1631, "D - F": 0.1321}


def test_each_difference_has_its_own_t_and_the_family_one_critical_value():
    found = contrasts(d24())
    np.testing.assert_allclose(found.t, T, rtol=1e-10)
    assert abs(found.critical - 2.8208) <= 0.0004 + 4.0 * found.critical_error  # seen: 2.8206
    assert found.critical_error < 5e-4  # seen: 7e-5
    frame = found.to_frame()
    assert frame.loc["A - F", "p"] == pytest.approx(0.0276754057875, rel=1e-10)
    assert frame.loc["D - E", "p"] == pytest.approx(0.0214729735766, rel=1e-10)
    assert frame.loc["D - F", "p"] == pytest.approx(0.0166743817733, rel=1e-10)
    for name, p in ADJUSTED.items():
        assert frame.loc[name, "adjusted"] == pytest.approx(
            p, abs=6e-4
        )  # theirs is good to .0005; seen: .0003
    assert (found.adjusted >= found.p).all()
    half = (found.high[4] - found.low[4]) / 2.0 / found.se[4]
    assert half == pytest.approx(3.1226, abs=0.002)  # on the t scale, df 22.947; seen: 3.1222


def test_without_degrees_of_freedom_it_is_multcomps_single_step():
    frame = contrasts(with_infinite_df(d24())).to_frame()
    for name, p in GLHT.items():
        assert frame.loc[name, "adjusted"] == pytest.approx(
            p, abs=5e-4
        )  # glht's own error is 1e-4; seen: .0001


def test_a_common_df_is_multcomps_multivariate_t_which_is_narrower():
    frame = contrasts(d24(), df="common").to_frame()
    for name, p in GLHT_23.items():
        # The smallest df is 22.947, glht was asked with 23: a difference of 1e-4.  Seen: .0001.
        assert frame.loc[name, "adjusted"] == pytest.approx(p, abs=6e-4)
    assert contrasts(d24(), df="common").critical < 3.1226


def test_intervals_and_adjusted_p_values_agree():
    for adjust in ("single-step", "none"):
        found = contrasts(d24(), adjust=adjust, level=0.80)
        outside = (found.low > 0) | (found.high < 0)
        assert outside.any() and not outside.all()
        assert (outside == (found.adjusted < 0.20)).all()


def test_holm_and_benjamini_hochberg_are_p_adjusts():
    frame = contrasts(d24(), adjust="holm").to_frame()
    # The printed digits; seen: 1e-12 off.
    assert frame.loc["D - F", "adjusted"] == pytest.approx(0.250115726600, rel=1e-10)
    # The printed digits; seen: 1e-13 off.
    assert frame.loc["D - E", "adjusted"] == pytest.approx(0.300621630072, rel=1e-10)
    frame = contrasts(d24(), adjust="bh").to_frame()
    for name in ("D - F", "D - E", "A - F", "B - F"):
        # The printed digits; seen: 1e-12 off.
        assert frame.loc[name, "adjusted"] == pytest.approx(0.116611041744, rel=1e-10)


@given(st.lists(st.floats(-400.0, 0.0), min_size=1, max_size=30))
def test_adjusting_without_correlations_is_monotone_and_at_most_bonferroni(log10_p):
    p = np.array(log10_p)
    holm, bh = log10_holm(p), log10_benjamini_hochberg(p)
    for out in (holm, bh):
        assert (out >= p - 1e-12).all() and (out <= np.minimum(0.0, np.log10(len(p)) + p) + 1e-12).all()
        assert (np.diff(out[np.argsort(p)]) >= 0).all()
    assert (bh <= holm + 1e-12).all()


def test_a_tiny_adjusted_p_value_keeps_its_logarithm_and_is_never_0():
    """z of 60: p is 1e-784, and three pairs make it three times that at most."""
    b, v = np.array([60.0, 30.0, 0.0]), np.eye(3) / 2.0
    found = contrasts(of(tuple("ABC"), b, v))
    assert found.adjusted[1] == 0.0 and found.log10_adjusted[1] == pytest.approx(
        found.log10_p[1] + math.log10(3), abs=1e-9
    )
    # One number in two ways, which differ by rounding; seen: 3e-14 off.
    assert found.log10_adjusted[0] == pytest.approx(found.log10_p[0] + math.log10(3), abs=1e-6)  # 3e-197
    assert found.summary().count("<1e-300") == 2 and "e-197" in found.summary()
    holm = contrasts(of(tuple("ABC"), b, v), adjust="holm")
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert holm.log10_adjusted[1] == pytest.approx(found.log10_p[1] + math.log10(3), abs=1e-9)


def test_against_one_and_against_the_mean_are_families_of_their_own():
    fit = d24_fit()
    one = fit.contrasts("against one", "F")
    assert one.what == ("A - F", "B - F", "C - F", "D - F", "E - F")
    pairs = fit.contrasts().to_frame()
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(one.se, pairs.loc[list(one.what), "se"], rtol=1e-12)
    assert one.critical < fit.contrasts().critical
    mean = fit.contrasts("against the mean")
    # One number in two ways, which differ by rounding; seen: 1e-16 off.
    assert mean.what[0] == "A - mean" and mean.estimate.sum() == pytest.approx(0.0, abs=1e-12)
    # Each item against the mean has degrees of freedom of its own, not those of a pair.
    assert len(set(mean.df.round(6))) == 6


def test_the_mean_of_two_items_is_half_their_difference():
    """A - mean = (A - B) / 2, in closed form; one contrast in two directions counts once."""
    table = pairproof.Comparisons.build("AB", [0], [1], [61], None, [35])
    fit = pairproof.fit_bradley_terry(table)
    mean, pair = fit.contrasts("against the mean"), fit.contrasts()
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert mean.estimate[0] == pytest.approx(pair.estimate[0] / 2) and mean.t[0] == pytest.approx(pair.t[0])
    # The printed digits; seen: 8e-16 off.
    assert mean.critical == pytest.approx(1.959963984540054) and mean.adjusted[1] == pytest.approx(pair.p[0])


@settings(deadline=None, max_examples=10)
@given(st.permutations(range(4)), st.sampled_from("ABCD"))
def test_the_names_order_reference_and_scale_change_nothing(order, reference):
    wins = np.array([[0, 56, 62, 95], [44, 0, 56, 95], [38, 44, 0, 93], [5, 5, 7, 0]])
    i, j = np.triu_indices(4, 1)
    table = pairproof.Comparisons.build("ABCD", i, j, wins[i, j], None, wins[j, i])
    names = ["ABCD"[k] for k in order]
    other = pairproof.Comparisons.build(
        names,
        [names.index("ABCD"[k]) for k in i],
        [names.index("ABCD"[k]) for k in j],
        wins[i, j],
        None,
        wins[j, i],
    )
    one = pairproof.fit_bradley_terry(table, ties="none").contrasts()
    two = pairproof.fit_llbt(other, ties="none", reference=reference).on_scale("log-odds").contrasts()
    assert two.critical == pytest.approx(one.critical, abs=1e-3)  # errors of 3e-5 each; seen 0
    expected = {frozenset(w.split(" - ")): (abs(t), p) for w, t, p in zip(one.what, one.t, one.adjusted)}
    for what, t, p in zip(two.what, two.t, two.adjusted):
        # One number in two ways, which differ by rounding; seen: 3e-15 off.
        assert abs(t) == pytest.approx(expected[frozenset(what.split(" - "))][0], rel=1e-9)
        # Adjusted p-values are drawn, with errors of some tenths of a per cent; seen: .2 % off.
        assert p == pytest.approx(expected[frozenset(what.split(" - "))][1], rel=0.02)
    assert {i: len(m) for i, m in zip(one.items, one.letters)} == {
        i: len(m) for i, m in zip(two.items, two.letters)
    }


def test_a_difference_that_is_infinite_or_not_joined_leaves_the_family_and_is_named():
    fit = pairproof.fit_bradley_terry(separated())
    found = fit.contrasts()
    assert found.what == ("B - C",) and [what for what, _ in found.left_out] == ["A - B", "A - C"]
    assert all(why.startswith("plus infinity: a chain of wins") for _, why in found.left_out)
    assert "A - B, A - C (plus infinity: a chain of wins leads" in " ".join(found.summary().split())
    assert found.letters == ("a", "b", "c")
    # The printed digits; seen: 8e-16 off.
    assert found.critical == pytest.approx(1.959963984540054)  # one difference is left
    assert fit.contrasts("against the mean").what == ("B - mean", "C - mean")  # of the two
    two = pairproof.fit_bradley_terry(apart()).contrasts()
    assert two.what == ("A - B", "C - D") and len(two.left_out) == 4
    assert two.left_out[0] == ("A - C", "no chain of comparisons connects the two")


def test_what_one_cluster_determines_has_no_standard_error_and_says_so():
    """Each judge saw one pair: clustered by judge nothing is known of either."""
    data = {"judge": ["1"] * 2 + ["2"] * 2, "first": list("AABB"), "second": list("BBCC"),
            "outcome": ["first", "second", "first", "second"]}  # fmt: skip
    fit = pairproof.fit_bradley_terry(pairproof.read(data), ties="none").clustered("judge")
    with pytest.raises(NotEstimableError, match="A - B: one cluster alone determines it"):
        fit.contrasts()


def test_items_that_the_model_makes_equal_have_no_difference_to_test():
    """Abilities by an item covariate: A and B have the same value of it."""
    table = pairproof.Comparisons.build(
        "ABC",
        [0, 1, 0],
        [1, 2, 2],
        [30, 40, 45],
        None,
        [30, 20, 15],
        item_data={"size": np.array([1.0, 1.0, 0.0])},
    )
    found = pairproof.fit_bradley_terry(table, item_terms=("size",)).contrasts()
    assert found.what == ("A - C", "B - C") and found.left_out[0][0] == "A - B"
    # The printed digits; seen: 8e-16 off.
    assert found.critical == pytest.approx(1.959963984540054)  # the two are the same difference


def test_by_judge_each_group_has_a_family():
    table = pairproof.read(
        {"judge": ["1", "1", "2", "2"], "first": list("ABAB"), "second": list("BCBC"), "wins": [20, 30, 10, 12],
         "ties": [0, 0, 0, 0], "losses": [10, 12, 15, 20]}
    )  # fmt: skip
    fit = pairproof.fit_llbt(table, ties="drop", by="judge")
    assert fit.contrasts(group="judge=2").group == "judge=2" and fit.ranks(
        at={"judge": "1"}
    ).rank.tolist() == [1, 2, 3]
    with pytest.raises(InputError, match="2 groups; name one of"):
        fit.contrasts()


def test_the_summary_says_what_was_done():
    text = str(d24_fit().contrasts())
    for words in ("15 differences in log-odds, all pairs: single-step", "level 95 %", "Critical value 2.82", "Monte Carlo error",
                  "CR2 by judge (24 clusters)", "Letters"):  # fmt: skip
        assert words in text
    assert all(len(line) <= 100 for line in text.splitlines())
    holm = str(d24_fit().contrasts("against one", "F", adjust="holm"))
    assert "5 differences in log-odds, all against F: p-values adjusted by Holm; separate intervals" in holm
    short = d24_fit().contrasts().summary(rows=3)
    assert "... 12 of 15 differences are not shown" in short


def test_the_json_is_plain_and_complete():
    document = json.loads(json.dumps(d24_fit().contrasts().to_dict(), allow_nan=False))
    assert document["covariance"] == "CR2 by judge (24 clusters)" and document["simultaneous"]
    assert len(document["contrasts"]) == 15 and document["letters"]["F"] == "a"
    separate = json.loads(
        json.dumps(pairproof.fit_bradley_terry(separated()).contrasts().to_dict(), allow_nan=False)
    )
    assert separate["left_out"][0]["what"] == "A - B" and separate["contrasts"][0]["df"] is None


def test_differences_under_a_link_that_has_no_log_odds_are_called_neither_log_odds_nor_odds():
    table = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [60, 6, 6], None, [40, 4, 9])
    found = pairproof.fit_bradley_terry(table, link="probit").contrasts()
    assert "3 differences in units of the link" in str(found)
    assert not {"log_odds", "odds", "odds_low", "odds_high"} & set(found.to_frame())


def test_log_odds_and_odds_stand_beside_the_estimates():
    table = pairproof.Comparisons.build("AB", [0], [1], [61], None, [35])
    row = pairproof.fit_llbt(table).contrasts().to_frame().iloc[0]
    # One number in two ways, which differ by rounding; seen: 1e-16 off.
    assert row["odds"] == pytest.approx(61 / 35) and row["log_odds"] == pytest.approx(2.0 * row["estimate"])
    # One number in two ways, which differ by rounding; seen: 2e-16 off.
    assert row["odds_low"] == pytest.approx(math.exp(2.0 * row["low"]))


def test_what_is_asked_wrongly_is_refused_with_what_was_expected():
    fit = d24_fit()
    with pytest.raises(InputError, match="family='tukey'; expected one of 'all pairs', 'against one'"):
        fit.contrasts("tukey")
    with pytest.raises(ItemError, match="no item 'Z'"):
        fit.contrasts("against one", "Z")
    with pytest.raises(InputError, match="against is only for the family 'against one'"):
        fit.contrasts("against one")
    with pytest.raises(InputError, match="against is only for the family 'against one'"):
        fit.contrasts("all pairs", "A")
    with pytest.raises(InputError, match="level=0.3; expected a number between 0.5 and 1"):
        fit.contrasts(level=0.3)
    with pytest.raises(InputError, match="adjust='tukey'"):
        fit.contrasts(adjust="tukey")
    with pytest.raises(InputError, match="df='common' with adjust='holm'"):
        fit.contrasts(adjust="holm", df="common")
    with pytest.raises(InputError, match="comparisons with the best are simultaneous"):
        fit.contrasts("against the best", adjust="holm")
    with pytest.raises(InputError, match="seed=-1"):
        fit.contrasts(seed=-1)


def test_too_many_differences_are_refused_with_their_number():
    n = 1001
    table = pairproof.Comparisons.build(
        [f"i{k}" for k in range(n)],
        np.arange(n - 1),
        np.arange(1, n),
        np.full(n - 1, 3),
        None,
        np.full(n - 1, 2),
    )
    fit = pairproof.fit_bradley_terry(table)
    with pytest.raises(TooLargeError, match="1,001 items have 500,500 differences"):
        fit.contrasts()
    assert len(fit.contrasts("against one", "i5", adjust="holm").what) == 1000
    few = pairproof.Comparisons.build(
        [f"i{k}" for k in range(301)],
        np.arange(300),
        np.arange(1, 301),
        np.full(300, 3),
        None,
        np.full(300, 2),
    )
    fit = pairproof.fit_bradley_terry(few)
    for call in (fit.contrasts, fit.ranks, lambda: fit.contrasts("against the best")):
        with pytest.raises(
            TooLargeError, match="45,150 differences; joint critical values .* at most 300 items"
        ):
            call()
