"""Every model that has a likelihood keeps the contract of :mod:`pairproof.fit.estimates.likelihood`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pairproof
from pairproof.fit.estimates.likelihood import AtEstimate, Likelihood, Point
from pairproof.numerics.constrained import maximum_under
from tools.golden import comparisons, models, persons

FloatArray = NDArray[np.float64]
FITS: dict[str, Callable[[], Any]] = {
    **models(pairproof),
    "rao-kupper": lambda: pairproof.fit_llbt(comparisons(pairproof), ties="rao-kupper"),
    "cauchit": lambda: pairproof.fit_bradley_terry(comparisons(pairproof), link="cauchit", ties="half"),
    "jeffreys of ties": lambda: pairproof.fit_bradley_terry(
        comparisons(pairproof), reduce_bias="mean", ties="davidson"
    ),
    "quadrature": lambda: pairproof.fit_bradley_terry(
        pairproof.Comparisons.build(
            "ABC",
            [0, 0, 1],
            [1, 2, 2],
            [9, 2, 7],
            None,
            [2, 8, 1],
            item_data={"x": np.array([0.0, 1.0, 3.0])},
        ),
        formula="x + (1 | item)",
        method="quadrature",
    ),
    "patterns by group": lambda: pairproof.fit_pattern(
        persons(pairproof, "pairs"), ties="davidson", by="group"
    ),
}
#: Models whose information is formed by differences of the score: it has the digits of these.
DIFFERENCED = ("bt reduced bias", "jeffreys of ties", "bt random items", "bt random judges", "quadrature")


@lru_cache(maxsize=None)
def at_estimate(name: str) -> tuple[Any, AtEstimate]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = FITS[name]()
    return fit, fit.likelihood


def place(likelihood: Likelihood, theta: FloatArray) -> Point:
    found = likelihood.at(theta)
    assert found is not None
    return found


def places(name: str) -> list[FloatArray]:
    """Three places that are drawn, and one as far out as three times the estimate.

    Rao and Kupper's threshold stays positive, and sigma away from 0, next to which differences say nothing.
    """
    _, at = at_estimate(name)
    draw = np.random.default_rng(5)
    if name in DIFFERENCED[2:]:
        return [at.theta * draw.uniform(0.8, 1.2, len(at.theta)) for _ in range(3)]
    size = 0.05 if name == "rao-kupper" else 0.3
    drawn = [at.theta + size * draw.normal(size=len(at.theta)) for _ in range(3)]
    return [*drawn, 3.0 * at.theta]


def differences(function: Callable[[FloatArray], Any], theta: FloatArray, h: float = 5e-4) -> FloatArray:
    """Derivatives of fourth order of a function, the coordinates first."""
    out = []
    for unit in h * np.eye(len(theta)):
        near = np.asarray(function(theta + unit)) - np.asarray(function(theta - unit))
        far = np.asarray(function(theta + 2 * unit)) - np.asarray(function(theta - 2 * unit))
        out.append((8.0 * near - far) / (12.0 * h))
    return np.array(out)


@pytest.mark.parametrize("name", FITS)
def test_scores_and_information_are_the_derivatives_of_the_values(name: str) -> None:
    _, at = at_estimate(name)
    lik, w = at.likelihood, at.likelihood.weights
    seen = w > 0
    for theta in places(name):
        here = place(lik, theta)
        assert here.values[seen] @ w[seen] == pytest.approx(here.llf, rel=1e-12)
        by_value = differences(lambda t: place(lik, t).value, theta)
        by_llf = differences(lambda t: place(lik, t).llf, theta)
        bent = -differences(lambda t: place(lik, t).score, theta)
        # Relative to the size of the log-likelihood; observed at most 2e-9.
        size = max(1.0, abs(here.value))
        np.testing.assert_allclose(here.score, by_value, rtol=0.0, atol=1e-7 * size)
        np.testing.assert_allclose(w @ here.scores, by_llf, rtol=0.0, atol=1e-7 * size)
        np.testing.assert_allclose(here.information, bent, rtol=0.0, atol=1e-7 * size)
        of_units = place(lik, theta).information_of(w)
        if name not in DIFFERENCED[:2]:  # the penalty is no unit
            np.testing.assert_allclose(of_units, here.information, rtol=0.0, atol=1e-9 * size)
        some = np.random.default_rng(1).random(len(w)) * seen
        bent = -differences(lambda t: some @ place(lik, t).scores, theta)
        np.testing.assert_allclose(here.information_of(some), bent, rtol=0.0, atol=1e-7 * size)


@pytest.mark.parametrize("name", FITS)
def test_units_can_be_counted_again(name: str) -> None:
    _, at = at_estimate(name)
    lik, theta = at.likelihood, places(name)[0]
    one = lik.weights * np.random.default_rng(2).uniform(0.5, 1.5, len(lik.weights))
    two = lik.weights
    parts = [place(lik.weighted(w), theta) for w in (one, two, one + two)]
    assert parts[0].llf + parts[1].llf == pytest.approx(parts[2].llf, rel=1e-12)
    if name not in DIFFERENCED[:2]:
        np.testing.assert_allclose(parts[0].score + parts[1].score, parts[2].score, atol=1e-9)
    assert place(lik.weighted(lik.weights), theta).value == pytest.approx(place(lik, theta).value, rel=1e-13)


@pytest.mark.parametrize("name", FITS)
def test_the_estimate_maximises_it_and_the_parameters_are_functions_of_it(name: str) -> None:
    fit, at = at_estimate(name)
    here = at.point
    np.testing.assert_allclose(at.outward @ at.theta, fit.beta, rtol=0.0, atol=1e-9)
    assert here.value == pytest.approx(at.supremum, rel=1e-12)
    assert here.llf == pytest.approx(fit.llf, rel=1e-12)
    # The squared length of the step that is left, in standard errors; observed at most 1e-16.
    assert here.score @ np.linalg.solve(here.information, here.score) < 1e-12
    if name not in DIFFERENCED:
        np.testing.assert_allclose(at.covariance @ here.information, np.eye(len(at.theta)), atol=1e-8)
    held = maximum_under(at.likelihood, np.zeros((0, len(at.theta))), np.zeros(0), at.theta)
    assert held.point.value == pytest.approx(at.supremum, rel=1e-12)


# With dependence the linear programme has 3^6 answers to rule out for each, and takes minutes.
@pytest.mark.parametrize("name", [name for name in FITS if name != "patterns dependent"])
def test_without_separation_the_limit_is_the_likelihood_itself(name: str) -> None:
    _, at = at_estimate(name)
    limit = at.likelihood.limit()
    assert limit.remaining is at.likelihood and limit.keep is None and at.infinite is None


def votes(items: str, wins: dict[str, tuple[float, float, float]]) -> Any:
    first, second = ([items.index(pair[k]) for pair in wins] for k in range(2))
    won, tied, lost = np.array(list(wins.values())).T
    return pairproof.Comparisons.build(items, first, second, won, tied, lost)


SWEPT = {"AB": (5.0, 0.0, 3.0), "AC": (4.0, 0.0, 0.0), "BC": (6.0, 0.0, 0.0), "CD": (2.0, 0.0, 3.0)}
TIED = {"AB": (5.0, 2.0, 3.0), "AC": (4.0, 0.0, 0.0), "BC": (6.0, 0.0, 0.0), "CD": (2.0, 1.0, 3.0)}
SPLIT = {"AB": (5.0, 2.0, 3.0), "CD": (2.0, 1.0, 3.0)}
SEPARATED: dict[str, Callable[[], Any]] = {
    "counts": lambda: pairproof.fit_bradley_terry(votes("ABCD", SWEPT)),
    "counts and ties": lambda: pairproof.fit_llbt(votes("ABCD", TIED), ties="davidson"),
    "no tie": lambda: pairproof.fit_llbt(votes("ABCD", SWEPT), ties="davidson"),
    "no tie, rao-kupper": lambda: pairproof.fit_llbt(votes("ABCD", SWEPT), ties="rao-kupper"),
    "ties, rao-kupper": lambda: pairproof.fit_llbt(votes("ABCD", TIED), ties="rao-kupper"),
    "two tables": lambda: pairproof.fit_llbt(votes("ABCD", SPLIT), ties="davidson"),
    "probit": lambda: pairproof.fit_bradley_terry(votes("ABCD", SWEPT), link="probit", ties="half"),
    "probit of two tables": lambda: pairproof.fit_bradley_terry(
        votes("ABCD", SPLIT), link="probit", ties="half"
    ),
    "reduced bias of two tables": lambda: pairproof.fit_bradley_terry(
        votes("ABCD", SPLIT), reduce_bias="mean", ties="davidson"
    ),
}


@pytest.mark.parametrize("name", SEPARATED)
def test_at_infinity_a_limit_remains_that_has_the_supremum(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = SEPARATED[name]()
    at = fit.likelihood
    limit = at.likelihood.limit()
    inner = limit.remaining
    assert limit.keep is not None and inner.n_params < len(at.theta)
    top = maximum_under(inner, np.zeros((0, inner.n_params)), np.zeros(0), inner.start()).point
    assert top.value == pytest.approx(at.supremum, rel=1e-10)
    assert top.llf == pytest.approx(fit.llf, rel=1e-10)
    finite = np.asarray(np.isfinite(at.estimates(np.eye(len(fit.beta)))))
    found = at.outward @ limit.outward(top.theta)
    np.testing.assert_allclose(found[finite], fit.beta[finite], atol=1e-7)
    if at.likelihood.at(limit.outward(top.theta)) is not None and limit.infinite is not None:
        # From far out on the way the whole likelihood comes near to the supremum and never beyond it.
        size = place(inner, top.theta).value
        assert place(at.likelihood, limit.outward(top.theta)).value <= size + 1e-9


def test_answers_that_separate_have_their_supremum_far_out() -> None:
    """Without the rankings in which A is not first: the supremum is that of the other items' order alone."""
    fit = pairproof.fit_pattern(persons(pairproof, "ranks"))
    lik = fit.likelihood.likelihood
    table = fit.respondents
    first = np.zeros(len(lik.weights), bool)
    for row, answer in zip(fit.numbers.row, table.answers.reshape(table.n_rows, -1)):
        first[row] |= answer[0] == 1
    assert 0 < first.sum() < len(first)
    swept = lik.weighted(lik.weights * first)
    limit = swept.limit()
    inner = limit.remaining
    top = maximum_under(inner, np.zeros((0, inner.n_params)), np.zeros(0), inner.start()).point
    infinite = limit.infinite
    assert infinite is not None and infinite.null.shape[1] == 1 and len(infinite.rows)
    along = infinite.null[:, 0] * np.sign(infinite.rows[0, 0])
    theta = limit.outward(top.theta)
    values = [place(swept, theta + s * along).value for s in (-3.0, 0.0, 3.0)]
    # So far out that nothing is left to gain; observed 0.
    assert values[0] <= values[1] <= values[2] + 1e-12 and values[2] - values[1] < 1e-11
