"""The generalised Davidson model: gnm's deviance of football, steps of 50 digits, special cases, refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pairproof.errors import ConvergenceError, NotEstimableError
from pairproof.native.comparisons.rows.contest_design import Design, contest_design
from pairproof.native.comparisons.rows.tied_contests import (
    TiesLikelihood,
    TiesPoint,
    davidson,
    fit_tied,
    fit_ties,
)
from tests.native.comparisons.rows.data import deviance_of, of_r, tied_contests


def close(a: object, b: object, limit: float) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= limit)


def small(shift: bool = True, scale: bool = True) -> TiesLikelihood:
    """Four players, each pair at both homes."""
    a, b = np.triu_indices(4, 1)
    first, second = np.append(a, b), np.append(b, a)
    wins = np.array([9.0, 12, 15, 8, 11, 7, 4, 5, 2, 6, 3, 5])
    ties = np.array([6.0, 4, 2, 7, 5, 6, 5, 6, 3, 5, 4, 7])
    losses = np.array([5.0, 4, 3, 5, 4, 7, 11, 9, 15, 9, 13, 8])
    home = np.ones(12)
    home[[2, 8]] = 0.0  # nobody's
    design = contest_design(first, second, "ABCD", contest_columns=home[:, None], contest_names=["home"])
    return tied_contests(design, wins, ties, losses, home, shift, scale)


@pytest.mark.parametrize(("shift", "scale"), [(False, False), (False, True), (True, False), (True, True)])
def test_a_newton_step_of_50_digits_moves_the_estimate_by_less_than_1e_12(shift: bool, scale: bool) -> None:
    mpmath = pytest.importorskip("mpmath", reason="50-digit arithmetic comes with mpmath")
    contests = small(shift, scale)
    found = fit_ties(contests)
    x = contests.design.rows(np.arange(12))
    home = x[:, 3]
    with mpmath.workdps(50):

        def llf(*theta: Any) -> Any:
            total = mpmath.mpf(0)
            for r in range(12):
                a = sum(int(x[r, k]) * theta[k] for k in range(4))  # the other player's ability is 0
                c = theta[4] - mpmath.log(2)  # nu = 2 exp(tie.max)
                m = theta[5] * int(home[r]) if shift else mpmath.mpf(0)
                s = mpmath.exp(theta[-1]) if scale else mpmath.mpf(1)
                p = 1 / (1 + mpmath.exp(-m))
                # BradleyTerry2's own form, with a and b = 0.
                tie = c - s * (p * mpmath.log(p) + (1 - p) * mpmath.log(1 - p)) + s * p * a
                tie += (1 - s) * mpmath.log(mpmath.exp(a) + 1)
                norm = mpmath.log(mpmath.exp(a) + mpmath.exp(tie) + 1)
                w, t, n = contests.counts[r, 0], contests.counts[r, 1], contests.counts[r].sum()
                total += int(w) * a + int(t) * tie - int(n) * norm
            return total

        at = [mpmath.mpf(float(v)) for v in found.theta]
        gradient = [
            float(mpmath.diff(llf, tuple(at), tuple(int(j == k) for j in range(len(at)))))
            for k in range(len(at))
        ]
        value = float(llf(*at))
    assert np.abs(found.covariance @ gradient).max() < 1e-12  # Newton's rule: observed 2e-13 and less
    assert abs(found.llf - value) < 1e-12


def test_without_shift_and_scale_it_is_davidsons_model() -> None:
    contests = small(False, False)
    found = fit_ties(contests)
    plain = fit_tied(davidson(contests.design, *contests.counts.T), reduced=False)
    assert close(found.theta, plain.theta, 1e-13)
    assert close(found.standard_errors, plain.standard_errors, 1e-13)


def test_plogis_of_tie_max_is_the_largest_probability_of_a_tie_and_tie_mode_says_where() -> None:
    theta = np.array([-0.7 + np.log(2), 0.6, 0.3])  # log nu = tie.max + log 2, tie.mode, tie.scale
    u = np.linspace(-6, 8, 14001)
    n = len(u)
    zero = np.zeros(n)
    lone = Design(np.full(n, -1), np.full(n, -1), np.zeros((n, 0)), u, ())
    point = TiesPoint(tied_contests(lone, zero, zero, zero, np.ones(n), True, True), theta)
    tie = np.exp(point.logs[0][:, 1])
    assert abs(tie.max() - 1 / (1 + np.exp(0.7))) < 1e-9
    assert abs(u[tie.argmax()] - 0.6) < 1e-3  # plogis(0.6) is the share of wins among decided contests there
    flat = TiesPoint(tied_contests(lone, zero, zero, zero, None, False, True), np.array([-0.7, -60.0]))
    assert np.ptp(np.exp(flat.logs[0][:, 1])) < 1e-12  # s = 0: ties are as likely between any two


def test_score_and_information_are_the_derivatives() -> None:
    contests, theta, h = small(), np.array([0.4, -0.3, 0.8, 0.5, -0.3, 0.7, 0.4]), 1e-5
    here = TiesPoint(contests, theta)
    for k, step in enumerate(np.eye(7) * h):
        up, down = TiesPoint(contests, theta + step), TiesPoint(contests, theta - step)
        assert abs((up.value - down.value) / (2 * h) - here.score[k]) < 1e-6  # differences: observed 2e-9
        assert close((down.score - up.score) / (2 * h), here.information[:, k], 1e-6)


def test_swapping_sides_changes_nothing() -> None:
    contests = small()
    d = contests.design
    swapped = replace(
        contests, design=Design(d.second, d.first, -d.dense, -d.offset, d.names),
        columns=contests.columns * [1.0, -1.0, 1.0], counts=contests.counts[:, ::-1],
    )  # fmt: skip
    found, other = fit_ties(contests), fit_ties(swapped)
    assert close(found.theta, other.theta, 1e-12) and abs(found.llf - other.llf) < 1e-11  # observed 1e-14


def names_of_gnm(contests: TiesLikelihood) -> list[str]:
    """BradleyTerry2's names of the parameters."""
    of_ties = {"tie": "tie.max", "tie-shift": "tie.mode", "tie-scale": "tie.scale"}
    return [of_ties.get(name, name) for name in contests.names]


@pytest.mark.r("gnm", "BradleyTerry2")
def test_it_has_gnms_deviance_and_tie_parameters() -> None:
    contests = small()
    a, b = np.triu_indices(4, 1)

    def vector(values: Any) -> str:
        return f"c({', '.join(repr(float(v)) for v in values)})"

    code = f"""local({{ suppressMessages(library(gnm)); set.seed(1)
      one <- factor({vector(np.append(a, b))}, 0:3); two <- factor({vector(np.append(b, a))}, 0:3)
      home <- {vector(contests.columns[:, 1])}
      d <- data.frame(one = rep(one, 3), two = rep(two, 3), match = gl(12, 1, 36), result = rep(c(1, 0, -1), each = 12),
        at1 = as.numeric(rep(home, 3) == 1), at2 = 0,
        y = c({", ".join(map(vector, contests.counts.T))}))
      fit <- function(...) {{
        m <- gnm(y ~ GenDavidson(result == 1, result == 0, result == -1, one, two, home.adv = ~1, tie.max = ~1, ...,
                 at.home1 = at1, at.home2 = at2) - 1, eliminate = match, family = poisson, data = d,
                 tolerance = 1e-13, iterMax = 5000, verbose = FALSE)
        p <- coef(m)[c("home.adv", "tie.max", "tie.scale", "tie.mode")]; c(deviance(m), unname(p)) }}
      environment(fit) <- environment()
      cbind(fit(), fit(tie.scale = ~1), fit(tie.scale = ~1, tie.mode = ~1)) }})"""
    for column, (shift, scale) in zip(of_r(code).T, [(False, False), (False, True), (True, True)]):
        contests = small(shift, scale)
        found = fit_ties(contests)
        own = dict(zip(names_of_gnm(contests), found.theta - np.log(2) * (np.arange(contests.n_params) == 4)))
        assert abs(deviance_of(contests, found.llf) - column[0]) < 1e-9  # observed 4e-13
        for name, value in zip(("home", "tie.max", "tie.scale", "tie.mode"), column[1:]):
            assert name not in own or abs(own[name] - value) < 1e-6, name  # gnm's scoring: observed 1e-8


@pytest.mark.r("BradleyTerry2")
@pytest.mark.parametrize(
    ("shift", "scale", "deviance", "ties"),
    [
        (False, False, 699.3274324304203446, (0.6124645408618280, -0.8090840179717205)),
        (False, True, 698.2079577308821854, (0.6930995505760282, -0.9363809340166274, -0.8567477190831837)),
        (True, True, 692.0036342034062500,
         (0.7595624145308650, -0.7607725293139124, 1.0518471590243701, 0.4255537463272520)),
    ],
)  # fmt: skip
def test_a_season_of_football_has_the_deviance_of_20_seconds_of_gnm(
    shift: bool, scale: bool, deviance: float, ties: tuple[float, ...]
) -> None:
    matches = of_r(
        """with(droplevels(subset(football, season == "2008-9")), {
        lev <- sort(unique(c(as.character(home), as.character(away))))
        cbind(match(home, lev), match(away, lev), result) })"""
    )
    first, second = matches[:, 0].astype(int) - 1, matches[:, 1].astype(int) - 1
    teams, home = [f"team {k}" for k in range(20)], np.ones(380)
    design = contest_design(first, second, teams, contest_columns=home[:, None], contest_names=["home"])
    wins, tied, losses = ((matches[:, 2] == v).astype(float) for v in (1, 0, -1))
    contests = tied_contests(design, wins, tied, losses, home, shift, scale)
    found = fit_ties(contests)
    assert abs(deviance_of(contests, found.llf) - deviance) < 1e-9  # observed 2e-10, at gnm's tolerance 1e-12
    own = found.theta[19:] - np.log(2) * (np.arange(len(ties)) == 1)  # log nu = tie.max + log 2
    assert close(own, ties, 1e-7)  # observed 9e-9: gnm's scoring is linear


def test_what_cannot_be_estimated_is_named() -> None:
    contests = small(False, False)
    with pytest.raises(NotEstimableError, match=r"^tie: there is no tie among 180 contests"):
        fit_ties(replace(contests, counts=contests.counts * [1.0, 0.0, 1.0]))
    with pytest.raises(NotEstimableError, match=r"^tie: all 60 contests are tied"):
        fit_ties(replace(contests, counts=contests.counts * [0.0, 1.0, 0.0]))
    design = contest_design([0, 0, 1], [1, 2, 2], "ABC", reference="C")
    always = tied_contests(design, np.array([5.0, 5, 3]), np.array([0.0, 0, 2]), np.array([0.0, 0, 2]))
    with pytest.raises(NotEstimableError, match=r"^A: the estimate is infinite \(separation\): in 2 rows"):
        fit_ties(always)
    # A single pair cannot say how ties depend on the difference of two players.
    pair = contest_design([0], [1], "AB")
    with pytest.raises((NotEstimableError, ConvergenceError)):
        fit_ties(tied_contests(pair, np.array([4.0]), np.array([3.0]), np.array([2.0]), scale=True))


def test_ties_that_bound_no_mode_are_told() -> None:
    # 300 simulated contests of six players: from each of 15 starts the likelihood grows towards an infinite
    # tie.mode.
    rng = np.random.default_rng(0)
    n = 300
    first = rng.integers(6, size=n)
    second = (first + rng.integers(1, 6, size=n)) % 6
    home = rng.choice([-1.0, 0.0, 1.0], size=n)
    design = contest_design(first, second, "ABCDEF", contest_columns=home[:, None], contest_names=["home"])
    truth = np.concatenate([rng.normal(size=5), [0.4, -1.0, 0.3, rng.normal() * 0.6]])
    zero = np.zeros(n)
    truth[6] += np.log(2)  # log nu = tie.max + log 2
    p = np.exp(TiesPoint(tied_contests(design, zero, zero, zero, home, True, True), truth).logs[0])
    outcome = (rng.random(n)[:, None] > p.cumsum(axis=1)).sum(axis=1)
    wins, ties, losses = ((outcome == k).astype(float) for k in range(3))
    with pytest.raises(
        ConvergenceError, match=r"towards an infinite tie-shift .2\d\.\d.: these contests do not bound it"
    ):
        fit_ties(tied_contests(design, wins, ties, losses, home, True, True))
    plain = fit_ties(tied_contests(design, wins, ties, losses))
    scaled = fit_ties(tied_contests(design, wins, ties, losses, home, False, True))
    assert scaled.llf >= plain.llf and np.isfinite(scaled.standard_errors).all()
