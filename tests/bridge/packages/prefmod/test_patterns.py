"""prefmod's pattern models: at its own precision beside an independent optimum, and what it cannot say is refused.

The optimum is Newton's in R on all possible answers, listed; the data are simulated by prefmod's own simPC and simR,
or made of a formula, so that no data set is in a record.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pairproof.bridge import Expr
from pairproof.bridge.packages.prefmod import (
    pattL_fit,
    pattLrep_fit,
    pattPC_fit,
    pattR_fit,
    pattRrep_fit,
    simPC,
    simR,
)
from pairproof.errors import InputError
from tests.bridge.conftest import digits
from tests.bridge.packages import patterns_in_r as answers
from tests.bridge.packages.patterns_in_r import newton

ITEMS = ("o1", "o2", "o3", "o4")
NAMES = ("V1", "V2", "V3", "V4", "V5", "V6")


def table(values: Any, **more: Any) -> dict[str, Any]:
    return {f"V{k + 1}": column for k, column in enumerate(np.asarray(values, float).T)} | more


def counted(given: Any) -> tuple[Any, Any]:
    rows, counts = np.unique(given, axis=0, return_counts=True)
    return rows, counts.astype(float)


def at_prefmods_floor(fit, best, names: dict[str, str] | None = None) -> None:
    """Estimates, standard errors and log-likelihood agree as far as nlm went."""
    assert fit.code in (1, 2) and fit.print_error == ""
    assert best.largest_score < 1e-11  # observed 1e-15 to 1e-13
    assert list(best.names) == [(names or {}).get(n, n) for n in fit.names]
    # nlm stops at a gradient of 1e-6 of its scale. Observed: 1e-7 to 2e-5, standard errors 1e-7 to 1.1e-5.
    assert np.abs(fit.coef - best.coef).max() < 1e-4
    assert np.abs(fit.se - best.se).max() < 1e-4
    # Quadratic in the above; observed 1e-11 to 3e-8 below the optimum, and 1e-13 above by rounding.
    assert -1e-10 < best.llf - fit.llf < 1e-6
    # What prefmod stores is the last evaluation of its numeric Hessian; observed 1e-6 to 5e-6 below.
    assert 0 <= fit.llf - fit.ll < 2e-4
    np.testing.assert_array_equal(np.round(fit.coef, 5), fit.printed[:, 0])


@pytest.fixture(scope="module")
def comparisons(policy):
    """60 persons compare four items; every seventh answer is undecided."""
    drawn = simPC(4, 60, [4, 3, 2, 1], seed=7, backend=policy).values.copy()
    drawn.reshape(-1)[::7] = 0
    return drawn


@pytest.fixture(scope="module")
def gaps(comparisons):
    """The same with every eleventh answer, and every fourth of the last comparison, missing."""
    found = comparisons.copy()
    found.reshape(-1)[::11] = np.nan
    found[::4, 5] = np.nan
    return found


def pairs(values: Any) -> Any:
    return np.where(np.isnan(values), answers.MISSING, np.nan_to_num(values)).astype(int)


@pytest.mark.parametrize("ia", [False, True])
def test_comparisons_with_ties(policy, comparisons, ia):
    fit = pattPC_fit(table(comparisons), 4, ia=ia, backend=policy)
    space = answers.all_comparisons(4, ties=True)
    given, n = counted(pairs(comparisons))
    best = newton(answers.model(space, given, n, items=ITEMS, ties=True, ia=ia), backend=policy)
    at_prefmods_floor(fit, best)
    assert fit.persons == 60 and fit.lines[1] == "Results of pattern model for paired comparison "
    observed = n @ np.log(n / n.sum())  # a saturated model of 60 persons in one block
    assert fit.fl == pytest.approx(observed, rel=1e-13)
    assert fit.deviance == pytest.approx(2 * abs(fit.ll - observed), rel=1e-13)


def test_a_covariate_gives_each_group_its_own_worths(policy, comparisons):
    group = np.arange(60) % 3
    fit = pattPC_fit(table(comparisons, G=group + 1.0), 4, "~G", "~G", backend=policy)
    given, n = counted(np.column_stack([pairs(comparisons), group]))
    by = answers.Groups(given[:, -1], np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1]], float), ("", "G2", "G3"))
    model = answers.model(
        answers.all_comparisons(4, True), given[:, :-1], n, items=ITEMS, ties=True, groups=by
    )
    best = newton(model, backend=policy)
    at_prefmods_floor(fit, best)


def test_missing_comparisons_are_a_composite_link(policy, gaps):
    fit = pattPC_fit(table(gaps), 4, backend=policy)
    given, n = counted(pairs(gaps))
    best = newton(
        answers.model(answers.all_comparisons(4, True), given, n, items=ITEMS, ties=True), backend=policy
    )
    at_prefmods_floor(fit, best)


@pytest.mark.parametrize(
    ("asked", "alpha", "beta"),
    [
        ({"NI": True}, None, None),
        ({"MIScommon": True}, "common", None),
        ({"MISalpha": [True] * 3}, "item", None),
        # What prefmod documents for beta is another model; this is the one that it fits.
        ({"MISalpha": [True] * 3, "MISbeta": [True] * 3}, "item", "coded"),
    ],
)  # fmt: skip
def test_missing_comparisons_that_tell_something(policy, gaps, asked, alpha, beta):
    three = gaps[:, :3]
    fit = pattPC_fit(table(three), 3, **asked, backend=policy)
    space, given = answers.all_comparisons(3, ties=True), counted(pairs(three))
    model = answers.missing_model(space, *given, items=ITEMS[:3], ties=True, alpha=alpha, beta=beta)
    at_prefmods_floor(fit, newton(model, backend=policy))


def test_a_covariate_of_incomplete_persons_is_nitest(policy, gaps):
    fit = pattPC_fit(table(gaps), 4, NItest=True, backend=policy)
    given, n = counted(pairs(gaps))
    incomplete = (given == answers.MISSING).any(axis=1).astype(int)
    by = answers.Groups(incomplete, np.array([[1, 0], [1, 1]], float), ("", "incomplete"))
    model = answers.model(answers.all_comparisons(4, True), given, n, items=ITEMS, ties=True, groups=by)
    best = newton(model, backend=policy)
    at_prefmods_floor(fit, best, {f"mis.{i}": f"{i}:incomplete" for i in ITEMS})


def test_salads_are_ranked_as_in_forty_digits(policy):
    fit = pattR_fit(Expr("prefmod::salad"), 4, backend=policy)
    assert fit.names == ("A", "B", "C") and fit.persons == 32
    true = {"A": (-0.2774185056283571, 0.1245452774812784), "B": (0.5912528647502006, 0.1432827758173084)}
    true["C"] = (0.1887875986820734, 0.1114237542668843)
    # nlm's own floor: observed 6.0 and 3.6 digits.
    assert min(digits(fit.estimate(k), b, se) for k, (b, se) in true.items()) > 5
    assert min(digits(fit.standard_error(k), se) for k, (_, se) in true.items()) > 3
    # Quadratic in the error of the estimates: observed 7.5e-11.
    assert -77.44573646528155 - fit.llf == pytest.approx(0, abs=1e-8)


@pytest.mark.r("prefmod")
def test_a_live_answer_is_the_recorded_one():
    assert pattR_fit(Expr("prefmod::salad"), 4, backend="both").result.source == "live"


def test_an_item_without_a_rank_is_below_the_ranked_ones(policy):
    ranks = simR(4, 60, [4, 3, 2, 1], seed=3, backend=policy).values.copy()
    ranks[::2][ranks[::2] > 2] = np.nan
    ranks[1::4][ranks[1::4] > 3] = np.nan
    fit = pattR_fit(table(ranks), 4, obj_names=ITEMS, backend=policy)
    model = answers.model(answers.all_rankings(4), *counted(answers.compared_top(ranks)), items=ITEMS)
    at_prefmods_floor(fit, newton(model, backend=policy))


def test_ratings_are_weak_orders_that_their_points_allow(policy):
    place = np.arange(1, 241).reshape(60, 4)
    ratings = (place * place + np.array([0, 1, 1, 3]) * place) % 7 % 3 + 1.0
    ratings[::9, 1] = np.nan
    fit = pattL_fit(table(ratings), 4, obj_names=ITEMS, backend=policy)
    space = answers.all_ratings(4, 3)
    model = answers.model(space, *counted(answers.compared(ratings)), items=ITEMS, ties=True)
    at_prefmods_floor(fit, newton(model, backend=policy))


def test_two_times_have_their_own_worths_and_depend_on_each_other(policy):
    first = simR(3, 80, [5, 3, 2], seed=1, backend=policy).values
    second = simR(3, 80, [2, 3, 5], seed=2, backend=policy).values[::-1]
    both = table(np.column_stack([first, second]))
    fit = pattRrep_fit(both, 3, 2, iaT=True, backend=policy)
    given = np.column_stack([answers.compared(t) for t in (first, second)])
    rows, n = counted(given)
    model = answers.repeated_model(
        answers.all_rankings(3), [rows[:, :3], rows[:, 3:]], n, items="ABC", iaT=True
    )
    names = {"V1": "A:T1", "V2": "B:T1", "V4": "A:T2", "V5": "B:T2"}
    at_prefmods_floor(fit, newton(model, backend=policy), names)
    tied = [
        np.where(np.arange(80)[:, None] % 3 == k, np.minimum(t, 2), t) for k, t in enumerate((first, second))
    ]
    rated = pattLrep_fit(table(np.column_stack(tied)), 3, 2, iaT=True, backend=policy)
    rows, n = counted(np.column_stack([answers.compared(t) for t in tied]))
    space = answers.all_ratings(3, 3)
    model = answers.repeated_model(space, [rows[:, :3], rows[:, 3:]], n, items="ABC", ties=True, iaT=True)
    at_prefmods_floor(rated, newton(model, backend=policy), names)


# -- as prefmod is ------------------------------------------------------------------------------------------


def test_ties_are_losses_where_one_comparison_has_two_kinds_of_answers(policy):
    # The last comparison is never tied: prefmod multiplies the numbers of kinds, 3 x 3 x 2, and takes an even
    # number for two categories.
    given = {"V1": [0, 1, 2, 0, 0], "V2": [0, 1, 2, 2, 1], "V3": [0, 2, 2, 0, 0]}
    fit = pattPC_fit({k: v * 4 for k, v in given.items()}, 3, backend=policy)
    lost = pattPC_fit({k: [2 if a == 1 else a for a in v] * 4 for k, v in given.items()}, 3, backend=policy)
    assert fit.names == ("o1", "o2")
    np.testing.assert_array_equal(fit.coef, lost.coef)


def test_an_item_without_a_gap_has_its_alpha_at_minus_infinity_and_prefmod_a_number(policy):
    gap = {"V1": [1, -1, 1, -1, 1, 1], "V2": [1, 1, -1, 1, 1, -1], "V3": [1, np.nan, 1, -1, np.nan, 1]}
    fit = pattPC_fit(gap, 3, MISalpha=[True, True, True], backend=policy)
    assert fit.names[2:] == ("mis.alpha1", "mis.alpha2", "mis.alpha3")
    assert fit.estimate("mis.alpha1") < -10 and fit.code == 1  # observed -16.9; nlm reports convergence


def test_where_prefmods_print_stops_the_fit_stands_and_says_why(policy, gaps):
    """A parameter of a comparison after the fourth: prefmod's likelihood is NA, and its "estimates" are zeros."""
    fit = pattPC_fit(table(gaps), 4, MISmodel="comp", MISalpha=[True] * 6, backend=policy)
    assert "exactly singular" in fit.print_error and np.isnan(fit.se).all()
    assert (fit.coef == 0).all() and fit.names[-2:] == ("mis.alphaNA", "U")


# -- refused before prefmod would drop something ------------------------------------------------------------

SIX = {name: [1, -1] for name in NAMES}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: pattPC_fit(SIX, 4, "~G"), r"G stands in formel \(~G\) but not in elim \(~1\)"),
        (lambda: pattPC_fit(SIX, 4, "~G", "~G"), "G is not a column beside the 6 columns of answers; there are none"),
        (lambda: pattPC_fit({**SIX, "G": [1, 2]}, 4, "~G", "~G", NI=True), "G: prefmod fits models of missing"),
        (lambda: pattR_fit({**SIX, "G": [1, 2]}, 4, elim="~V5", NItest=True), "V5: prefmod fits NItest without"),
        (lambda: pattPC_fit(SIX, 4, obj_names=["A", "B"]), "obj_names has 2 names for 4 items"),
        (lambda: pattPC_fit(SIX, 4, MISalpha=[True]), 'MISalpha has 1 values; MISmodel = "obj" takes 4'),
        (lambda: pattPC_fit(SIX, 4, MISbeta=[True] * 4, MISmodel="comp"), 'MISmodel = "comp" takes 6'),
        (lambda: pattPC_fit(SIX, 4, MISmodel="row"), "MISmodel is 'row'"),
        (lambda: pattPC_fit(SIX, 2), "needs at least 3 items, found nitems = 2"),
        (lambda: pattPC_fit(SIX, 5), "needs 10 columns of answers; the table has 6"),
        (lambda: pattR_fit({n: [1.0] for n in NAMES}, 4), "needs at least 2 rows"),
        (lambda: pattR_fit({**SIX, "V3": ["a", "b"]}, 4), "column 'V3' is not numeric"),
        (lambda: pattLrep_fit(SIX, 3, 1), "at least 2 times, found tpoints = 1"),
        (lambda: pattRrep_fit(SIX, 3, 2, obj_names=["A", "B", "C"]), "3 names for 6 columns"),
    ],
)  # fmt: skip
def test_what_prefmod_would_drop_is_refused(call, said):
    with pytest.raises((InputError, ValueError), match=said):
        call()


def test_a_misspelt_option_is_pythons_error():
    with pytest.raises(TypeError, match="resptype"):
        pattPC_fit(SIX, 4, resptype="banana")


def test_only_the_columns_that_are_used_go_to_r(policy, comparisons):
    """A column of text turns prefmod's whole table into text; here it stays where it is."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table(comparisons)).assign(note="x")
    assert pattPC_fit(frame, 4, backend=policy).coef.tolist() == (
        pattPC_fit(table(comparisons), 4, backend=policy).coef.tolist()
    )
