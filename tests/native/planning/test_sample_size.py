"""Power and sample size: vectors of the noncentral t computed in R, simulation, and pilots."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError, ItemError
from pairproof.fit.many.abilities import Abilities
from pairproof.fit.many.ranks import rank_sets
from pairproof.native.planning.pilot_studies import IntraClass, intraclass_correlation, pilot_of, pilot_table
from pairproof.native.planning.sample_size import (
    FAR,
    Assumptions,
    Design,
    answers_needed,
    assumed_table,
    detectable,
    judges_needed,
    power,
    power_of_t,
    sources_needed,
    told_apart,
    variance_of_mean,
)
from pairproof.native.planning.study_plans import plan_table, plan_two, simulated_power
from tests.places import DATA

EXPECTED = Assumptions(0.1, tie_rate=0.25, judge_icc=0.05)
STUDIES = ((10, 30), (20, 15), (60, 5), (20, 60))


# -- two systems ---------------------------------------------------------------------------------------------


def test_power_is_that_of_the_noncentral_t():
    """scipy's boost and R's pt(ncp) agree to 10 digits; seen 2e-10."""
    found = [power(EXPECTED, Design(g, g * m)) for g, m in STUDIES]
    np.testing.assert_allclose(
        found, [0.210549799012, 0.311170405600, 0.439729493017, 0.485482708777], rtol=1e-9
    )
    assert [judges_needed(EXPECTED, m) for m in (5, 15, 60)] == [142, 68, 41]


def test_a_shift_of_any_size_has_a_power():
    """scipy's noncentral t ends the process where the shift is some 60,000 standard errors."""
    for df in (1.0, 4.0, 1e6):
        assert [power_of_t(shift, df) for shift in (0.0, 1e5, 1e9)] == [pytest.approx(0.05), 1.0, 1.0]
    # At a level of 1e-8 with 1 df q is 6.4e7: the two ways agree where one takes over; seen 2e-6.
    below, above = (power_of_t(FAR * side, 1.0, 1 - 1e-8) for side in (1 - 1e-6, 1 + 1e-6))
    assert below == pytest.approx(above, rel=1e-4)


def test_the_formula_is_that_of_simulated_studies():
    """1,000 studies each: a Monte Carlo error of .016."""
    for g, m in STUDIES:
        found = simulated_power(EXPECTED, Design(g, g * m), 1000, seed=3)
        # Four Monte Carlo errors; seen: 2e-2 off.
        assert found.power == pytest.approx(power(EXPECTED, Design(g, g * m)), abs=4 * found.error)
    null = Assumptions(0.0, tie_rate=0.25, judge_icc=0.05)
    # Four Monte Carlo errors of .007; seen: 5e-3 off.
    assert simulated_power(null, Design(20, 300), 1000).power == pytest.approx(0.05, abs=4 * 0.007)


def test_judges_and_sources_together_are_simulated_with_errors_by_both():
    """400 studies, error .025; the test by both ways takes the largest of three standard errors, and is the weaker."""
    both = Assumptions(0.15, 0.25, 0.05, 0.03)
    found = simulated_power(both, Design(20, 1000, 50), 400, seed=1)
    formula = power(both, Design(20, 1000, 50))
    assert formula - 0.12 < found.power < formula + 3 * found.error


def test_more_answers_of_a_judge_never_beat_what_judges_share():
    # One number in two ways, which differ by rounding; seen: 1e-16 off.
    assert variance_of_mean(EXPECTED, Design(10, math.inf)) == pytest.approx(EXPECTED.variance * 0.05 / 10)
    crossed = Assumptions(0.1, tie_rate=0.25, judge_icc=0.05, source_icc=0.03)
    # The printed digits; seen: 0 off.
    assert variance_of_mean(crossed, Design(20, 1000, 50)) == pytest.approx(0.00297480000, rel=1e-12)
    assert answers_needed(EXPECTED, 30) is None and power(EXPECTED, Design(30, math.inf)) < 0.8
    assert any(
        "cannot be reached with 30 judges" in said for said in plan_two(EXPECTED, judges=30).sentences()
    )


def test_what_is_needed_is_the_fewest_that_is_enough():
    each = answers_needed(EXPECTED, 40)
    assert power(EXPECTED, Design(40, 40 * each)) >= 0.8 > power(EXPECTED, Design(40, 40 * (each - 1)))
    both = Assumptions(0.2, 0.25, 0.05, 0.03)
    s = sources_needed(both, 30, 50)
    assert power(both, Design(30, 1500, s)) >= 0.8 > power(both, Design(30, 1500, s - 1))
    assert sources_needed(EXPECTED, 10, 50) is None  # ten judges are too few for any number of sources
    margin = detectable(EXPECTED, Design(20, 300))
    # One number in two ways, which differ by rounding; seen: 4e-14 off.
    assert power(Assumptions(margin, 0.25, 0.05), Design(20, 300)) == pytest.approx(0.8, abs=1e-6)
    assert detectable(Assumptions(0.05, 0.9, 0.9), Design(2, 4)) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Assumptions(0.8, 0.3), "cannot exceed 1 - P"),
        (lambda: Assumptions(0.1, 0.1, 0.6, 0.5), "together below 1"),
        (lambda: Assumptions(0.1, 0.1, float("nan")), "expected at least 0"),
        (lambda: Design(1, 20), "at least two of each"),
        (lambda: Design(5, 4), "at least one of each"),
        (lambda: judges_needed(EXPECTED, 5, wanted=1.0), "power 1; expected"),
        (lambda: power(EXPECTED, Design(5, 20), level=0.0), "level=0.0"),
        (lambda: simulated_power(EXPECTED, Design(1000, 1e6), 10_000), "are drawn at most"),
        (lambda: plan_two(EXPECTED, judges=1), "at least two"),
        (lambda: plan_two(EXPECTED, per_judge=0.5), "expected at least 1"),
    ],
)
def test_studies_that_cannot_be_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


# -- pilots --------------------------------------------------------------------------------------------------


def correlation(scores, unit) -> IntraClass:
    y = np.asarray(scores, float)
    return intraclass_correlation(np.bincount(unit) * 1.0, np.bincount(unit, y), float((y**2).sum()), 0.95)


def test_a_pilots_correlation_is_that_of_the_analysis_of_variance():
    """200 units of 10 with variances .25 and 1: .2, with a standard error of .025."""
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(200), 10)
    scores = rng.normal(size=200)[unit] * 0.5 + rng.normal(size=2000)
    found = correlation(scores, unit)
    # Four standard errors of .025; seen: .005 off.
    assert found.icc == pytest.approx(0.2, abs=0.1) and found.low < 0.2 < found.high
    assert correlation(np.tile([1.0, -1.0], 50), np.repeat(np.arange(50), 2)).icc == 0.0
    with pytest.raises(InputError, match="a correlation needs two of them"):
        correlation([1.0, -1.0], [0, 1])


def test_limits_of_a_correlation_cover_as_promised():
    """400 pilots of 15 judges with 20 normal scores, correlation .1: .95 within 4 errors of .011."""
    rng = np.random.default_rng(8)
    unit = np.repeat(np.arange(15), 20)
    inside = 0
    for _ in range(400):
        y = rng.normal(size=15)[unit] * math.sqrt(0.1) + rng.normal(size=300) * math.sqrt(0.9)
        found = correlation(y, unit)
        inside += found.low <= 0.1 <= found.high
    # Monte Carlo error .011, four of them; seen: 8e-3 off.
    assert inside / 400 == pytest.approx(0.95, abs=4 * 0.011)


def test_a_pilot_of_counts_is_that_of_its_answers_one_by_one():
    rows = {"first": ["A", "B", "A"], "second": ["B", "A", "B"], "wins": [30, 8, 5], "ties": [10, 4, 2],
            "losses": [20, 9, 9], "judge": ["1", "2", "3"]}  # fmt: skip
    found = pilot_of(pairproof.read(rows))
    scores = [1] * 30 + [0] * 10 + [-1] * 20 + [-1] * 8 + [0] * 4 + [1] * 9 + [1] * 5 + [0] * 2 + [-1] * 9
    unit = [0] * 60 + [1] * 21 + [2] * 16
    alone = correlation(scores, unit)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(
        (found.judge.icc, found.judge.high, found.judge.per_unit), (alone.icc, alone.high, alone.per_unit)
    )
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert (found.margin, found.tie_rate) == (pytest.approx(np.mean(scores)), pytest.approx(16 / 97))
    assert found.source is None and found.why_not[0].startswith("no column source")


# -- several systems -----------------------------------------------------------------------------------------


def test_a_contrast_of_two_is_the_same_study_in_log_odds():
    """With two systems and no ties, 4 / n of answers and 2 tau^2 / G of judges."""
    design = assumed_table([0.0, 0.0], judges=10, answers=400, judge_sd=0.3)
    # One number in two ways, which differ by rounding; seen: 1e-16 off.
    assert design.standard_error("A", "B") ** 2 == pytest.approx(4 / 400 + 2 * 0.09 / 10)
    assert design.planned(20, 800).standard_error("A", "B") ** 2 == pytest.approx(4 / 800 + 2 * 0.09 / 20)


def test_power_of_a_contrast_is_that_of_tables_drawn_and_fitted():
    """Judges with own preferences of sd .3, 200 tables of 20 judges: error .03; seen .70 against .72."""
    truth, rng = np.array([0.5, 0.2, 0.0]), np.random.default_rng(10)
    design = assumed_table(truth, judges=20, answers=20 * 30, judge_sd=0.3)
    first, second = np.array([0, 0, 1] * 10), np.array([1, 2, 2] * 10)
    judge = np.repeat(np.arange(20), 30)
    hits = 0
    for _ in range(200):
        own = truth + rng.normal(0, 0.3, (20, 3))
        eta = own[judge, np.tile(first, 20)] - own[judge, np.tile(second, 20)]
        won = rng.random(600) < 1 / (1 + np.exp(-eta))
        table = pairproof.Comparisons.build(
            "ABC", np.tile(first, 20), np.tile(second, 20), won.astype(float), None, (~won).astype(float),
            columns={"judge": pairproof.data.columns.Factor(judge, tuple(map(str, range(20))))},
        )  # fmt: skip
        hits += pairproof.fit_bradley_terry(table).clustered("judge").contrast("A", "C").p < 0.05
    assert hits / 200 == pytest.approx(design.power_of("A", "C"), abs=0.12)


def test_a_pilot_gives_the_spread_of_its_judges_back():
    """150 judges of sd .5: .5 within .12; preferences in log-odds are shrunk a little, seen .44."""
    rng = np.random.default_rng(0)
    own = np.array([0.6, 0.3, 0.1, 0.0]) + rng.normal(0, 0.5, (150, 4))
    judge = np.repeat(np.arange(150), 30)
    i = rng.integers(0, 4, len(judge))
    j = (i + rng.integers(1, 4, len(judge))) % 4
    won = rng.random(len(judge)) < 1 / (1 + np.exp(own[judge, j] - own[judge, i]))
    table = pairproof.read({"first": [*np.array(list("ABCD"))[i]], "second": [*np.array(list("ABCD"))[j]],
                            "outcome": np.where(won, "first", "second").tolist(), "judge": judge.tolist()})  # fmt: skip
    design = pilot_table(table)
    # By moments the spread of 150 judges has an error of some .03; seen: .029 off.
    assert design.judge_sd == pytest.approx(0.5, abs=0.12) and design.judges == 150
    fit = pairproof.fit_bradley_terry(table).clustered("judge")
    # The plan supposes one spread for all items, CR2 takes each as observed; seen: .6 % off.
    assert design.standard_error("A", "B") == pytest.approx(fit.contrast("A", "B").se, rel=0.1)
    assert pilot_table(table, judge_sd=0.0).standard_error("A", "B") < design.standard_error("A", "B")


def test_the_steps_of_a_simulated_ranking_are_those_of_rank_sets():
    """R8 of the specification, whose nearest score is .036 from its critical value; 100,000 draws: error .006."""
    b = np.array([1.4, 1.2, 0.9, 0.85, 0.5, 0.2, 0.1, 0.0])
    k = np.arange(8)
    v = 0.02 * 0.5 ** np.abs(k[:, None] - k) + 0.01 * np.eye(8)
    se = np.sqrt(np.add.outer(np.diag(v), np.diag(v)) - 2 * v)
    sets = rank_sets(Abilities(tuple("ABCDEFGH"), b, v, se, np.full((8, 8), np.inf)))
    i, j = np.nonzero(~np.eye(8, dtype=bool))
    draws = np.random.default_rng(1).standard_normal((100_000, 8)) @ np.linalg.cholesky(v).T
    null = (draws[:, i] - draws[:, j]) / se[i, j]
    told = told_apart((b[i] - b[j]) / se[i, j], null, float(np.quantile(null.max(axis=1), 0.95)), 0.95)
    above = np.zeros((8, 8), bool)
    above[i[told], j[told]] = True
    assert (above == sets.above).all() and above.sum() == 13


def test_more_judges_settle_more_and_unlimited_answers_do_not():
    design = assumed_table([0.9, 0.3, 0.0], judges=10, answers=300, judge_sd=0.3)
    plan = plan_table(design, "top-k", top=1, studies=200)
    enough = plan_table(
        design.planned(plan.judges_needed, plan.judges_needed * 30), "top-k", top=1, studies=200
    )
    assert plan.power < 0.8 <= enough.power and plan.power < plan.highest_power
    order = plan_table(design, "ranking", studies=200)
    assert order.power <= plan.power and order.judges_needed > plan.judges_needed
    # A simultaneous statement: some pair is the wrong way round in 5 % of studies at most.
    assert order.ranking.wrong <= 0.05 + 3 * order.ranking.error


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: assumed_table([1.0], judges=10, answers=100), InputError, "two finite log-odds"),
        (
            lambda: assumed_table([1.0, 0.0], judges=10, answers=100, items=["X"]),
            InputError,
            "names X for 2 abilities",
        ),
        (lambda: assumed_table([1.0, 0.0], judges=1, answers=100), InputError, "two judges"),
        (lambda: assumed_table([1.0, 0.0], judges=10, answers=100, tie_rate=1.0), InputError, "tie rate"),
        (lambda: plan_table(assumed_table([1, 0], judges=9, answers=99), "contrast"), InputError, "--pair A,B"),
        (
            lambda: plan_table(assumed_table([1, 0], judges=9, answers=99), "contrast", pair=("A", "X")),
            ItemError,
            "no system 'X'",
        ),
        (
            lambda: plan_table(assumed_table([1, 0], judges=9, answers=99), "top-k", top=2),
            InputError,
            "the top 2 of 2",
        ),
        (
            lambda: pilot_table(pairproof.read({"first": ["A"], "second": ["B"], "wins": [3], "losses": [2]})),
            InputError,
            "no column 'judge'",
        ),
        (
            lambda: pilot_table(
                pairproof.read({"first": ["A"] * 2, "second": ["B"] * 2, "wins": [3, 4], "losses": [0, 0],
                                "judge": ["1", "2"]})
            ),
            InputError,
            "not every difference of systems has a finite estimate",
        ),
        (
            lambda: pilot_table(
                pairproof.read({"first": ["A"], "second": ["B"], "wins": [3], "losses": [2], "judge": ["1"]})
            ),
            InputError,
            "one judge; a study is planned",
        ),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_planned_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_pilot_with_sources_has_a_part_of_theirs():
    design = pilot_table(pairproof.read(str(DATA / "inference_d24.csv")))
    assert (design.judges, design.sources, design.answers) == (24.0, 30.0, 360.0)
    assert design.judge_sd > 0 and design.source_sd > 0
    # Twice as many judges alone do not take sources' part away.
    more = design.planned(48, 720, 30)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(more.of_sources, design.of_sources)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(2 * more.of_judges, design.of_judges)
