"""Standard errors by the expected information, as R's glm, BTm and gnm have them, beside those by the observed one."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import cauchy, norm

import pairproof
from pairproof.fit.fit import Fit

FloatArray = NDArray[np.float64]
DENSITY = {"probit": norm, "cauchit": cauchy}
FIRST, SECOND, WINS, LOSSES = list("ABACAB"), list("BCCDDD"), [9, 4, 5, 3, 6, 2], [3, 6, 5, 7, 2, 7]


def fitted(**options: object) -> Fit:
    table = pairproof.read({"first": FIRST, "second": SECOND, "wins": WINS, "losses": LOSSES})
    found = pairproof.fit_bradley_terry(table, **options)  # type: ignore[arg-type]
    assert found.contests is not None
    return found


def of_ties() -> Fit:
    table = pairproof.read(
        {
            "first": list("ABACBC"),
            "second": list("BCCAAB"),
            "wins": [9, 8, 11, 2, 5, 4],
            "ties": [5, 4, 2, 4, 6, 6],
            "losses": [2, 4, 2, 9, 5, 5],
        }
    )
    found = pairproof.fit_bradley_terry(table, order_effect=True, tie_shift=True)
    assert found.contests is not None
    return found


@pytest.mark.parametrize("link", DENSITY)
def test_they_are_those_of_the_weights_of_the_link(link: str) -> None:
    fit = fitted(link=link, reference="D")
    x = np.array([[(a == i) - (b == i) for i in "ABC"] for a, b in zip(FIRST, SECOND)], float)
    eta = x @ fit.params[list("ABC")].to_numpy()
    f, p = DENSITY[link].pdf(eta), DENSITY[link].cdf(eta)
    weights = (np.array(WINS) + LOSSES) * f**2 / (p * (1 - p))
    theirs = np.sqrt(np.diag(np.linalg.inv(x.T @ (weights[:, None] * x))))
    assert fit.bse_expected is not None
    assert np.abs(fit.bse_expected[list("ABC")].to_numpy() / theirs - 1).max() < 1e-12  # observed 4e-16
    assert np.abs(fit.bse[list("ABC")].to_numpy() / theirs - 1).max() > 1e-3, "those of bse are others"


def test_of_ties_they_are_those_of_the_expectation_over_all_outcomes() -> None:
    fit = of_ties()
    names = [n for n, r in zip(fit.names, fit.is_reference) if not r]
    base = fit.beta.copy()
    places = [fit.names.index(n) for n in names]

    frame = fit.probabilities(order=True)
    rows = {pair: k for k, pair in enumerate(zip(frame["first"], frame["second"]))}
    p = _outcomes(fit, base)
    derivatives = []
    for place in places:
        h = 1e-5
        up, down = base.copy(), base.copy()
        up[place] += h
        down[place] -= h
        derivatives.append((np.log(_outcomes(fit, up)) - np.log(_outcomes(fit, down))) / (2 * h))
    d = np.stack(derivatives)
    n = np.zeros(len(p))
    for a, b, total in zip("ABACBC", "BCCAAB", (16, 16, 15, 15, 16, 15)):
        if (a, b) in rows:
            n[rows[a, b]] += total
    information = np.einsum("r,ro,jro,kro->jk", n, p, d, d)
    theirs = np.sqrt(np.diag(np.linalg.inv(information)))
    assert fit.bse_expected is not None and len(rows) == 6, "every order of two items"
    # Central differences of 1e-5 leave about 1e-9.
    assert np.abs(fit.bse_expected[names].to_numpy() / theirs - 1).max() < 1e-6


def _outcomes(fit: Fit, beta: FloatArray) -> FloatArray:
    """float[pairs, 3]: probabilities of win, tie and loss at these parameters."""
    frame = replace(fit, beta=beta).probabilities(order=True)
    found: FloatArray = frame[["p_first", "p_tie", "p_second"]].to_numpy(float)
    return found


@pytest.mark.parametrize("reference", ["A", "sum"])
def test_they_follow_the_reference(reference: str) -> None:
    moved = fitted(link="probit", reference="D").with_reference(reference).bse_expected
    own = fitted(link="probit", reference=reference).bse_expected
    assert moved is not None and own is not None
    assert np.allclose(moved, own, rtol=1e-12, atol=0, equal_nan=True)


def test_the_summary_and_the_json_name_them_where_they_differ() -> None:
    for fit in (fitted(link="probit"), of_ties()):
        assert fit.bse_expected is not None
        words = " ".join(fit.summary().split())
        assert (
            "Standard errors use the observed information; R's (glm, BTm, gnm) use the expected information: B"
            in words
        )
        document = json.loads(json.dumps(fit.to_dict()))
        assert document["se_of"] == "observed information"
        assert document["se_expected"]["B"] == fit.bse_expected["B"]


def test_where_both_are_the_same_nothing_is_said() -> None:
    for options in ({"offset": "x"}, {"reduce_bias": "mean"}):
        table = pairproof.read(
            {"first": FIRST, "second": SECOND, "wins": WINS, "losses": LOSSES, "x": [0.1, 0, 0, 0.2, 0, 0]}
        )
        fit = pairproof.fit_bradley_terry(table, **options)  # type: ignore[arg-type]
        assert fit.contests is not None and fit.bse_expected is None
        assert "expected one" not in fit.summary() and "se_expected" not in fit.to_dict()


@pytest.mark.r("BradleyTerry2")
def test_verify_shows_rs_beside_them() -> None:
    fit = fitted(link="probit")
    assert fit.bse_expected is not None
    text = " ".join(str(fit.verify(r="live")).split())
    assert f"B {fit.bse_expected['B']:.6g} (native: {fit.bse_expected['B']:.6g})" in text
