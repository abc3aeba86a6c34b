"""Models of which comparisons are missing: sums over all answers and gaps, prefmod, identification."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pairproof.data.respondents.codes import MISSING
from pairproof.errors import NotEstimableError
from pairproof.native.answers.patterns.answer_likelihood import Estimate, maximum_likelihood
from pairproof.native.answers.patterns.comparison_patterns import CubeSpace, fit_comparisons
from pairproof.native.answers.patterns.missing_comparisons import (
    Alpha,
    GapCubeSpace,
    GapSpace,
    gaps_likelihood,
)
from pairproof.native.answers.patterns.natural_parameters import incidence, main_effects, pairs_of, sharing
from tests.native.answers.brute import assert_moments
from tests.native.answers.r import PrefmodFit, table

LAST = [main_effects("ABCD")]


def fit_gaps(*args: Any, **options: Any) -> Estimate:
    likelihood, pooled, names = gaps_likelihood(*args, **options)
    return maximum_likelihood(likelihood, pooled.weights, names, concave=False)


ANSWERS = np.array([[1, 9, 0], [9, 9, -1], [0, 1, -1], [9, 9, 9]])


def all_states(ternary: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Answers and gaps of three comparisons."""
    codes = [1, 0, -1] if ternary else [1, -1]
    both = list(itertools.product(itertools.product(codes, repeat=3), itertools.product([0, 1], repeat=3)))
    return np.array([y for y, _ in both]), np.array([r for _, r in both])


@pytest.mark.parametrize("ternary", [False, True])
def test_moments_are_those_of_all_answers_and_gaps(ternary: bool) -> None:
    answers = ANSWERS if ternary else np.where(ANSWERS == 0, 1, ANSWERS)
    y, r = all_states(ternary)
    agree = np.array([((r == (a == MISSING)) & ((y == a) | (r == 1))).all(axis=1) for a in answers])
    rng = np.random.default_rng(1)
    u = [(y == 0).astype(float)] if ternary else []
    plain = np.hstack([y, *u, r, r * y]).astype(float)
    assert_moments(GapSpace(answers, ternary), plain, agree, rng.normal(size=plain.shape[1]))
    depends = sharing(3)
    ia = np.column_stack([y[:, a] * y[:, b] for a, b in depends])
    for coded in (False, True):
        # Items 1, 2, 3 are part of comparisons (12, 13), (12, 23), (13, 23); the i-th answer for item i.
        missing = np.column_stack([r[:, 0] + r[:, 1], r[:, 0] + r[:, 2], r[:, 1] + r[:, 2]])
        whole = np.hstack([y, *u, ia, r, missing * y if coded else r * y]).astype(float)
        space = GapCubeSpace(CubeSpace(answers, ternary, depends), coded)
        assert_moments(space, whole, agree, 0.6 * rng.normal(size=whole.shape[1]))


def immig() -> NDArray[np.int64]:
    return np.nan_to_num(table("immig[, 1:6]"), nan=MISSING).astype(np.int64)


@pytest.mark.r("prefmod")
@pytest.mark.parametrize(("alpha", "option", "llf"), [
    (None, "NI = TRUE", -913.621), ("common", "MIScommon = TRUE", -748.984),
    ("item", "MISalpha = rep(TRUE, 4)", -746.555),
])  # fmt: skip
def test_alpha_on_immig_agrees_with_prefmod_at_its_floor(
    alpha: Alpha | None, option: str, llf: float
) -> None:
    fit = fit_gaps(immig(), LAST, alpha, undecided="one", silent="out")
    r = PrefmodFit(f"pattPC.fit(immig[, 1:6], nitems = 4, undec = TRUE, {option})")
    # nlm stops at a gradient of 1e-6: observed 3.0e-5 (alpha by item), 7.4e-6 and 1.8e-8.
    assert np.abs(fit.phi - r.coef).max() < 1e-4
    assert np.abs(fit.standard_errors - r.se).max() < 1e-4
    assert -1e-9 < fit.llf - r.ll < 1e-6 and abs(fit.llf - llf) < 1e-3
    # The gaps say nothing about the items: they are those of the model without.
    plain = fit_comparisons(immig(), LAST, undecided="one").estimate
    assert np.abs(fit.phi[:3] - plain.phi[:3]).max() < 1e-10


@pytest.mark.r("prefmod")
def test_beta_as_prefmod_computes_it_is_found_on_immig() -> None:
    fit = fit_gaps(immig(), LAST, "item", "coded", undecided="one", silent="out")
    # pattPC.fit(immig[, 1:6], nitems = 4, undec = TRUE, MISalpha = rep(TRUE, 4), MISbeta = rep(TRUE, 4)) of
    # prefmod 0.8-37, which takes 20 s: lambda, alpha, beta, U. Its nlm stops at a gradient of 1e-6: observed
    # 2.7e-5 and 6e-9.
    prefmod = [0.882581808, 0.060475336, 0.746298488, -1.105678388, -1.007159116, -1.485101754, -0.405355256,
               -0.82431399, -0.463561974, 1.611121582, -0.790335623, -0.26785484]  # fmt: skip
    assert np.abs(fit.phi - prefmod).max() < 1e-4
    assert -1e-9 < fit.llf + 726.6499386849 < 1e-6


@pytest.mark.r("prefmod")
@pytest.mark.parametrize("processor", ["Haswell", "SkylakeX", "Nehalem"])
def test_what_is_flat_at_the_maximum_is_refused_whatever_the_processor(
    processor: str, tmp_path: Path
) -> None:
    """By numpy's own OpenBLAS: with SkylakeX and Nehalem estimates and errors of 1e5 once came out."""
    np.save(tmp_path / "immig.npy", immig())
    code = """if True:
        import numpy as np
        from pairproof.errors import NotEstimableError
        from tests.native.answers.patterns.test_gaps import LAST, fit_gaps
        try:
            fit_gaps(np.load("immig.npy"), LAST, "item", "difference", undecided="one", silent="out")
        except NotEstimableError as error:
            print(error)"""
    paths = os.pathsep.join([str(Path(__file__).parents[4]), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "OPENBLAS_CORETYPE": processor, "PYTHONPATH": paths},
    )
    if ran.returncode == -signal.SIGILL:
        pytest.skip(f"this processor lacks instructions of {processor}")
    assert "the likelihood is flat along them at its maximum (-746.39678" in ran.stdout, ran.stderr


def test_only_the_difference_of_betas_does_not_depend_on_labels() -> None:
    rng = np.random.default_rng(3)
    answers = rng.choice([1, -1], p=[0.6, 0.4], size=(150, 6))
    # Answers for the first item are rather left out.
    rate = np.where((answers == 1) & np.array([True, True, False, True, False, False]), 0.35, 0.15)
    answers[rng.random((150, 6)) < rate] = MISSING
    # Items in the order 2 1 3 4: comparisons 21 23 13 24 14 34.
    swapped = answers[:, [0, 2, 1, 4, 3, 5]]
    swapped[:, 0] = np.where(swapped[:, 0] == MISSING, MISSING, -swapped[:, 0])
    for beta, same in (("difference", True), ("item", False), ("coded", False)):
        one = fit_gaps(answers, LAST, "common", beta, beta_of=[0])
        other = fit_gaps(swapped, LAST, "common", beta, beta_of=[1])
        assert (abs(one.llf - other.llf) < 1e-8) is same


def test_alpha_and_beta_of_every_item_are_more_than_four_items_gaps_can_tell() -> None:
    # Six rates of missing answers, 4 + 4 parameters: not identified without dependence.
    rng = np.random.default_rng(4)
    answers = rng.choice([1, 0, -1], size=(200, 6))
    answers[rng.random((200, 6)) < 0.2] = MISSING
    free = fit_gaps(answers, LAST, "comparison", undecided="one")
    with pytest.raises(NotEstimableError, match="alpha:A.*beta:D.*flat") as told:
        fit_gaps(answers, LAST, "item", "item", undecided="one")
    assert f"{free.llf:.6f}" in str(told.value)  # its maximum is that of free rates


def test_alpha_and_beta_of_six_items_are_found_again() -> None:
    rng = np.random.default_rng(5)
    lam, alpha = np.linspace(1.0, 0.0, 6), np.array([-0.8, -0.4, -0.6, -0.2, -0.5, -0.7])
    beta = np.array([0.6, -0.3, 0.4, 0.1, -0.2, 0.0])
    first, second = pairs_of(6)
    eta = lam[first] - lam[second]
    gap, slope = alpha[first] + alpha[second], beta[first] - beta[second]
    # States (1, seen), (-1, seen), (1, missing), (-1, missing) of each comparison.
    weight = np.exp(np.stack([eta, -eta, eta + gap + slope, -eta + gap - slope]))
    state = (rng.random((4000, 15)) * weight.sum(axis=0) > np.cumsum(weight, axis=0)[:, None, :]).sum(axis=0)
    answers = np.where(state >= 2, MISSING, np.where(state == 0, 1, -1))
    fit = fit_gaps(answers, [main_effects("ABCDEF")], "item", "difference")
    # A comparison is missing at a rate that depends on |lambda_j + beta_j - lambda_k - beta_k| only: -beta -
    # 2 lambda is exactly as likely as beta.
    found, mirrored = fit.phi.copy(), -fit.phi[11:] - 2 * fit.phi[:5]
    if np.abs(mirrored).sum() < np.abs(found[11:]).sum():
        found[11:] = mirrored
    off = (found - np.concatenate([lam[:5], alpha, beta[:5]])) / fit.standard_errors
    # The largest of sixteen normal deviates is above 4 in 0.1 % of samples; observed 3.6.
    assert np.abs(off).max() < 4.0
    space = GapSpace(answers, False)
    flat = []
    for b in (fit.phi[11:], mirrored):
        of_pairs = incidence(6) @ np.append(fit.phi[:5], 0.0), np.abs(incidence(6)) @ fit.phi[5:11]
        natural = np.concatenate([*of_pairs, incidence(6) @ np.append(b, 0.0)])
        flat.append(space.at(natural).log_probabilities(np.arange(4000)).sum())
    assert abs(flat[0] - flat[1]) < 1e-7 and abs(flat[0] - fit.llf) < 1e-7
