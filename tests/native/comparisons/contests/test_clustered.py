"""Standard errors by cluster of links, offsets and reduced bias, beside R's sandwich on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pairproof
from pairproof.bridge.process.policy import backend
from pairproof.errors import InputError
from pairproof.fit.fit import Fit
from tests.fit.robust.brute import table

#: R: coefficients and CR1 of a glm of the rows, item 0 the reference.  glm takes its weights from the step
#: before the last, and scoring of a cauchit gains a digit in several steps: single steps are taken until
#: nothing changes.
VCOVCL = """
X <- X[, -1, drop = FALSE]
data <- data.frame(wins, losses, away)
model <- cbind(wins, losses) ~ X - 1 + offset(away)
if (reduced) {
  fit <- stats::glm(model, stats::binomial(link), data, method = brglm2::brglmFit, type = "AS_mean", epsilon = 1e-12)
} else {
  fit <- stats::glm(model, stats::binomial(link), data)
  for (step in 1:60)
    fit <- suppressWarnings(stats::glm(model, stats::binomial(link), data, start = stats::coef(fit), control = list(maxit = 1)))
}
list(coef = unname(stats::coef(fit)), vcov = unname(sandwich::vcovCL(fit, cluster = judge, type = "HC0", cadjust = TRUE)))
"""


def rows() -> pairproof.Comparisons:
    return table(n=240)


def asked_of_r(fit: Fit, reduced: bool) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and CR1 by judge of R's glm, or of brglm2's, of the rows with a win or a loss."""
    data = fit.data
    here = np.flatnonzero(data.wins + data.losses > 0)
    design = np.zeros((len(here), len(fit.items)))
    design[np.arange(len(here)), data.first[here]] = 1.0
    design[np.arange(len(here)), data.second[here]] = -1.0
    arguments: dict[str, Any] = {
        "X": design,
        "wins": data.wins[here],
        "losses": data.losses[here],
        "away": data.columns["age"][here] if fit.of_contests.offset else np.zeros(len(here)),
        "judge": [int(code) for code in data.columns["judge"].codes[here]],
        "link": fit.of_contests.link,
        "reduced": reduced,
    }
    found = backend("live").call(code=VCOVCL, args=arguments, label="sandwich::vcovCL").as_list()
    return np.array(found["coef"].values), np.array(found["vcov"].values).reshape(len(fit.items) - 1, -1)


@pytest.mark.r("sandwich")
@pytest.mark.parametrize(
    "options", [{"offset": "age"}, {"link": "probit"}, {"link": "cauchit", "offset": "age"}], ids=str
)
def test_clustered_errors_are_those_of_sandwich(options: dict[str, Any]) -> None:
    """R's bread is the expected information; with it in place of the observed one ours is R's."""
    fit = pairproof.fit_bradley_terry(rows(), ties="drop", **options)
    assert fit.contests is not None
    coef, theirs = asked_of_r(fit, reduced=False)
    np.testing.assert_allclose(fit.params.to_numpy()[1:], coef, atol=1e-12)  # seen 3e-15
    ours = fit.clustered("judge", kind="CR1").covariance.between(np.eye(5))[1:, 1:]
    observed = fit.covariance.between(np.eye(5))[1:, 1:]
    expected = (
        observed if fit.expected_covariance is None else fit.expected_covariance.between(np.eye(5))[1:, 1:]
    )
    turned = expected @ np.linalg.inv(observed)
    np.testing.assert_allclose(turned @ ours @ turned.T, theirs, rtol=1e-11)  # seen 2e-14


@pytest.mark.r("sandwich", "brglm2")
def test_clustered_errors_of_reduced_bias_are_those_of_sandwich_on_brglm2() -> None:
    fit = pairproof.fit_bradley_terry(rows(), ties="drop", reduce_bias="mean")
    assert fit.contests is not None
    coef, theirs = asked_of_r(fit, reduced=True)
    np.testing.assert_allclose(
        fit.params.to_numpy()[1:], coef, atol=1e-10
    )  # brglmFit stops at 1e-12 of its scores; seen 8e-14
    ours = fit.clustered("judge", kind="CR1").covariance.between(np.eye(5))[1:, 1:]
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)  # seen 4e-14


def test_everything_that_follows_takes_the_clustered_errors() -> None:
    fit = pairproof.fit_bradley_terry(rows(), ties="drop", link="probit", offset="age").clustered("judge")
    assert fit.contests is not None and fit.robust is not None and fit.robust.kind == "CR2"
    assert fit.bse_expected is None and "R's (glm, BTm, gnm)" not in fit.summary()
    assert fit.contrast("i1", "i2").se == pytest.approx(fit.with_reference("i2").bse["i1"], rel=1e-12)
    assert "CR2 by judge" in fit.summary() and "fit.bootstrap" not in fit.summary()
    assert fit.contrasts().to_frame().loc["i1 - i2", "se"] == pytest.approx(
        fit.contrast("i1", "i2").se, rel=1e-12
    )


def test_an_offset_of_another_row_is_another_pattern() -> None:
    """The same two items with another offset have another score."""
    data = {"first": ["A"] * 4, "second": ["B"] * 4, "wins": [3, 2, 4, 1], "losses": [1, 2, 2, 3]}
    judges = {"judge": list("uvwx"), "x": [0.0, 0.5, 0.0, -0.5]}
    fit = pairproof.fit_bradley_terry(pairproof.read({**data, **judges}), offset="x", reference="B")
    a = float(fit.params["A"])
    p = 1.0 / (1.0 + np.exp(-(a + np.array(judges["x"]))))
    n, wins = np.array([4.0, 4.0, 6.0, 4.0]), np.array(data["wins"])
    meat, information = float(((wins - n * p) ** 2).sum()), float((n * p * (1 - p)).sum())
    assert fit.clustered("judge", kind="CR0").bse["A"] == pytest.approx(
        np.sqrt(meat) / information, rel=1e-12
    )


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"formula": "(1 | item)", "ties": "half"}, "CR1", "random effects.*not a product over clusters"),
        ({"ties": "drop", "link": "cauchit"}, "CR2", "not concave.*kind='CR1'"),
    ],
)
def test_what_has_no_clusters_says_why(options: dict[str, Any], kind: Any, said: str) -> None:
    fit = pairproof.fit_bradley_terry(rows(), **options)
    with pytest.raises(InputError, match=said):
        fit.clustered("judge", kind=kind)
