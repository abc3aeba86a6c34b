"""brglm2, psychotree, lme4 on contests, eba: R's answers where pairproof has the same models, and eba's own.

Replayed from records; ``PAIRPROOF_RECORD=all`` asks R and writes them anew.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from pairproof.bridge import Backend, data_expr
from pairproof.bridge.packages import eba, psychotree
from pairproof.bridge.packages.brglm2 import brglm_fit
from pairproof.bridge.packages.lme4 import glmer_contests
from pairproof.errors import InputError
from tests.bridge.conftest import digits
from tests.read_in_place import in_place

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
I, J = np.triu_indices(4, 1)
DIFFERENCES = np.eye(4)[I] - np.eye(4)[J]
#: Four players, five contests a pair; the first always wins.
SEPARATED = np.array([5.0, 5, 5, 3, 4, 2])
#: Ten contests a pair, and a covariate.
WINS, X = np.array([3.0, 6, 1, 8, 2, 1]), np.array([0.0, 1, 2, 4])


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


@pytest.mark.parametrize(
    ("kind", "coef", "se", "deviance"),
    [
        ("AS_mean", (-2.93135268278164, -3.66827581935505), (1.47641431441663, 1.52060884288177), 1.73397449507153),
        ("MPL_Jeffreys", (-2.93135268278164, -3.66827581935505), (1.47641431441663, 1.52060884288177), 1.73397449507153),
        ("AS_mixed", (-2.93135268278164, -3.66827581935505), (1.47641431441663, 1.52060884288177), 1.73397449507153),
        ("AS_median", (-3.95348322823367, -4.65956768506173), (2.34693348509948, 2.37562671983307), 1.10572571745473),
    ],
)  # fmt: skip
def test_bias_reduction_of_a_separated_table_has_the_digits_of_the_specification(
    policy, kind, coef, se, deviance
):
    fit = brglm_fit(DIFFERENCES[:, 1:], SEPARATED, 5 - SEPARATED, list("BCD"), kind, backend=policy)
    assert fit.names == ("B", "C", "D") and fit.converged
    # The specification has brglm2 1.1.1's 15 digits, this record another version's; observed 14.1 or more.
    found = [*fit.coef, *fit.se, fit.deviance]
    wanted = [coef[0], coef[1], coef[1], se[0], se[1], se[1], deviance]
    assert min(digits(a, b) for a, b in zip(found, wanted)) > 11


def test_bias_reduction_of_the_poisson_form_is_another(policy):
    counts = np.concatenate([SEPARATED, 5 - SEPARATED])
    x = np.hstack([np.vstack([DIFFERENCES, -DIFFERENCES])[:, 1:] / 2, np.tile(np.eye(6), (2, 1))])
    fit = brglm_fit(x, counts, family="poisson", link="log", backend=policy)
    # The specification's digits; observed 14.5 or more.
    assert min(digits(a, b) for a, b in zip(fit.coef, (-2.93301427897014, -3.67100325699076))) > 10


def test_one_random_effect_has_laplaces_numbers(policy):
    fit = glmer_contests(WINS, 10 - WINS, [DIFFERENCES], (DIFFERENCES @ X)[:, None], backend=policy)
    # lme4's search stops at 8 or 9 digits of sigma; the specification's are of the maximum. Observed 7.8,
    # 7.5, 10.3.
    assert digits(fit.sigma[0], 0.70671206164) > 6 and digits(fit.coef[0], 0.45593646984) > 6
    assert digits(fit.loglik, -10.717324607948) > 9
    np.testing.assert_allclose(fit.effects, [0.14488697, 0.44150931, -0.88266135, 0.29626507], atol=1e-6)


def test_two_random_effects_are_two_standard_deviations(policy):
    judge = np.repeat(np.arange(8), 6)
    players, both = np.tile(DIFFERENCES, (8, 1)), np.zeros((48, 32))
    for row in range(48):
        both[row, judge[row] * 4 + I[row % 6]], both[row, judge[row] * 4 + J[row % 6]] = 1, -1
    rng = np.random.default_rng(1)
    eta = players @ np.array([0.5, 0, -0.5, 1]) + both @ rng.normal(0, 0.8, 32)
    wins = rng.binomial(5, 1 / (1 + np.exp(-eta))).astype(float)
    fit = glmer_contests(wins, 5 - wins, [players, both], backend=policy)
    one = glmer_contests(wins, 5 - wins, [players], backend=policy)
    assert fit.sizes.tolist() == [4, 32] and (fit.sigma > 0).all() and len(fit.effects) == 36
    assert fit.loglik > one.loglik and len(fit.coef) == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: glmer_contests([1], [0], []), "blocks is empty"),
        (lambda: glmer_contests([1, 0], [1, 0], [np.eye(2)]), "row 2 has no contest"),
        (lambda: glmer_contests([1], [1], [np.eye(2)]), "block 1 has shape"),
        (lambda: brglm_fit([[1.0]], [1, 2], [1, 1]), "x has shape"),
        (lambda: brglm_fit([[1.0]], [1]), "losses belong to the binomial"),
        (lambda: brglm_fit([[1.0]], [1], [1], names=["a", "b"]), "2 names for 1 columns"),
        (lambda: psychotree.bttree([[1.0]], {"x": [1]}), "labels name the items"),
        (lambda: eba.eba([[0, 1], [1, 0]], ["a"]), "expected 1 x 1 wins"),
        (lambda: eba.eba([[0, 1], [1, 0]], ["a", "b"], [[1], [0]]), "whole numbers from 1"),
        (lambda: eba.eba([[0, 1], [1, 0]], ["a", "b"], [[1]]), "aspects of 1 items"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()


@pytest.fixture(scope="module")
def topmodel(policy):
    answers = data_expr("psychotree", "Topmodel2007", "preference")
    covariates = data_expr("psychotree", "Topmodel2007", "-preference")
    return psychotree.bttree(answers, covariates, ref="Barbara", minsize=5, backend=policy)


def test_the_tree_of_top_models_has_the_numbers_of_the_specification(topmodel):
    root, second, fourth = (topmodel.node(k) for k in (1, 2, 4))
    assert (root.variable, root.breaks.tolist(), second.variable, second.left) == (
        "age",
        [52.0],
        "q2",
        ("yes",),
    )
    assert (fourth.variable, fourth.left, [n.id for n in topmodel.leaves]) == (
        "gender",
        ("male",),
        [3, 5, 6, 7],
    )
    assert [n.n for n in topmodel.leaves] == [35, 71, 56, 30] and topmodel.df == 23
    assert fourth.parent == 2 and root.kids == (2, 7)
    found = {name: (statistic, p) for name, statistic, p in root.tests}
    wanted = {
        "gender": (17.0879800029835, 0.0214924495861615),
        "age": (32.3565530796521, 0.000791546614864875),
        "q1": (12.6319505276705, 0.128276380188702),
        "q2": (19.8392218499933, 0.00667999553330845),
        "q3": (6.75855922630514, 0.74515148810793),
    }
    # psychotree's models stop where glm does; observed 13.1 digits.
    assert min(digits(a, b) for k in wanted for a, b in zip(found[k], wanted[k])) > 9
    assert digits(topmodel.loglik, -1828.633035286) > 11 and digits(root.loglik, -1912.05483227078) > 11
    leaf = topmodel.node(7)
    assert digits(leaf.coef[0], -1.534395081080925) > 9 and leaf.names == (
        "Anni",
        "Hana",
        "Fiona",
        "Mandy",
        "Anja",
    )
    assert np.isnan(dict((n, p) for n, _, p in leaf.tests)["q2"])  # it no longer varies there
    assert np.bincount(topmodel.member.astype(int))[[3, 5, 6, 7]].tolist() == [35, 71, 56, 30]


def test_a_table_of_a_users_own_is_grown_too(policy):
    import pandas as pd

    rng = np.random.default_rng(5)
    group = np.repeat([0, 1], 40)
    ability = np.where(group[:, None] == 0, [1.5, 0, -1.5], [-1.5, 0, 1.5])
    chance = [1 / (1 + np.exp(ability[:, j] - ability[:, i])) for i, j in ((0, 1), (0, 2), (1, 2))]
    answers = np.where(rng.random((80, 3)) < np.array(chance).T, 1.0, -1.0)
    covariates = pd.DataFrame(
        {"group": pd.Categorical.from_codes(group, ["old", "new"]), "noise": rng.random(80)}
    )
    tree = psychotree.bttree(answers, covariates, ["a", "b", "c"], ref="c", backend=policy)
    assert tree.nodes[0].variable == "group" and len(tree.leaves) == 2 and tree.labels == ("a", "b", "c")
    signs = {leaf.id: np.sign(leaf.coef[0]) for leaf in tree.leaves}
    assert sorted(signs.values()) == [-1, 1]


HEADS = ["LBJ", "HW", "CDG", "JU", "CY", "AJF", "BB", "ET", "SL"]


@pytest.fixture(scope="module")
def celebrities():
    """Rumelhart and Greeno's (1971) nine celebrities, out of eba."""
    from pairproof.bridge import package_data

    table = in_place("eba", lambda: package_data("eba", "celebrities", backend="live"))
    return table.to_numpy(float), [str(c) for c in table.columns]


def test_elimination_by_aspects_is_luces_model_without_common_aspects_and_less_precise(policy, celebrities):
    counts, items = celebrities
    assert items == HEADS
    fit = eba.eba(counts, items, backend=policy)
    free = brglm_fit((np.eye(9)[np.triu_indices(9, 1)[0]] - np.eye(9)[np.triu_indices(9, 1)[1]])[:, 1:],
                     counts[np.triu_indices(9, 1)], counts.T[np.triu_indices(9, 1)], type="ML", backend=policy)  # fmt: skip
    worth = np.exp([0.0, *free.coef])
    gap = np.abs(fit.scale - worth / worth.sum()).max()
    # eba's nlm stops early: observed 3.2e-7 here, where glm's own digits are 1e-15.
    assert 1e-12 < gap < 1e-4
    assert fit.deviance == pytest.approx(free.deviance, rel=1e-6) and fit.df_residual == 28  # observed 4e-10
    assert fit.coef.sum() != pytest.approx(1)  # aspects are not normed; scale is
    assert fit.scale.sum() == pytest.approx(1, abs=1e-12)


def test_a_preference_tree_of_celebrities_is_the_help_pages(policy, celebrities):
    counts, items = celebrities
    aspects = [[1, 10], [2, 10], [3, 10], [4, 11], [5, 11], [6, 11], [7, 12], [8, 12], [9, 12]]
    fit = eba.OptiPt(counts, items, aspects, backend=policy)
    # Tversky and Sattath's tree; eba prints G2 = 30.17 with 25 df here.
    assert round(fit.deviance, 2) == 30.17 and len(fit.coef) == 12


def test_thurstones_case_v_is_a_probit_model_and_transitivity_is_counted(policy, celebrities):
    counts, items = celebrities
    i, j = np.triu_indices(9, 1)
    thurstone = eba.thurstone(counts, items, backend=policy)
    probit = brglm_fit((np.eye(9)[i] - np.eye(9)[j])[:, 1:], counts[i, j], counts[j, i], type="ML", link="probit", backend=policy)  # fmt: skip
    # glm's default stop; observed 1.5e-8.
    np.testing.assert_allclose(thurstone.coef[1:], probit.coef, atol=1e-5)
    assert thurstone.names == tuple(items) and thurstone.coef[0] == thurstone.se[0] == 0
    found = eba.strans(counts, items, backend=policy)
    assert (found.weak, found.moderate, found.strong, found.n_tests) == (0, 0, 34, 84)


@pytest.mark.r("brglm2", "psychotree", "eba", "lme4")
def test_live_r_says_what_its_record_says(policy, topmodel):
    def pair(ask):
        return ask(policy), ask("live")

    for kind in ("AS_mean", "AS_median"):
        recorded, live = pair(
            lambda b: brglm_fit(DIFFERENCES[:, 1:], SEPARATED, 5 - SEPARATED, list("BCD"), kind, backend=b)
        )
        # R on another BLAS may differ: observed 0 on this machine.
        np.testing.assert_allclose(live.coef, recorded.coef, rtol=1e-9)  # on the same machine 0
    recorded, live = pair(
        lambda b: glmer_contests(WINS, 10 - WINS, [DIFFERENCES], (DIFFERENCES @ X)[:, None], backend=b)
    )
    np.testing.assert_allclose(
        # glmer's search on another BLAS may end elsewhere: observed 0.
        live.sigma,
        recorded.sigma,
        rtol=1e-5,
    )  # where lme4 stops; on the same machine 0
    again = psychotree.bttree(data_expr("psychotree", "Topmodel2007", "preference"), data_expr("psychotree", "Topmodel2007", "-preference"),
                              ref="Barbara", minsize=5, backend="live")  # fmt: skip
    assert [(n.id, n.variable, n.n) for n in again.nodes] == [(n.id, n.variable, n.n) for n in topmodel.nodes]
    # R on another BLAS: observed 0.
    assert again.loglik == pytest.approx(topmodel.loglik, rel=1e-9)
