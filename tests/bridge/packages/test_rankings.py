"""PlackettLuce and coxph on rankings: 13 to 15 digits of what 40-digit arithmetic gives, and what they cannot say.

Replayed from the records that ship with the package; ``PAIRPROOF_RECORD=all`` asks R live and writes them anew.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from pairproof.bridge import Backend
from pairproof.bridge.packages import survival
from pairproof.bridge.packages.plackettluce import PlackettLuce, itempar, qvcalc
from pairproof.errors import InputError, RError
from tests.bridge.conftest import digits
from tests.native.answers.patterns.data import FRUIT, SALAD, SALAD_PERSONS, pudding

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
FRUITS = ["apple", "banana", "orange", "pear"]
#: Log worths of salads against A at 40 digits, and their standard errors.
B_C_D = (2.729913979503638, 1.561538511219132, 1.026835903040223)
SE_B_C_D = (0.4480725659043662, 0.3964739550891482, 0.3770620180802706)


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


@pytest.fixture(scope="module")
def salad(policy):
    persons = np.repeat(SALAD, SALAD_PERSONS, axis=0)
    return PlackettLuce(persons, list("ABCD"), npseudo=0, epsilon=1e-13, backend=policy)


def test_strict_rankings_have_the_digits_of_the_reference(salad):
    assert salad.names == salad.items == ("A", "B", "C", "D") and salad.coef[0] == 0
    assert min(digits(b, true) for b, true in zip(salad.coef[1:], B_C_D)) > 13  # observed 14.7
    assert min(digits(b, true) for b, true in zip(salad.se[1:], SE_B_C_D)) > 13  # observed 14.6
    assert digits(salad.loglik, -76.41528920366403) > 14 and digits(salad.null_loglik, -101.697722571134) > 13
    assert (salad.df_residual, salad.rank, salad.df) == (189, 3, 3) and salad.converged
    assert salad.aic == pytest.approx(158.830578407328, rel=1e-14)
    np.testing.assert_allclose(salad.worth, np.exp(salad.coef) / np.exp(salad.coef).sum(), rtol=1e-13)


def test_worths_their_errors_and_quasi_errors(salad, policy):
    worth = itempar(salad, backend=policy)
    # The reference prints 12 digits; R computes them from its 14-digit estimates.
    # The specification prints 12 digits; observed 3e-12.
    np.testing.assert_allclose(
        worth.se, [0.0156492036311, 0.0754961639739, 0.0506467975311, 0.0332578220705], rtol=1e-11
    )
    centred = itempar(salad, log=True, backend=policy)
    # The same number in another way, rounding alone; observed 3e-15.
    np.testing.assert_allclose(centred.se[:2], [0.265286664377964, 0.2521248685754531], rtol=1e-12)
    assert centred.estimate.sum() == pytest.approx(0, abs=1e-13)
    against = itempar(salad, "D", log=True, backend=policy)
    # The same number in another way, rounding alone; observed 0.
    assert against.estimate[3] == 0 and against.se[3] == pytest.approx(0, abs=1e-12)
    quasi = qvcalc(salad, backend=policy)
    # qvcalc's optimiser stops 4 to 5 digits from its optimum; the reference is another run of it.
    # qvcalc's own search ends here; observed 3e-10.
    np.testing.assert_allclose(
        quasi.quasi_se, [0.3203818280, 0.2974705272, 0.2224756194, 0.2239765235], rtol=1e-7
    )
    assert quasi.items == ("A", "B", "C", "D")
    with pytest.raises(ValueError, match="'E' is no item"):
        itempar(salad, "E", backend=policy)


def test_pseudo_rankings_move_estimates_and_leave_the_standard_errors_alone(policy):
    default = PlackettLuce(SALAD, list("ABCD"), weights=SALAD_PERSONS, backend=policy)
    # R's default stop, an absolute 1e-7 on sufficient statistics: observed 8.9 digits.
    assert digits(default.estimate("B"), 2.671159590596338) > 7
    # The data's information at the penalised estimate, not the curvature of what was maximised (.4397).
    assert digits(default.standard_error("B"), 0.4432911097) > 6
    assert default.loglik == pytest.approx(-76.42416852055724, rel=1e-9)


def test_ties_and_gaps_have_the_digits_of_the_reference(policy):
    fit = PlackettLuce(np.maximum(FRUIT, 0), FRUITS, npseudo=0, epsilon=1e-13, backend=policy)
    assert fit.names == (*FRUITS, "tie2", "tie3") and fit.tie_orders.tolist() == [1, 2, 3]
    true = (
        0.2942874275531105,
        -0.733511305167417,
        -0.1190960477772294,
        -1.861946710107442,
        -0.7369734578380988,
    )
    se = (1.049959700762125, 1.150983921517880, 1.079815182359494, 1.074113898525364, 1.137208421727064)
    assert min(digits(b, t) for b, t in zip(fit.coef[1:], true)) > 12  # observed 13.5
    assert min(digits(b, t) for b, t in zip(fit.se[1:], se)) > 12  # observed 14.2
    assert digits(fit.loglik, -14.56973928913296) > 14


def test_ties_of_two_items_are_davidsons(policy):
    ranks, weights = pudding()
    ranks = np.maximum(ranks, 0)
    kept = weights > 0
    fit = PlackettLuce(
        ranks[kept], list("123456"), weights=weights[kept], npseudo=0, epsilon=1e-13, backend=policy
    )
    assert digits(fit.estimate("tie2"), -0.2919270862480201) > 12  # observed 14
    assert digits(fit.standard_error("tie2"), 0.0824986917209838) > 12  # observed 14
    assert fit.df_residual == 1484 and digits(fit.loglik, -809.7095100902874) > 14


def test_a_prior_is_maximised_by_bfgs_to_its_own_digits(policy):
    fit = PlackettLuce(np.maximum(FRUIT, 0), FRUITS, normal=([0.0] * 4, np.eye(4)), backend=policy)
    free = fit.coef - fit.coef[0]
    assert digits(fit.estimate("banana") - fit.coef[0], 0.1837303391724235) > 3  # observed 4.1
    assert fit.log_posterior < fit.loglik and np.isfinite(free).all()


def test_orders_three_without_two_are_fitted_and_their_errors_are_not(policy):
    ranks = [[1, 1, 1, 2], [1, 2, 3, 4], [4, 3, 2, 1], [2, 1, 4, 3], [3, 4, 1, 2]]
    fit = PlackettLuce(ranks, list("ABCD"), npseudo=0, epsilon=1e-13, backend=policy)
    assert digits(fit.estimate("D"), -0.1470821894571) > 11
    assert np.isnan(fit.se).all() and "same number of rows" in fit.vcov_error


def test_a_network_that_is_not_connected_is_rs_own_error(policy):
    with pytest.raises(RError, match="Network is not fully connected"):
        PlackettLuce([[1, 2, 3], [1, 3, 2]], list("ABC"), npseudo=0, backend=policy)


def test_what_r_recodes_it_says(policy):
    fit = PlackettLuce([[10, 20, 0], [5, 0, 2], [0, 3, 7]], list("ABC"), backend=policy)
    assert any("dense form" in message for message in fit.result.messages)


@pytest.mark.parametrize("k", [1, 2, None])
def test_the_best_k_by_proportional_hazards(policy, salad, k):
    fit = survival.coxph(SALAD, list("ABCD"), k, weights=SALAD_PERSONS.astype(float), backend=policy)
    true = {
        1: (
            (2.442347035369204, 0.9162907318741551, 0.0),
            (0.7372097808, 0.8366600265, 1.0),
            -27.96740363881052,
        ),
        2: (
            (2.470426331865564, 1.242542041147997, 0.5116318226187894),
            (0.5002455428, 0.4665206953, 0.5167883334),
            -59.60623368449232,
        ),
        None: (B_C_D, SE_B_C_D, -76.41528920366403),
    }[k]
    assert fit.names == ("B", "C", "D")
    # coxph takes Newton's steps to the end: observed 1e-15; the reference prints 10 digits of k's errors.
    np.testing.assert_allclose(fit.coef, true[0], atol=1e-12)
    np.testing.assert_allclose(fit.se, true[1], atol=1e-9)
    assert digits(fit.loglik, true[2]) > 13


def test_absent_items_are_not_below(policy):
    ranks = [[1, 2, 0], [2, 1, 0], [0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 2, 1]]
    absent = survival.coxph(ranks, list("ABC"), unranked="absent", backend=policy)
    same = PlackettLuce(ranks, list("ABC"), npseudo=0, epsilon=1e-13, backend=policy)
    # The same number in another way, rounding alone; observed 2e-16.
    np.testing.assert_allclose(absent.coef, same.coef[1:], atol=1e-12)
    np.testing.assert_allclose(absent.se, same.se[1:], rtol=1e-11)
    below = survival.coxph(ranks, list("ABC"), backend=policy)
    assert abs(below.loglik - absent.loglik) > 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: PlackettLuce([[-1, 2, 3]], list("ABC")), "ranking 1, item 'A': rank -1"),
        (lambda: PlackettLuce([[1, 2, 3]], list("AB")), "items has 2 names for 3 columns"),
        (lambda: PlackettLuce([1, 2, 3], list("ABC")), "found shape"),
        (lambda: PlackettLuce([[1, 2]], list("AB"), normal=([0], np.eye(2))), "shape .2, 2. for 1 means"),
        (lambda: survival.coxph([[1, 1, 2]], list("ABC")), "ranking 1 has ties"),
        (lambda: survival.coxph([[1, 2]], list("ABC")), "3 items need as many columns"),
        (lambda: survival.coxph([[1, 2]], list("AB"), weights=[0]), "a number above 0 for each of 1 rankings"),
    ],
)  # fmt: skip
def test_what_r_would_misread_is_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()
