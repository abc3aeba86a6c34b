"""A law of ties added by its likelihood alone has every verb, the command, clusters, replicates and profiles.

The laws are those of :mod:`tests.native.comparisons.rows.added_laws`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

import pairproof
from pairproof.fit.estimates import specification
from pairproof.fit.estimates.outcome_laws import LAWS
from pairproof.fit.fit import Fit
from tests.native.comparisons.rows.added_laws import Additive, Thurstone
from tools.golden import VERBS, attempt, comparisons

FloatArray = NDArray[np.float64]


def plain_formula(ties: str, a: FloatArray, tie: float, i: Any, j: Any) -> FloatArray:
    """float[n, 3]: the same probabilities, written down a second time."""
    if ties == "thurstone":
        u, t = a[i] - a[j], np.exp(tie)
        return np.stack([norm.cdf(u - t), norm.cdf(u + t) - norm.cdf(u - t), norm.cdf(-u - t)], axis=1)
    odds = np.stack([np.exp(a[i]), np.full(len(i), np.exp(tie + a.mean())), np.exp(a[j])], axis=1)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The line of the registry, and what has read it when the package was imported."""
    for name, law in (("thurstone", Thurstone()), ("additive", Additive())):
        monkeypatch.setitem(LAWS, name, law)
        monkeypatch.setitem(specification.TIES_IN_WORDS, name, law.words)
    yield


def fitted(ties: str, **options: Any) -> Fit:
    return pairproof.fit_bradley_terry(comparisons(pairproof), ties=ties, **options)


BOTH = pytest.mark.parametrize("ties", ["thurstone", "additive"])


@BOTH
def test_derivatives_are_those_of_the_law(ties: str) -> None:
    law, h = LAWS[ties], 1e-5
    v = np.random.default_rng(5).normal(size=(60, 3 if law.by_level else 2))
    log_p, first, second = law.logs(v)
    assert np.abs(np.exp(log_p).sum(axis=1) - 1.0).max() < 1e-14
    for k, step in enumerate(np.eye(v.shape[1]) * h):
        up, down = law.logs(v + step), law.logs(v - step)
        # Differences: observed 4e-9 and 4e-8.
        assert np.abs((up[0] - down[0]) / (2 * h) - first[:, :, k]).max() < 1e-7
        assert np.abs((up[1] - down[1]) / (2 * h) - second[:, :, :, k]).max() < 1e-6


@BOTH
def test_estimates_and_errors_are_those_of_the_plain_formula(ties: str) -> None:
    fit, table = fitted(ties), comparisons(pairproof)
    counts = np.stack([table.wins, table.ties, table.losses], axis=1)
    x = fit.params[["B", "C", "D", "E", "tie"]].to_numpy()

    def llf(x: FloatArray) -> float:
        p = plain_formula(ties, np.append(0.0, x[:4]), x[4], table.first, table.second)
        return float((counts * np.log(p)).sum())

    def gradient(x: FloatArray) -> FloatArray:
        steps = np.eye(5) * 1e-3
        one, two = (np.array([llf(x + k * e) - llf(x - k * e) for e in steps]) / (2e-3 * k) for k in (1, 2))
        return np.asarray((4.0 * one - two) / 3.0)

    hessian = np.array([(gradient(x + e) - gradient(x - e)) / 2e-3 for e in np.eye(5) * 1e-3])
    errors = np.sqrt(np.diag(np.linalg.inv(-hessian)))
    assert abs(fit.llf - llf(x)) < 1e-9
    # A step of Newton's method from here, in standard errors; differences of fourth order: observed 7e-9.
    assert np.abs(np.linalg.solve(hessian, gradient(x)) / errors).max() < 1e-7
    # Differences of second order: observed 1e-6 of the error.
    assert np.abs(fit.bse[["B", "C", "D", "E", "tie"]] / errors - 1.0).max() < 1e-5
    p = plain_formula(ties, np.append(0.0, x[:4]), x[4], [1], [4])
    asked = fit.probabilities().query("first == 'B' and second == 'E'")[["p_first", "p_tie", "p_second"]]
    new = pairproof.predict(fit, {"first": ["B"], "second": ["E"]})[["p_first", "p_tie", "p_second"]]
    drawn = fit.bootstrap("judge", replicates=19, seed=1, quantity="probabilities")
    of_pair = [drawn.names.index(name) for name in ("P(B > E)", "P(B = E)", "P(E > B)")]
    for found in (asked.to_numpy(), new.to_numpy(), drawn.estimate[None, of_pair]):
        assert np.abs(found - p).max() < 1e-12


@pytest.mark.parametrize("verb", VERBS)
@BOTH
def test_every_verb_answers(ties: str, verb: str) -> None:
    fit = fitted(ties)
    cell = attempt(lambda: VERBS[verb](fit))
    said = cell.get("error", "") if isinstance(cell, dict) else ""
    if verb == "to_r":
        assert f"no R program of {LAWS[ties].words} is known here" in said
    elif verb == "worth" and ties == "thurstone":
        assert "differences of abilities are log-odds only with link='logit'" in said
    else:
        assert not said


@BOTH
def test_what_is_said_of_r(ties: str) -> None:
    assert f"no R program with {LAWS[ties].words} is known" in str(fitted(ties).verify())


@BOTH
def test_the_reference_does_not_matter(ties: str) -> None:
    one, other, total = fitted(ties), fitted(ties, reference="D"), fitted(ties).with_reference("sum")
    for fit in (other, total):
        assert abs(fit.llf - one.llf) < 1e-10
        assert abs(fit.params["tie"] - one.params["tie"]) < 1e-9
        assert abs(fit.bse["tie"] - one.bse["tie"]) < 1e-9
        gap = fit.profile(contrasts=[("A", "B")]) - one.profile(contrasts=[("A", "B")])
        assert np.abs(gap.to_numpy()).max() < 1e-8
        assert np.abs((fit.clustered("judge").bse - one.clustered("judge").bse)["tie"]) < 1e-9


def test_ties_whose_chance_depends_on_the_level_tell_sets_of_items_apart() -> None:
    counts = {"wins": [6, 2, 9], "ties": [5, 8, 3], "losses": [4, 7, 2]}
    table = pairproof.read({"first": ["A", "C", "C"], "second": ["B", "D", "E"], **counts})
    assert not pairproof.fit_bradley_terry(table, ties="davidson").is_estimable(np.eye(6)[[2]])
    fit = pairproof.fit_bradley_terry(table, ties="additive")
    assert not fit.warnings and fit.bse[["B", "C", "D", "E", "tie"]].notna().all()
    # Three pairs with two free probabilities each, by five parameters.
    assert fit.df_resid == 1


def test_the_command_and_comparisons_of_ties_have_it(tmp_path: Path) -> None:
    source = tmp_path / "votes.csv"
    table = comparisons(pairproof)
    frame = {
        "first": np.array(table.items)[table.first], "second": np.array(table.items)[table.second],
        "wins": table.wins, "ties": table.ties, "losses": table.losses,
        "judge": np.array(table.columns["judge"].levels)[table.columns["judge"].codes],
    }  # fmt: skip
    lines = [",".join(frame), *(",".join(str(v) for v in row) for row in zip(*frame.values()))]
    source.write_text("\n".join(lines), encoding="utf-8")
    program = (
        "from tests.native.comparisons.rows.added_laws import LAWS, Thurstone; LAWS['thurstone'] = Thurstone();"
        " from pairproof.cli import main; main()"
    )
    arguments = [
        "fit",
        str(source),
        "--model",
        "bradley-terry",
        "--ties",
        "thurstone",
        "--cluster",
        "judge",
        "--json",
    ]
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert (
        found["ties"] == "thurstone"
        and found["bse"]["tie"] == fitted("thurstone").clustered("judge").bse["tie"]
    )
    models = pairproof.compare_ties(table, treatments=["davidson", "thurstone"]).models()
    assert models.loc["thurstone", "aic"] == fitted("thurstone").aic
