"""Models of R given by their values: glmer and brglm on a design, pladmm on item covariates."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.bridge.packages import brglm, lme4, plackettluce
from pairproof.bridge.packages.asking import design_columns
from pairproof.errors import InputError
from tests.bridge.conftest import digits

JUDGES = [f"j{k:02}" for k in range(1, 13)]
FIRST, TIMES = [8, 3, 5, 9, 2, 6, 7, 4, 1, 8, 6, 5], [10] * 12
CONTESTS = {"a": [1, 0, 1], "b": [0, 1, -1], "won": [1.0, 1.0, 0.6], "n": [5, 5, 5]}
RANKS = [[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4], [4, 1, 3, 2], [1, 2, 4, 3], [2, 3, 1, 4]]


@pytest.mark.r("lme4")
def test_glmer_on_a_design_is_glmer_by_its_formula():
    share = [a / n for a, n in zip(FIRST, TIMES)]
    table = {"one": [1.0] * 12, "judge": JUDGES, "won": share, "n": TIMES}
    found = lme4.glmer_design(table, "won", ["judge"], weights="n", nAGQ=25, backend="live")
    by_formula = lme4.glmer(FIRST, [n - a for a, n in zip(FIRST, TIMES)], 25, backend="live")
    # Two searches, each to its own stop: observed 4.6 digits of the estimate, 5.8 of sd, 11.2 of llf.
    assert digits(found.coef[0], by_formula.estimate) > 4 and digits(found.sd[0], by_formula.sd) > 4
    assert digits(found.loglik, by_formula.loglik) > 9
    assert (found.names, found.effects, found.df) == (("one",), ("judge: (Intercept)",), 2)


@pytest.mark.r("lme4")
def test_deviations_keep_the_order_of_the_terms_though_lme4_sorts_them():
    rng = np.random.default_rng(3)
    few, many = np.repeat([0, 1, 2, 3], 60), np.tile(np.arange(40), 6)
    u, v = rng.normal(size=4) * 0.2, rng.normal(size=40) * 1.5
    won = rng.binomial(6, 1 / (1 + np.exp(-u[few] - v[many]))) / 6
    table = {"one": np.ones(240), "few": few, "many": many, "won": won, "n": np.full(240, 6)}
    one = lme4.glmer_design(table, "won", ["few", "many"], weights="n", backend="live")
    two = lme4.glmer_design(table, "won", ["many", "few"], weights="n", backend="live")
    assert one.sd[1] > 1 > one.sd[0]
    # The same model in another order: observed 0.
    np.testing.assert_allclose(one.sd, two.sd[::-1], rtol=1e-4, atol=1e-6)


@pytest.mark.r("brglm")
def test_brglm_on_a_design_is_firth_s_estimate():
    found = brglm.brglm_design(CONTESTS, "won", "n", backend="live")
    x, y, n = np.array([[1, 0], [0, 1], [1, -1.0]]), np.array([5, 5, 3.0]), 5.0
    p = 1 / (1 + np.exp(-x @ found.coef))
    w = n * p * (1 - p)
    hat = w * np.einsum("ij,jk,ik->i", x, np.linalg.inv(x.T @ (w[:, None] * x)), x)
    # Firth's modified score is 0; brglm stops at 1e-8: observed 9e-8.
    assert np.abs(x.T @ (y - n * p + hat * (0.5 - p))).max() < 1e-6
    assert found.names == ("a", "b") and (found.se > 0).all()


@pytest.mark.r("PlackettLuce")
def test_pladmm_nears_the_maximum_as_its_tolerance_shrinks():
    x = [[0.0], [1.0], [3.0], [2.0]]
    rough = plackettluce.pladmm(RANKS, x, list("ABCD"), ["sweet"], backend="live")
    fine = plackettluce.pladmm(RANKS, x, list("ABCD"), ["sweet"], rtol=1e-10, n_iter=5000, backend="live")
    worth = np.exp(np.array(x) @ fine.coef)
    stages = [np.argsort(r) for r in RANKS]
    score = sum(
        x[o[k]][0] - (worth[o[k:]] @ np.array(x)[o[k:], 0]) / worth[o[k:]].sum()
        for o in stages
        for k in range(3)
    )
    # The score at the fine estimate: observed 1e-10; the rough one is off by 1.6e-6.
    assert abs(score) < 1e-5 and 1e-8 < abs(rough.coef[0] - fine.coef[0]) < 1e-2
    assert (
        fine.names == ("sweet",)
        and fine.items == ("A", "B", "C", "D")
        and fine.worth.sum() == pytest.approx(1)
    )


@pytest.mark.r("PlackettLuce")
def test_adherence_of_rankers_in_groups_is_one_a_ranker():
    model = plackettluce.PlackettLuce(
        RANKS, list("ABCD"), gamma=(10.0, 10.0), group=[1, 1, 2, 2, 3, 3], backend="live"
    )
    assert model.adherence is not None and len(model.adherence) == 3
    assert plackettluce.itempar(model, ["A", "B"], backend="live").estimate[:2].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "asked, said",
    [
        (lambda: brglm.brglm_design(CONTESTS, "wins"), "no column 'wins'"),
        (lambda: brglm.brglm_design({**CONTESTS, "won": [2, 0, 1]}, "won", "n"), "found 2.0"),
        (lambda: lme4.glmer_design(CONTESTS, "won", []), "groups is empty"),
        (lambda: lme4.glmer_design(CONTESTS, "won", ["n"], [["c"]]), "'c' is not a fixed effect"),
        (lambda: plackettluce.pladmm(RANKS, [[1.0]], list("ABCD")), "one row per item"),
        (lambda: plackettluce.pladmm(RANKS, [[1.0]] * 4, list("ABC")), "3 names for 4 columns"),
        (
            lambda: plackettluce.pladmm(RANKS, [[1.0]] * 4, list("ABCD"), weights=[1]),
            "1 weights for 6 rankings",
        ),
        (lambda: design_columns({"y": [1, 2]}, "y"), "no column is left"),
        (lambda: design_columns({"x": [1, 2], "y": [1, 2]}, "y", [1.0]), "differ in length"),
    ],
)
def test_what_does_not_fit_is_refused_before_r_is_asked(asked, said):
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        asked()
