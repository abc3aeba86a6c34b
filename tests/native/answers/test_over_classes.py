"""What latent classes say together, weighted by their shares; and contrasts, ranks and intervals inside one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import pairproof
from pairproof.errors import InputError
from pairproof.fit.fit import Fit
from pairproof.fit.results.answers import enumerated

#: Made up: those who like A best tend to like C least.
ANSWERS = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, -1, -1]]


def drinks(weights: list[float]) -> pairproof.Respondents:
    return pairproof.Respondents.build("ABC", "comparisons", ANSWERS, tie_category=False, weights=weights)


def two_classes() -> Fit:
    return pairproof.fit_latent_classes(drinks([60, 18, 16, 20, 50, 16, 18]), 2, seed=1, starts=5)


def mixed(fit: Fit, psi: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Shares and lambdas of the classes near the estimate, from the parameters of the mixture.

    That the shares' derivatives are those of the mixture has its test in `patterns/test_classes.py`.
    """
    law = fit.likelihood
    beta = law.outward @ psi
    assert fit.classes is not None
    moved = fit.classes.shares + fit.classes.outward @ (psi - law.theta)
    return moved, [beta[3 * k : 3 * k + 3] for k in range(2)]


def worths(lam: np.ndarray) -> np.ndarray:
    e = np.exp(2.0 * lam)
    return e / e.sum()


def p_first(lam: np.ndarray) -> np.ndarray:
    i, j = np.nonzero(~np.eye(3, dtype=bool))
    return 1.0 / (1.0 + np.exp(2.0 * (lam[j] - lam[i])))


def differences(lam: np.ndarray) -> np.ndarray:
    i, j = np.triu_indices(3, 1)
    return lam[i] - lam[j]


@pytest.mark.parametrize(
    ("what", "of"),
    [("worth", worths), ("contrasts", differences), ("probabilities", p_first)],
    ids=["worth", "contrasts", "probabilities"],
)
def test_errors_over_classes_are_those_of_numerical_derivatives(
    what: str, of: Callable[[np.ndarray], np.ndarray]
) -> None:
    fit = two_classes()
    law = fit.likelihood

    def value(psi: np.ndarray) -> np.ndarray:
        shares, lam = mixed(fit, psi)
        return np.asarray(sum(s * of(own) for s, own in zip(shares, lam)))

    h, p = 1e-4, len(law.theta)
    slopes = np.array([(value(law.theta + h * e) - value(law.theta - h * e)) / (2.0 * h) for e in np.eye(p)])
    se = np.sqrt(np.diag(slopes.T @ law.covariance @ slopes))
    found = fit.over_classes(what)  # type: ignore[arg-type]
    np.testing.assert_allclose(found["estimate"], value(law.theta), atol=1e-12)
    np.testing.assert_allclose(found["se"], se, rtol=1e-6)  # central differences, h = 1e-4: seen 3e-9


def test_shares_move_with_the_parameters() -> None:
    """Without the shares' variances and covariances the error would be another one."""
    fit = two_classes()
    assert fit.classes is not None
    alone = np.concatenate([fit.shares.iloc[k] * (np.eye(3)[0] - np.eye(3)[1]) for k in range(2)])
    held = float(np.sqrt(alone @ fit.covariance.between(np.eye(6)) @ alone))
    assert abs(fit.over_classes("contrasts")["se"].iloc[0] / held - 1.0) > 0.1


@pytest.mark.nightly
def test_errors_over_classes_are_the_spread_of_samples_from_the_model() -> None:
    fit = two_classes()
    possible = enumerated(fit.numbers)
    p, codes = possible.probabilities(0), possible.answers()[:, 0]
    draw, found = np.random.default_rng(8), []
    for _ in range(150):
        counts = draw.multinomial(198 * 5, p)
        table = pairproof.Respondents.build(
            "ABC",
            "comparisons",
            codes[counts > 0],
            tie_category=False,
            weights=counts[counts > 0].astype(float),
        )
        again = pairproof.fit_latent_classes(table, 2, seed=2, starts=3)
        if not again.collapsed:
            found.append(again.over_classes()["estimate"].to_numpy())
    spread = np.std(found, axis=0, ddof=1) * np.sqrt(5.0)
    # 150 samples tell a standard deviation to 6 %
    np.testing.assert_allclose(spread, fit.over_classes()["se"], rtol=0.2)


def test_errors_by_person_over_classes_are_the_sandwich_of_all_parameters() -> None:
    fit = two_classes()
    assert fit.classes is not None
    law = fit.likelihood
    scores, n = law.point.scores, fit.numbers.observed
    moved = scores @ law.covariance
    v = moved.T @ (n[:, None] * moved) * n.sum() / (n.sum() - 1.0)
    i, shares = np.array([1.0, -1.0, 0.0]), fit.shares.to_numpy()
    slope = np.concatenate([shares[0] * i, shares[1] * i]) @ law.outward
    values = np.array([fit.contrast("A", "B", group=f"class={k}").estimate for k in (1, 2)])
    slope = slope + values @ fit.classes.outward
    robust = fit.clustered().over_classes("contrasts")
    assert robust["se"].iloc[0] == pytest.approx(float(np.sqrt(slope @ v @ slope)), rel=1e-10)


def test_inside_a_class_everything_is_asked_by_its_name() -> None:
    fit = two_classes()
    for k in (1, 2):
        group = f"class={k}"
        contrast = fit.contrast("A", "C", group=group)
        a, c = fit.params[f"A:class[{k}]"], fit.params[f"C:class[{k}]"]
        assert contrast.estimate == pytest.approx(a - c, abs=1e-12)
        assert fit.contrasts(group=group).to_frame().loc["A - C", "se"] == pytest.approx(contrast.se)
        assert fit.ranks(group=group).to_frame().loc["A", "rank"] == (1 if k == 1 else 3)
        worth = fit.worth(at={"class": str(k)})
        own = fit.params[[f"{n}:class[{k}]" for n in "ABC"]].to_numpy()
        np.testing.assert_allclose(worth["worth"], worths(own), atol=1e-12)
        p = fit.probabilities(group=group, level=0.95)
        np.testing.assert_allclose(p["p_first"], p_first(own), atol=1e-12)
        assert (p["p_first_low"] < p["p_first"]).all()


def test_a_group_is_named_without_its_class() -> None:
    with pytest.raises(InputError, match="no group 'class=1'; the groups are none but the classes"):
        two_classes().over_classes(group="class=1")
    with pytest.raises(InputError, match="a model without latent classes"):
        pairproof.fit_pattern(drinks([30, 9, 8, 10, 25, 8, 9])).over_classes()


def test_the_bootstrap_of_classes_follows_the_maximum_of_the_table() -> None:
    fit = two_classes()
    drawn = fit.bootstrap(replicates=199, seed=1, quantity=["params", ("A", "C")], group="class=1")
    assert drawn.n_failed == 0
    # 199 replicates tell a standard deviation to 5 %, linearisation falls short by some more: seen 1.14
    names = ["A:class[1]", "B:class[1]", "A:class[2]"]
    ratio = drawn.se.loc[names] / fit.clustered().bse.loc[names]
    assert ((ratio > 0.85) & (ratio < 1.3)).all()
    assert (drawn.replicates[:, -1] > 0.0).all()  # the class that likes A best stays the first
    with pytest.raises(InputError, match="may name the classes otherwise"):
        fit.bootstrap(replicates=49, seed=1, quantity=lambda f: f.params["A:class[1]"])


def test_replicates_in_which_a_class_collapses_have_no_fit_and_are_counted() -> None:
    few = pairproof.fit_latent_classes(drinks([12, 4, 3, 4, 10, 3, 4]), 2, seed=1, starts=5)
    drawn = few.bootstrap(replicates=99, seed=2)
    assert 0 < drawn.n_failed < 50
    assert any(str(drawn.n_failed) in said for said in drawn.to_dict()["cautions"])
