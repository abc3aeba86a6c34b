"""Several components of variance: lme4's numbers, an exact integral, and effects that fall into sets."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pairproof.errors import InputError, TooLargeError
from pairproof.native.comparisons.random_effects import factors as nested
from pairproof.native.comparisons.random_effects.effects_design import (
    Block,
    BlockDesign,
    fixed_part,
    with_blocks,
)
from pairproof.native.comparisons.random_effects.factors import DenseFactor, NestedFactor, nesting_of
from pairproof.native.comparisons.random_effects.marginal_likelihood import effects_alone, laplace, row_terms
from pairproof.native.comparisons.random_effects.search import Curvature
from pairproof.native.comparisons.random_effects.variances import fit_components, fit_mixed, only
from pairproof.native.comparisons.rows.contest_design import Contests, contest_design
from pairproof.native.comparisons.rows.links import link
from tests.native.comparisons.random_effects.data import four_players
from tests.native.comparisons.rows.data import log_coefficients, of_r

FloatArray = NDArray[np.float64]


def close(a: object, b: object, limit: float) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= limit)


def judged(wins: FloatArray, n: float, x: FloatArray, judges: int) -> Contests:
    """All pairs of items by every judge, n times; effects of the items, and of the items by judge."""
    items = [f"{k}" for k in range(len(x))]
    a, b = np.triu_indices(len(x), 1)
    judge = np.repeat(np.arange(judges), len(a))
    a, b = np.tile(a, judges), np.tile(b, judges)
    fixed = Contests(contest_design(a, b, items, x, [f"x{k}" for k in range(x.shape[1])]), wins, n - wins)
    j = len(items)
    names = [f"{item}:{k}" for k in range(judges) for item in items]
    return with_blocks(fixed, [Block(a, b, items), Block(judge * j + a, judge * j + b, names)])


def five_judges() -> Contests:
    """Four items, ten answers a pair and judge."""
    rng = np.random.default_rng(15)
    x = np.array([[0.0], [1], [3], [4]])
    level = 0.5 * x[:, 0] + rng.normal(size=4) + 0.8 * rng.normal(size=(5, 4))
    a, b = np.triu_indices(4, 1)
    wins = rng.binomial(10, 1 / (1 + np.exp(-(level[:, a] - level[:, b])))).astype(float)
    return judged(wins.ravel(), 10.0, x, 5)


def sparse(both: bool, seed: int = 3) -> Contests:
    """30 judges of some of six items; a tenth of the contests have no judge."""
    rng = np.random.default_rng(seed)
    judge = np.repeat(np.arange(30), 8)
    a = rng.integers(6, size=240)
    b = (a + rng.integers(1, 6, size=240)) % 6
    x, u, v = rng.normal(size=(6, 1)), rng.normal(size=6), 0.7 * rng.normal(size=(30, 6))
    has = rng.random(240) > 0.1
    eta = u[a] - u[b] + has * (v[judge, a] - v[judge, b]) + 0.5 * (x[a, 0] - x[b, 0])
    y = (rng.random(240) < 1 / (1 + np.exp(-eta))).astype(float)
    fixed = Contests(contest_design(a, b, "ABCDEF", x, ["x"]), y, 1 - y)
    first, second = np.where(has, judge * 6 + a, -1), np.where(has, judge * 6 + b, -1)
    by = Block(first, second, [f"{i}:{k}" for k in range(30) for i in "ABCDEF"])
    return with_blocks(fixed, [Block(a, b, "ABCDEF"), by] if both else [by])


# -- against lme4 and an exact integral ----------------------------------------------------------------------


@pytest.mark.r("lme4")
def test_two_components_are_glmers() -> None:
    contests = five_judges()
    z = contests.design.rows(np.arange(contests.design.n_rows))
    k, n = contests.design.n_own, contests.design.n_rows

    def vector(values: object) -> str:
        return f"c({', '.join(repr(float(v)) for v in np.ravel(np.asarray(values)))})"

    code = f"""local({{
      suppressMessages(library(lme4)); n <- {vector(contests.totals)}; y <- {vector(contests.wins)}
      X <- cbind(x = {vector(z[:, k])}); N <- {n}; K <- {k}; Z <- matrix({vector(z[:, :k].T)}, N)
      no <- glmerControl(check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore", check.nlev.gtr.1 = "ignore")
      gf <- glFormula(y ~ 0 + X + (1 | g), data = c(list(y = y/n, g = factor(rep_len(1:K, N))), list(X = X)),
                      family = binomial(), weights = n, control = no)
      rt <- gf$reTrms; rt$Zt <- as(Matrix::Matrix(t(Z), sparse = TRUE), "dgCMatrix")
      rt$Lambdat <- as(Matrix::Diagonal(K), "dgCMatrix"); rt$Lind <- rep(1:2, c(4L, K - 4L)); rt$theta <- c(1, 1)
      rt$lower <- c(0, 0); rt$Ztlist <- list(rt$Zt[1:4, ], rt$Zt[5:K, ]); rt$Gp <- c(0L, 4L, K)
      rt$cnms <- list(g = "(Intercept)", h = "(Intercept)"); rt$nl <- c(g = 4L, h = K - 4L)
      rt$flist <- structure(list(g = factor(rep_len(1:4, N), levels = 1:4),
                                 h = factor(rep_len(5:K, N), levels = 5:K)), assign = 1:2)
      df <- mkGlmerDevfun(gf$fr, gf$X, rt, family = binomial(), control = glmerControl(tolPwrss = 1e-13))
      o0 <- optimizeGlmer(df); df <- updateGlmerDevfun(df, rt)
      o <- optimizeGlmer(df, stage = 2, optimizer = "bobyqa", control = list(rhobeg = .1, rhoend = 1e-9))
      c(o$par, o$fval) }})"""
    r, found = of_r(code).ravel(), fit_components(contests)
    assert found.sigma.min() > 0.3  # both variances are well inside
    # Plain Newton steps to the mode, of 24 standard normal effects, at the place that R found.
    design, w, n_ = z[:, :k] * np.repeat(r[:2], (4, k - 4)), contests.wins, contests.totals
    c = np.zeros(k)
    for _ in range(12):
        p = 1 / (1 + np.exp(-(z[:, k] * r[2] + design @ c)))
        information = np.eye(k) + design.T @ ((n_ * p * (1 - p))[:, None] * design)
        value = w @ np.log(p) + (n_ - w) @ np.log(1 - p) - 0.5 * (c @ c + np.linalg.slogdet(information)[1])
        c = c + np.linalg.solve(information, design.T @ (w - n_ * p) - c)
    ours = laplace(contests, link("logit"), r[2:3], r[:2]).value
    assert abs(ours - value) < 1e-11  # observed 0
    # lme4's own steps to the mode stop short of it: at that same place its -2 log L is 7.2e-7 above that
    # value, which moves its maximum: observed 1.6e-6.
    assert 0 < r[3] - -2 * (value + log_coefficients(contests)) < 1e-6
    assert close([*found.sigma, found.beta[0]], r[:3], 3e-6)
    assert found.llf >= ours


def exact_of_three_by_three(wins: FloatArray, n: float, sigma: tuple[float, float]) -> float:
    """log L of three items and three judges: two effects of items outside, two of each judge inside."""
    helmert = np.array([[1, 1], [-1, 1], [0, -2]]) / np.sqrt([2.0, 6.0])
    axis = 0.45 * np.arange(-15, 16)
    grid = np.array(np.meshgrid(axis, axis)).reshape(2, -1).T
    mass = -0.5 * (grid**2).sum(axis=1) + 2 * np.log(0.45 / np.sqrt(2 * np.pi))
    pairs = helmert[[0, 0, 1]] - helmert[[1, 2, 2]]
    item, own = sigma[0] * grid @ pairs.T, sigma[1] * grid @ pairs.T
    total = mass.copy()
    for row in wins.reshape(3, 3):
        inner = np.tile(mass, (len(grid), 1))
        for r in range(3):
            eta = item[:, r][:, None] + own[:, r][None, :]
            inner -= row[r] * np.logaddexp(0, -eta) + (n - row[r]) * np.logaddexp(0, eta)
        total += np.log(np.exp(inner).sum(axis=1))
    return float(np.log(np.exp(total - total.max()).sum()) + total.max())


def test_laplace_with_two_components_is_near_the_exact_integral() -> None:
    wins = np.array([3.0, 1, 0, 4, 2, 1, 1, 2, 3])
    for n, limit in ((4.0, 0.07), (16.0, 0.042)):
        contests = judged(wins * n / 4.0, n, np.zeros((3, 0)), 3)
        exact = exact_of_three_by_three(wins * n / 4.0, n, (0.7, 0.5))
        value = laplace(contests, link("logit"), np.zeros(0), np.array([0.7, 0.5])).value
        # Laplace's own error, of the order of effects / contests: observed -.0678 (4 answers), -.0401 (16).
        assert -limit < value - exact < -0.035


# -- derivatives, and factors by sets ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["logit", "probit"])
def test_derivatives_of_rows_are_derivatives(name: str) -> None:
    eta = np.array([-6.0, -1.5, 0.3, 2.0, 7.0])
    design = contest_design([0] * 5, [1] * 5, "AB")
    contests = Contests(design, np.array([1.0, 2, 0, 3, 1]), np.array([2.0, 0, 1, 1, 4]))
    h = 1e-5
    here, up, down = (row_terms(contests, link(name), eta + s) for s in (0.0, h, -h))
    # Differences of step 1e-5: observed 1.4e-8 (probit), 5e-11 (logit).
    for one, other in (("score", "curvature"), ("curvature", "third"), ("third", "fourth")):
        slope = (getattr(up, one) - getattr(down, one)) / (2 * h)
        slope = -slope if one == "score" else slope
        assert close(getattr(here, other), slope, 2e-7)
    assert abs((up.value - down.value) / (2 * h) - here.score.sum()) < 1e-7


@pytest.mark.parametrize("name", ["logit", "probit"])
@pytest.mark.parametrize("sigma", [(0.8,), (0.8, 0.5)])
def test_exact_second_derivatives_are_those_of_the_gradient(name: str, sigma: tuple[float, ...]) -> None:
    both = five_judges()
    contests = both if len(sigma) == 2 else only(both, frozenset({0}))
    at = np.append([0.3], np.log(sigma))

    def gradient(x: FloatArray) -> FloatArray:
        return laplace(contests, link(name), x[:1], np.exp(x[1:])).gradient

    h = 1e-5
    differences = np.array([(gradient(at + e) - gradient(at - e)) / (2 * h) for e in h * np.eye(len(at))])
    mode = laplace(contests, link(name), at[:1], np.exp(at[1:])).mode
    assert mode is not None
    exact = Curvature(mode, contests.design.dense).exact()
    assert close(exact / np.abs(exact).max(), differences / np.abs(exact).max(), 1e-9)  # observed 3e-10


@pytest.mark.parametrize("both", [True, False])
def test_a_factor_by_sets_is_the_factor_of_the_whole(both: bool) -> None:
    rng = np.random.default_rng(1)
    design = effects_alone(sparse(both), np.zeros(1)).design
    k = design.n_own
    weights, precision, v = rng.random(design.n_rows) + 0.1, rng.random(k) + 0.2, rng.normal(size=(k, 3))
    whole = DenseFactor(design, weights, precision)
    by_sets = NestedFactor(design, weights, precision, nesting_of(design))
    parts = [slice(0, 6), slice(6, k)] if both else [slice(0, k)]
    # Rounding: observed 1.1e-14 at most.
    assert abs(whole.log_det - by_sets.log_det) < 1e-12
    assert close(whole.solve(v), by_sets.solve(v), 1e-13)
    assert close(whole.solve(v[:, 0]), by_sets.solve(v[:, 0]), 1e-13)
    assert close(whole.diagonal, by_sets.diagonal, 1e-13) and close(whole.spreads, by_sets.spreads, 1e-13)
    assert close(whole.squared_traces(parts) / by_sets.squared_traces(parts), 1.0, 1e-12)


@pytest.mark.parametrize("both", [True, False])
def test_estimates_by_sets_are_those_of_the_whole(both: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    contests = sparse(both)
    monkeypatch.setattr(nested, "FEW", 10**6)
    whole = fit_components(contests)
    monkeypatch.setattr(nested, "FEW", 10)
    by_sets = fit_components(contests)
    assert close(whole.sigma, by_sets.sigma, 1e-12) and close(whole.joint.theta, by_sets.joint.theta, 1e-11)
    # Second derivatives by sets are differences of four points: observed 1.3e-8.  Estimates: 1.5e-14.
    assert close(whole.standard_errors, by_sets.standard_errors, 1e-6)


# -- boundaries, and what changes nothing --------------------------------------------------------------------


def test_one_component_is_fit_mixed() -> None:
    contests = four_players()
    one, found = fit_mixed(contests), fit_components(contests)
    assert close(
        [found.sigma[0], found.llf, found.lr[0], found.p[0]], [one.sigma, one.llf, one.lr, one.p], 1e-12
    )
    assert close(found.covariance, one.covariance, 1e-12) and close(found.joint.theta, one.joint.theta, 1e-12)


def test_the_joint_covariance_is_that_of_one_component_and_of_known_sigmas() -> None:
    contests = four_players()
    found = fit_components(contests)
    assert close(found.joint.covariance, fit_mixed(contests).joint.covariance, 1e-12)
    both = five_judges()
    estimate = fit_components(both)
    z = both.design.rows(np.arange(both.design.n_rows))
    p = 1 / (1 + np.exp(-z @ estimate.joint.theta))
    precision = np.append(np.repeat(estimate.sigma**-2, (4, 20)), 0.0)
    information = z.T @ ((both.totals * p * (1 - p))[:, None] * z) + np.diag(precision)
    assert close(estimate.joint.covariance, np.linalg.inv(information), 1e-12)  # observed 1e-15


def test_a_component_without_variance_is_0_and_the_other_as_if_alone() -> None:
    # Every judge gives the same answers, so that nothing is left for the items by judge.
    wins = np.tile([8.0, 2, 9, 3, 6, 5], 5)
    contests = judged(wins, 10.0, np.zeros((4, 0)), 5)
    found, alone = fit_components(contests), fit_components(only(contests, frozenset({0})))
    assert found.sigma[1] == 0.0 and found.sigma[0] == alone.sigma[0] > 0.3
    covariance = found.joint.covariance
    assert (covariance[4:] == 0).all() and covariance[0, 0] > 0
    assert found.lr[1] == 0.0 and found.p[1] == 1.0 and found.llf == alone.llf
    assert np.isnan(found.covariance[1]).all() and (found.joint.theta[4 : contests.design.n_own] == 0).all()


def test_the_test_of_a_component_compares_with_the_fit_without_it() -> None:
    contests = five_judges()
    found = fit_components(contests)
    without = fit_mixed(only(contests, frozenset({1})))
    assert abs(found.lr[0] - 2 * (found.llf - without.llf)) < 1e-9
    assert close(found.joint.theta[:4].sum(), 0.0, 1e-10)


def test_the_order_of_components_changes_nothing() -> None:
    contests = five_judges()
    design = contests.design
    assert isinstance(design, BlockDesign)
    fixed = fixed_part(contests)
    blocks = [
        Block(design.first[:, 1] - 4, design.second[:, 1] - 4, design.names[4:24]),
        Block(design.first[:, 0], design.second[:, 0], design.names[:4]),
    ]
    turned, found = fit_components(with_blocks(fixed, blocks)), fit_components(contests)
    assert close(turned.sigma[::-1], found.sigma, 1e-10) and abs(turned.llf - found.llf) < 1e-11


def test_components_that_cannot_be_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = Contests(contest_design([0], [1], "AB", np.zeros((2, 0)), []), np.ones(1), np.ones(1))
    block = Block(np.array([0]), np.array([1]), "AB")
    with pytest.raises(InputError, match="link 'cauchit' with random effects; expected logit or probit"):
        fit_components(with_blocks(fixed, [block]), "cauchit")
    two = with_blocks(fixed, [block, Block(np.array([0]), np.array([1]), "CD")])
    monkeypatch.setattr("pairproof.native.comparisons.random_effects.factors.MOST_TOGETHER", 3)
    with pytest.raises(TooLargeError, match="4 random effects that meet each other; the limit is 3"):
        laplace(two, link("logit"), np.zeros(0), np.ones(2))
    monkeypatch.undo()
    monkeypatch.setattr("pairproof.native.comparisons.random_effects.joint.MOST_TOGETHER", 3)
    with pytest.raises(
        TooLargeError,
        match=r"the covariance of 4 effects and 1 parameters \(limit 3 together\); fit one component",
    ):
        fit_mixed(four_players(), method="quadrature")
