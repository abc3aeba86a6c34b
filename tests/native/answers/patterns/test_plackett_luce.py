"""Plackett and Luce's model: values worked out at 40 digits, sums over all rankings, and what may not change.

The values are those of an independent Newton fit polished at 40 digits; R's PlackettLuce 0.4.5 at epsilon =
1e-13 has the same 14 digits.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from pairproof.data.respondents.codes import dense
from pairproof.errors import InputError, NotEstimableError
from pairproof.native.answers.patterns.answer_likelihood import Likelihood, PatternFit, Prior, examine
from pairproof.native.answers.patterns.luce_choices import LuceSpace, Ranks, without_one, without_two
from pairproof.native.answers.patterns.natural_parameters import ItemTerm, main_effects
from pairproof.native.answers.patterns.ranking_patterns import fit_plackett_luce, sequences
from tests.native.answers.brute import assert_derivatives
from tests.native.answers.patterns.data import FRUIT, SALAD, SALAD_PERSONS, pudding

FIRST = [main_effects("ABCD", reference=0)]
LEVEL = [ItemTerm(np.eye(4), np.ones(1), tuple("ABCD"))]


def salad(ranks: NDArray[np.int64] = SALAD, **options: object) -> PatternFit:
    return fit_plackett_luce(ranks, FIRST, weights=SALAD_PERSONS, **options)  # type: ignore[arg-type]  # of a test


def assert_is(found: NDArray[np.float64], true: list[float], digits: float = 13.0) -> None:
    """Relative digits, absolute for values below 1; observed 14 and more unless a test says otherwise."""
    off = np.abs(found - true) / np.maximum(np.abs(true), 1.0)
    assert off.max() < 10.0**-digits, (found, true)


def test_salad_is_the_40_digit_value() -> None:
    fit = salad()
    assert_is(fit.estimate.phi, [2.729913979503638, 1.561538511219132, 1.026835903040223])
    assert_is(fit.estimate.standard_errors, [0.4480725659043662, 0.3964739550891482, 0.3770620180802706])
    assert_is(np.array([fit.estimate.llf]), [-76.41528920366403])
    assert_is(np.array([fit.saturated]), [-66.32142412407684], 12)
    assert_is(np.array([fit.deviance]), [20.18773015917438], 12)
    assert fit.df == 20


def test_pseudo_comparisons_give_rs_default_estimate_and_the_curvature_of_what_was_maximised() -> None:
    fit = salad(pseudo=0.5)
    assert_is(fit.estimate.phi, [2.671159590596338, 1.525858436984493, 1.001875633829602])
    assert_is(fit.estimate.standard_errors, [0.4397051948, 0.3893434633, 0.3706385036], 10)  # as printed
    assert_is(np.array([fit.estimate.llf]), [-76.42416852055724])


def test_a_normal_prior_fixes_the_level() -> None:
    fit = fit_plackett_luce(SALAD, LEVEL, weights=SALAD_PERSONS, prior=Prior(np.zeros(4), np.eye(4))).estimate
    c = np.hstack([-np.ones((3, 1)), np.eye(3)])
    assert_is(c @ fit.phi, [2.487969502970766, 1.41819998932507, 0.9248105867253503])
    se = np.sqrt(np.diag(c @ fit.covariance @ c.T))
    # mpmath at 40 digits, from the inverse of the information and the prior's precision.
    assert_is(se, [0.41061045306743489, 0.36661590890349492, 0.35010042838533890])
    assert_is(np.array([fit.llf]), [-76.56860756354525])


@pytest.mark.parametrize(("k", "log_worth", "se", "llf"), [
    (2, [2.470426331865564, 1.242542041147997, 0.5116318226187894],
     [0.5002455428, 0.4665206953, 0.5167883334], -59.60623368449232),
    (1, [2.442347035369204, 0.9162907318741551, 0.0], [0.7372097808, 0.8366600265, 1.0], -27.96740363881052),
])  # fmt: skip
def test_the_best_k_below_which_all_others_stand_are_the_40_digit_values(
    k: int, log_worth: list[float], se: list[float], llf: float
) -> None:
    fit = salad(np.where(SALAD <= k, SALAD, 0))
    assert_is(fit.estimate.phi, log_worth)
    assert_is(fit.estimate.standard_errors, se, 9.5)  # as printed
    assert_is(np.array([fit.estimate.llf]), [llf])


def test_reversed_rankings_are_another_model() -> None:
    fit = salad(5 - SALAD)
    assert_is(fit.estimate.phi, [-2.542313345613175, -1.314010097832151, -0.7557792274046778])
    assert_is(np.array([fit.estimate.llf]), [-77.93798198623771])


def test_puddings_with_ties_of_two_are_the_40_digit_value() -> None:
    ranks, weights = pudding()
    terms = [main_effects("123456", reference=0)]
    fit = fit_plackett_luce(ranks, terms, weights=weights)
    assert_is(
        fit.estimate.phi,
        [0.2202419002413233, 0.1529777048541748, 0.1751449085898067, 0.1338652269910977, 0.3771348958015903,
         -0.2919270862480201],
    )  # fmt: skip
    assert_is(
        fit.estimate.standard_errors,
        [0.1872169816217819, 0.1935183581248982, 0.1882110872344995, 0.1927045607903672, 0.1924062336358611,
         0.0824986917209838],
    )  # fmt: skip
    assert_is(np.array([fit.estimate.llf]), [-809.7095100902874])
    pseudo = fit_plackett_luce(ranks, terms, weights=weights, pseudo=0.5)
    assert_is(
        pseudo.estimate.phi,
        [0.2188770300229121, 0.1520511259299724, 0.1740634712387672, 0.1330615789434297, 0.3747427663089339,
         -0.3029811051788605],
    )  # fmt: skip


def test_fruit_with_ties_of_two_and_three_is_the_40_digit_value() -> None:
    fit = fit_plackett_luce(FRUIT, FIRST)
    assert fit.estimate.names == ("B", "C", "D", "tie2", "tie3")
    assert_is(
        fit.estimate.phi,
        [
            0.2942874275531105,
            -0.733511305167417,
            -0.1190960477772294,
            -1.861946710107442,
            -0.7369734578380988,
        ],
    )
    assert_is(
        fit.estimate.standard_errors,
        [1.049959700762125, 1.150983921517880, 1.079815182359494, 1.074113898525364, 1.137208421727064],
    )
    assert_is(np.array([fit.estimate.llf]), [-14.56973928913296])
    pseudo = fit_plackett_luce(FRUIT, FIRST, pseudo=0.5).estimate
    assert_is(
        pseudo.phi,
        [
            0.2528737722618106,
            -0.6135068427389031,
            -0.0868847128890759,
            -2.150681101571446,
            -0.7924535718227142,
        ],
    )
    assert_is(
        pseudo.standard_errors,
        [0.9788590624447, 1.0425842665717, 0.9985927211083, 1.0500737025428, 1.1295309464082],
        12,
    )
    prior = Prior(np.zeros(6), np.diag([1.0, 1, 1, 1, 0, 0]))
    normal = fit_plackett_luce(FRUIT, LEVEL, prior=prior).estimate
    c = np.hstack([-np.ones((3, 1)), np.eye(3)])
    assert_is(c @ normal.phi[:4], [0.1837303391724235, -0.4313138492719429, -0.0429350668132337], 12.5)
    assert_is(normal.phi[4:], [-1.890198377867043, -0.7756731731058577], 12.5)
    se = np.sqrt(np.diag(c @ normal.covariance[:4, :4] @ c.T))
    # The printed SE have 11 digits at most: 0.8438764799403 against ours 0.84387647994027.
    assert_is(se, [0.8438764799403, 0.8639350709567, 0.8523874831213], 10)


def test_ties_alone_can_hold_an_item_that_never_loses() -> None:
    # R: "Network is not fully connected"; the maximum exists.
    ranks = np.array([[-1, 1, 2], [-1, 2, 1], [-1, 1, 1], [1, 2, -1], [1, 1, -1]])
    fit = fit_plackett_luce(ranks, [main_effects("ABC", reference=0)])
    assert_is(fit.estimate.phi, [-1.978409652266362, -1.978409652266362, 0.4532887697026382])
    assert_is(np.array([fit.estimate.llf]), [-4.991869476375974])


ORDER3 = np.array([[1, 1, 1, 2], [1, 2, 3, 4], [4, 3, 2, 1], [2, 1, 4, 3], [3, 4, 1, 2]])


def test_ties_of_three_without_ties_of_two_are_the_40_digit_value() -> None:
    fit = fit_plackett_luce(ORDER3, FIRST)
    assert_is(fit.estimate.phi, [0.0, -0.02984684165457955, -0.1470821894570157, -1.700616431154635])
    assert_is(fit.estimate.standard_errors, [0.81839544, 0.92153052, 0.94040273, 1.07347696], 8)  # as printed
    assert_is(np.array([fit.estimate.llf]), [-16.85687454215175])


def test_an_order_of_ties_that_never_occurs_has_an_infinite_parameter() -> None:
    with pytest.raises(NotEstimableError, match="tie2: the estimate is infinite"):
        fit_plackett_luce(ORDER3, FIRST, orders=(2, 3))


def test_worths_a_million_to_one_apart_are_the_closed_form() -> None:
    ranks = np.array([[1, 2, -1], [2, 1, -1], [-1, 1, 2], [-1, 2, 1]])
    weights = np.array([999999.0, 1, 999, 1])
    fit = fit_plackett_luce(ranks, [main_effects("ABC", reference=0)], weights=weights)
    assert_is(fit.estimate.phi, [-np.log(999999), -np.log(999999) - np.log(999)])
    assert_is(fit.estimate.standard_errors, [1.0000005, 1.41456778], 8)


def test_gaps_in_the_network_are_named() -> None:
    ranks = np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3]])
    with pytest.raises(NotEstimableError, match=r"they fall into \{A\} \{B, C\}"):
        fit_plackett_luce(ranks, [main_effects("ABC", reference=0)])
    apart = np.array([[1, 2, -1, -1], [2, 1, -1, -1], [-1, -1, 1, 2], [-1, -1, 2, 1]])
    with pytest.raises(NotEstimableError, match=r"\{A, B\} \{C, D\}"):
        fit_plackett_luce(apart, FIRST)
    assert salad(pseudo=0.1).estimate.phi[0] < salad().estimate.phi[0]


def test_with_ties_the_sets_between_which_worths_are_infinite_are_named() -> None:
    ranks = np.array([[1, 2, 3, 4], [1, 3, 2, 4], [1, 2, 2, 3], [1, 2, 3, 4]])
    with pytest.raises(NotEstimableError, match=r"infinite between the sets \{A\} \{B, C\} \{D\}"):
        fit_plackett_luce(ranks, FIRST)


def test_probabilities_of_all_rankings_with_ties_add_up_to_one() -> None:
    rows = {tuple(dense(np.array([r]))[0]) for r in itertools.product([1, 2, 3, 4], repeat=4)}
    assert len(rows) == sequences(4, (2, 3, 4)) == 75
    space = LuceSpace(Ranks(np.array(sorted(rows))))
    beta = np.array([0.3, -0.7, 1.1, 0.0, -0.5, 0.2, -1.0])
    log_p = space.at(beta).log_probabilities(np.arange(75))
    assert abs(np.exp(log_p).sum() - 1.0) < 1e-13
    mean = np.exp(log_p) @ space.at(beta).scores(np.arange(75))
    assert np.abs(mean).max() < 1e-13  # a score has mean 0
    information = space.at(beta).information(np.arange(75), np.exp(log_p))
    scores = space.at(beta).scores(np.arange(75))
    assert (
        np.abs(information - (scores.T * np.exp(log_p)) @ scores).max() < 1e-13
    )  # and the information as variance


def test_scores_and_information_are_derivatives() -> None:
    rng = np.random.default_rng(2)
    space = LuceSpace(Ranks(FRUIT))
    likelihood = Likelihood(space, np.zeros(6, dtype=np.int64), [np.eye(6)])
    assert_derivatives(likelihood, rng.normal(size=6), rng.random(6))


def test_elementary_polynomials_without_items_are_the_sums_over_sets() -> None:
    rng = np.random.default_rng(3)
    w = rng.random((2, 6))

    def e(items: list[int], d: int) -> NDArray[np.float64]:
        return np.sum([w[:, list(s)].prod(axis=1) for s in itertools.combinations(items, d)], axis=0)

    for d in (1, 2, 3):
        for i, found in enumerate(without_one(w, d).T):
            assert np.abs(found - e([k for k in range(6) if k != i], d)).max() < 1e-13
        for i, j, both in without_two(w, d):
            assert np.abs(both - e([k for k in range(6) if k not in (i, j)], d)).max() < 1e-13


@settings(deadline=None, max_examples=15)
@given(st.permutations(range(4)), st.integers(0, 50))
def test_relabelled_items_and_split_weights_give_the_same_numbers(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks = np.vstack([FRUIT, rng.integers(1, 4, size=(6, 4))])
    prior = Prior(np.zeros(7), np.eye(7))
    one = fit_plackett_luce(ranks, LEVEL, orders=(2, 3, 4), prior=prior)
    moved, weights = np.vstack([ranks[::-1, order]] * 2), np.full(24, 0.5)
    other = fit_plackett_luce(moved, LEVEL, weights=weights, orders=(2, 3, 4), prior=prior)
    assert np.abs(other.estimate.phi[:4] - one.estimate.phi[order]).max() < 1e-10
    assert np.abs(other.estimate.phi[4:] - one.estimate.phi[4:]).max() < 1e-10


def test_a_person_who_ranked_nothing_changes_nothing() -> None:
    more = fit_plackett_luce(np.vstack([FRUIT, [[-1, -1, -1, -1], [-1, 1, -1, -1]]]), FIRST)
    assert np.array_equal(more.estimate.phi, fit_plackett_luce(FRUIT, FIRST).estimate.phi)


@pytest.mark.parametrize(("ranks", "options", "message"), [
    ([[1, 2, 2]], {"orders": (3,)}, "ranking 1 has a tie of 2 items; possible orders are 3: add 2"),
    ([[1, 2, 3]], {"pseudo": -1.0}, "pseudo is -1.0"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused(
    ranks: list[list[int]], options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        fit_plackett_luce(np.array(ranks), [main_effects("ABC")], **options)  # type: ignore[arg-type]  # of a test


def test_a_subset_may_be_presented_and_only_its_best_be_ranked() -> None:
    ranks = np.array([[1, 2, 0, 0], [0, 1, 2, 0], [2, 0, 1, 0], [0, 0, 2, 1], [1, 0, 0, 2]])
    seen = np.array([[1, 1, 1, 0], [0, 1, 1, 1], [1, 1, 1, 1], [1, 0, 1, 1], [1, 0, 1, 1]], dtype=bool)
    fit = fit_plackett_luce(np.where(seen, ranks, -1), FIRST)
    expected = 0.0
    worth = np.exp(np.append(0.0, fit.estimate.phi))
    for row, there in zip(ranks, seen):
        left = there.copy()
        for k in (1, 2):
            item = int(np.flatnonzero(row == k)[0])
            expected += np.log(worth[item] / worth[left].sum())
            left[item] = False
    assert abs(fit.estimate.llf - expected) < 1e-12


def test_few_rankings_of_many_items_do_not_look_as_if_items_could_not_be_told_apart() -> None:
    # Two rankings, each the other reversed, and a third: fewer answers than parameters, every worth exists.
    ranks = np.array([np.arange(1, 16), np.arange(15, 0, -1), np.roll(np.arange(1, 16), 7)])
    fit = fit_plackett_luce(ranks, [main_effects([f"i{k}" for k in range(15)], reference=0)])
    examine(fit.likelihood, fit.pooled.weights, fit.estimate.names)
    doubled = Likelihood(
        fit.likelihood.space, fit.likelihood.group, [np.hstack([m, m[:, :1]]) for m in fit.likelihood.maps]
    )
    with pytest.raises(NotEstimableError, match="^i1, again: cannot be distinguished"):
        examine(doubled, fit.pooled.weights, [*fit.estimate.names, "again"])
