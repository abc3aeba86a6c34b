"""prefmod's designs, what is fitted on them, its latent classes and worths, replayed from their records."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.bridge import Expr
from pairproof.bridge.packages import prefmod
from pairproof.bridge.packages.prefmod import (
    fit_design,
    llbt_design,
    llbt_worth,
    patt_design,
    patt_worth,
    pattnpml_fit,
    pattPC_fit,
    pattR_fit,
    plot_wmat,
    plotworth,
)
from pairproof.errors import FormulaError, InputError, RError
from tests.bridge.conftest import digits

SALAD = Expr("prefmod::salad")
ITEMS = ("A", "B", "C", "D")
LAMBDA = (-0.2774185056283571, 0.5912528647502006, 0.1887875986820734)
SIX = {f"V{k}": [1, -1, 1] for k in range(1, 7)}


@pytest.fixture(scope="module")
def salads(policy):
    return patt_design(SALAD, 4, resptype="ranking", backend=policy)


def test_a_design_has_a_row_a_ranking(salads):
    assert salads.names == ("y", *ITEMS) and salads.objnames == ITEMS
    table = salads.frame()
    assert len(table) == 24 and table["y"].sum() == 32
    assert (table[list(ITEMS)].sum(axis=1) == 0).all()
    np.testing.assert_array_equal(salads.column("A"), table["A"])


def test_glm_on_a_design_is_the_pattern_model(policy, salads):
    fit = fit_design("y ~ A + B + C + D", salads, backend=policy)
    # glm stops closer than nlm: observed 9.0 digits.
    assert min(digits(fit.estimate(i), b) for i, b in zip("ABC", LAMBDA)) > 8
    assert np.isnan(fit.estimate("D")) and fit.vcov_names == ("(Intercept)", "A", "B", "C")
    assert digits(fit.deviance, 22.24862468240942) > 12 and fit.df_residual == 20
    worth = patt_worth(fit, backend=policy)
    # R divides by the sum: rounding alone; observed 0.
    np.testing.assert_allclose(worth.values.sum(), 1, rtol=1e-14)
    # Where glm stops, as above; observed 4.5e-9 of the worths and 2.2e-9 of the estimates.
    lam = np.array([*LAMBDA, 0])
    np.testing.assert_allclose(worth.values[:, 0], np.exp(2 * lam) / np.exp(2 * lam).sum(), rtol=1e-8)
    estimates = patt_worth(fit, outmat="lambda", backend=policy)
    np.testing.assert_allclose(estimates.frame()["estimate"].tolist(), lam, atol=1e-8)


def test_object_covariates_make_groups_of_items_and_a_legend(policy):
    latin = {"LAT": [0, 1, 1, 0], "x": [1, 2, 3, 4]}
    d = llbt_design(Expr("prefmod::dat4"), 4, ITEMS, objcovs={"LAT": latin["LAT"]}, backend=policy)
    fit = fit_design("y ~ LAT", d, "mu", backend=policy)
    worth = llbt_worth(fit, backend=policy)
    assert len(worth.objects) == 2 and worth.objtable["LAT"] == ("0", "1")
    assert worth.objtable["objects in groups"] == ("A, D", "B, C")
    # prefmod's worths are of groups and add up over them, not over the four items; rounding, observed 0.
    np.testing.assert_allclose(worth.values.sum(), 1, rtol=1e-14)


def test_columns_are_put_over_a_design(policy):
    d = llbt_design(SIX, 4, backend=policy)
    counts = np.array([3.0, 1, 4, 2, 6, 2, 5, 1, 7, 2, 3, 1])
    fit = fit_design("y ~ o1 + o2 + o3 + o4", d, "mu", {"y": counts}, backend=policy)
    assert fit.df_residual == 3 and fit.coef[0] > 0
    seen = fit_design(
        "y ~ o1 + o2 + o3 + o4 + at", d, "mu", {"y": counts, "at": [1.0, 0] * 6}, backend=policy
    )
    assert seen.names[-1] == "at" and seen.df_residual == 2


# -- latent classes -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def classes(policy):
    # The design stays in R: it is prefmod's own data in other words.
    design = Expr("prefmod::patt.design(prefmod::dat4, 4)")
    return pattnpml_fit("y ~ 1", "~o1 + o2 + o3", 2, design, backend=policy)


def test_two_classes_of_cells_are_not_classes_of_persons(classes):
    # The reference's EM ends within 1e-10 of the disparity: observed 8.5 digits of it, 6.5 of the shares.
    assert digits(classes.disparity, 170.2550684) > 8
    order = np.argsort(classes.masses)[::-1]
    # EM stops 1e-10 short of the maximum, which moves shares by its root: observed 2.4e-6, 1.6e-6.
    np.testing.assert_allclose(classes.masses[order], [0.745738888709, 0.254261111291], atol=1e-5)
    np.testing.assert_allclose(classes.persons[order], [0.81820192, 0.18179808], atol=1e-5)
    assert classes.converged and classes.df == 8
    # The same arithmetic twice, rounding alone: observed 0 and 2.2e-16.
    assert classes.bic == pytest.approx(8 * np.log(100) + classes.disparity, rel=1e-12)
    np.testing.assert_allclose(classes.posterior.sum(axis=1), 1, rtol=1e-12)
    # Shares of cells are means of the posteriors over the 64 cells, of R's last step: observed 0.
    np.testing.assert_allclose(classes.posterior.mean(axis=0), classes.masses, rtol=1e-6)
    assert classes.names[1:3] == ("o1:MASS1", "o1:MASS2") and np.isfinite(classes.se).all()
    assert any("Mixture proportions" in line for line in classes.lines)


def test_worths_of_classes(policy, classes):
    worth = patt_worth(classes, backend=policy)
    assert worth.groups == ("MASS1", "MASS2") and worth.objects == ("o1", "o2", "o3", "o4")
    for k in (0, 1):  # the formula in other words, rounding alone: observed 2.0e-16
        lam = np.array([classes.estimate(f"o{i}:MASS{k + 1}") for i in (1, 2, 3)] + [0.0])
        np.testing.assert_allclose(worth.values[:, k], np.exp(2 * lam) / np.exp(2 * lam).sum(), rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: pattnpml_fit("y ~ 1", "~o1", 1, SALAD), InputError, "found k = 1; with one it drops the random"),
        (lambda: pattnpml_fit("y ~ 1", "~1", 2, SALAD), InputError, "random is '~1'; name the terms"),
        (lambda: patt_design(SIX, 4, ["A"]), InputError, "objnames has 1 names for 4 items"),
        (lambda: patt_design(SIX, 4, resptype="ranks"), ValueError, "resptype is 'ranks'"),
        (lambda: fit_design("y ~ system('x')", SALAD), FormulaError, "system"),
        (lambda: fit_design("y ~ A", SALAD, "mu ~ A"), FormulaError, "eliminate.* second ~"),
    ],
)  # fmt: skip
def test_what_prefmod_would_take_for_something_else_is_refused(call, error, said):
    with pytest.raises(error, match=said):
        call()


# -- worths of patt*.fit, and plots -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_group(policy):
    table = prefmod.simPC(3, 40, [3, 2, 1], seed=5, backend=policy)
    columns = dict(zip(table.names, table.values.T)) | {"G": [1.0, 2.0] * 20}
    return pattPC_fit(columns, 3, "~G", "~G", backend=policy)


def test_worths_of_a_pattern_model_by_group(policy, by_group):
    worth = patt_worth(by_group, ["one", "two", "three"], backend=policy)
    assert worth.objects == ("one", "two", "three") and worth.groups == ("G1", "G2")
    lam = np.array([by_group.coef[0] + by_group.coef[2], by_group.coef[1] + by_group.coef[3], 0])
    # The same number in another way, rounding alone; observed 0.
    np.testing.assert_allclose(worth.values[:, 1], np.exp(2 * lam) / np.exp(2 * lam).sum(), rtol=1e-12)
    np.testing.assert_allclose(
        patt_worth(by_group, outmat="lambda", backend=policy).values[:, 1], lam, rtol=1e-12
    )


def test_names_and_options_of_worths_are_checked(policy, by_group, classes):
    with pytest.raises(InputError, match="obj_names has 2 names for 3 items"):
        patt_worth(by_group, ["one", "two"], backend=policy)
    with pytest.raises(InputError, match="used for models of patt"):
        patt_worth(classes, ["one", "two", "three", "four"], backend=policy)
    with pytest.raises(ValueError, match="outmat is 'est'"):
        patt_worth(by_group, outmat="est", backend=policy)


def test_a_plot_is_a_file_drawn_by_r(policy, by_group):
    drawn = plot_wmat(
        patt_worth(by_group, backend=policy), "Title", pcol="terrain", format="pdf", backend=policy
    )
    assert drawn.data.startswith(b"%PDF-") and b"%%EOF" in drawn.data[-10:]
    # Its date is blank, so that the same plot is the same file.
    assert b"/CreationDate (D:00000000000000)" in drawn.data and b"/ModDate (D:00000000000000)" in drawn.data


@pytest.mark.r("prefmod")
@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_a_plot_for_the_screen_is_drawn_live(policy, by_group, kind, start):
    worth = patt_worth(by_group, backend=policy)
    assert plot_wmat(worth, format=kind, width=4, height=3, backend="live").data.startswith(start)


def test_what_a_plot_cannot_have_is_refused(policy, by_group):
    worth = patt_worth(by_group, backend=policy)
    with pytest.raises(ValueError, match="pcol is 'red'"):  # prefmod would draw a rainbow
        plot_wmat(worth, pcol="red")
    with pytest.raises(InputError, match="pcol has 2 values for 3 items"):
        plot_wmat(worth, pcol=["red", "blue"])
    with pytest.raises(InputError, match="inches"):
        plot_wmat(worth, width=1e6)
    with pytest.raises(RError, match="'plotworth' is defunct"):
        plotworth(worth, backend=policy)


@pytest.mark.r("prefmod")
def test_r_is_left_as_it_was(by_group):
    """prefmod leaves warnings switched off after an error and overwrites the random numbers; the bridge puts both
    back, and the design under its name is gone."""
    from pairproof.bridge.process.session import session

    look = "list(warn = getOption('warn'), seed = exists('.Random.seed', globalenv()), design = exists('design', globalenv()))"
    before = session().call(code=look).as_list()
    with pytest.raises(RError):
        pattR_fit(Expr("data.frame(a = 1:3)"), 4, backend="live")
    prefmod.simR(3, 5, seed=9, backend="live")
    fit_design(
        "y ~ A + B + C", Expr('prefmod::patt.design(prefmod::salad, 4, resptype = "ranking")'), backend="live"
    )
    after = session().call(code=look).as_list()
    assert after.vector("warn").scalar() == before.vector("warn").scalar() == 0
    assert not after.vector("design").scalar()
    assert after.vector("seed").scalar() == before.vector("seed").scalar()
