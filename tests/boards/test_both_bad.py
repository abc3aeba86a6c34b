"""Votes that call both bad, as an outcome of their own, beside R's glm and 50 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from pairproof import Comparisons
from pairproof.boards.both_bad import fit_both_bad, table_without_both_bad
from pairproof.data.columns import Factor
from pairproof.errors import InputError


def votes_by_rule() -> Comparisons:
    """400 votes by whole numbers, so that R makes the same."""
    k = np.arange(400)
    i, judge, src = k % 5, (7 * k) % 31, (k // 7) % 23
    j = (i + 1 + (k // 5) % 4) % 5
    bad = ((k * k * 13 + 7 * k + judge * judge) % 97 < 12 + 5 * (i + j)).astype(float)
    columns = {"judge": Factor(judge, names(31)), "src": Factor(src, names(23)), "both_bad": bad}
    return Comparisons.build("ABCDE", i, j, 1.0 - bad, bad, np.zeros(400), columns=columns)


def names(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(n)))


# k <- 0:399; i <- k %% 5; j <- (i + 1 + (k %/% 5) %% 4) %% 5; judge <- (7 * k) %% 31; src <- (k %/% 7) %% 23
# bad <- as.integer((k * k * 13 + 7 * k + judge * judge) %% 97 < 12 + 5 * (i + j))
# e <- sapply(0:4, function(a) (i == a) + (j == a)); x <- cbind(1, e[, 1:4] - e[, 5])
# fit <- glm(bad ~ 0 + x, family = binomial, control = glm.control(epsilon = 1e-15, maxit = 50))
# coef(fit); logLik(fit); library(sandwich)
# sqrt(diag(vcovCL(fit, cluster = ~ k, type = "HC0", cadjust = TRUE)))    # ~ judge, ~ judge + src
R_ESTIMATES = [
    -0.779591512012141163, -0.462355734616631042, -0.256974001107727668, 0.026549880918849619, 0.026549880918849172
]  # fmt: skip
R_LLF = -242.26511447024308
R_ERRORS = {
    (): [0.11102735978901841, 0.18369133034843033, 0.18097790912684253, 0.17854430742455854, 0.17952394024041723],
    ("judge",): [
        0.12671106661135076, 0.19007902987461769, 0.18600261677883817, 0.20516637619834174, 0.18613008557199834
    ],
    ("judge", "src"): [
        0.15257229717733270, 0.16623257557479862, 0.22531744080431337, 0.19455402607333827, 0.16587506829939969
    ],
}  # fmt: skip


@pytest.mark.parametrize("clusters", R_ERRORS)
def test_estimates_and_errors_by_cluster_are_those_of_glm_and_sandwich(clusters: tuple[str, ...]) -> None:
    found = fit_both_bad(votes_by_rule(), clusters)
    ours = [found.constant, *found.q[:4]]
    np.testing.assert_allclose(ours, R_ESTIMATES, rtol=0, atol=1e-13)  # seen 2e-15: glm's last step
    np.testing.assert_allclose(
        [found.constant_se, *found.se[:4]], R_ERRORS[clusters], rtol=1e-12
    )  # seen 2e-13
    assert found.llf == pytest.approx(R_LLF, rel=1e-14)
    assert found.q.sum() == pytest.approx(0.0, abs=1e-14)


def test_a_small_case_agrees_with_50_digits() -> None:
    n, y = [40, 31, 27, 45, 22, 38], [3, 9, 5, 11, 2, 14]
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    i, j = np.transpose(pairs)
    rest = np.subtract(n, y)
    table = Comparisons.build("ABCD", i, j, rest, y, np.zeros(6), columns={"both_bad": np.ones(6)})
    found = fit_both_bad(table)
    with mpmath.workdps(50):
        a = mpmath.matrix([-0.5] * 4)
        for _ in range(12):
            score, hessian = mpmath.zeros(4, 1), mpmath.zeros(4, 4)
            for (r, s), total, bad in zip(pairs, n, y):
                p = 1 / (1 + mpmath.exp(-a[r] - a[s]))
                for u in (r, s):
                    score[u] += bad - total * p
                    for v in (r, s):
                        hessian[u, v] += total * p * (1 - p)
            a += mpmath.lu_solve(hessian, score)
        mean = sum(a) / 4
        q, c = [float(v - mean) for v in a], float(2 * mean)
        shares = [
            float(sum(1 / (1 + mpmath.exp(-a[k] - a[l])) for l in range(4) if l != k) / 3) for k in range(4)
        ]
    np.testing.assert_allclose(found.q, q, rtol=0, atol=2e-15)  # seen 4e-16
    np.testing.assert_allclose(found.share, shares, rtol=5e-15)
    assert found.constant == pytest.approx(c, abs=2e-15)


def test_an_item_that_no_vote_calls_bad_is_at_minus_infinity_and_moves_no_other() -> None:
    table = votes_by_rule()
    more = table.changed(
        items=(*table.items, "F"),
        first=np.append(table.first, [5, 5]),
        second=np.append(table.second, [0, 1]),
        wins=np.append(table.wins, [3.0, 4.0]),
        ties=np.append(table.ties, [0.0, 1.0]),
        losses=np.append(table.losses, [2.0, 0.0]),
        columns={"both_bad": np.append(table.columns["both_bad"], [0.0, 0.0])},
    )
    alone, found = fit_both_bad(table), fit_both_bad(more)
    assert found.separated == ("F",) and found.q[5] == -np.inf and np.isnan(found.se[5])
    np.testing.assert_allclose(found.q[:5], alone.q, atol=1e-12)
    # the factor G / (G - 1) counts its 10 votes too
    np.testing.assert_allclose(found.se[:5], alone.se * np.sqrt(410 / 409 * 399 / 400), rtol=1e-10)
    assert found.llf == pytest.approx(alone.llf, abs=1e-9)
    assert found.share[5] == found.low[5] == 0.0
    assert found.high[5] == pytest.approx(1 - 0.025 ** (1 / 10))  # Clopper and Pearson, 0 of 10
    np.testing.assert_allclose(
        found.share[:5], alone.share * 4 / 5, rtol=1e-10
    )  # a fifth rival that is never bad


def test_items_that_met_one_other_side_alone_have_no_quality_but_shares_of_what_was_asked() -> None:
    table = Comparisons.build(
        "ABC", [0, 1], [1, 2], [60, 80], [5, 9], [40, 30], columns={"both_bad": np.ones(2)}
    )
    found = fit_both_bad(table)
    assert np.isnan(found.q).all() and np.isnan(found.constant)
    assert found.share[1] == pytest.approx((5 / 105 + 9 / 119) / 2)


def test_a_direction_that_no_single_item_shows_is_found() -> None:
    """A and B each have both kinds of votes with D, but between them and with C all or none is bad."""
    table = Comparisons.build(
        "ABC", [0, 0, 1], [1, 2, 2], [9, 0, 4], [0, 7, 4], [0, 0, 0], columns={"both_bad": np.ones(3)}
    )
    found = fit_both_bad(table)
    # a_A + a_B -> -inf, a_A + a_C -> inf, a_B + a_C = 0: B falls, C rises, A is not determined
    assert found.q[1] == -np.inf and found.q[2] == np.inf
    assert np.isnan(found.q[0])


def test_simulated_shares_are_held_by_their_limits() -> None:
    rng = np.random.default_rng(28)
    q, n = np.linspace(-0.6, 0.6, 8), 2_000
    off = ~np.eye(8, dtype=bool)
    p = 1 / (1 + np.exp(2.2 - q[:, None] - q))
    truth = np.where(off, p, 0).sum(axis=1) / 7
    held = []
    for _ in range(100):
        i = rng.integers(8, size=n)
        j = (i + rng.integers(1, 8, size=n)) % 8
        bad = (rng.random(n) < p[i, j]).astype(float)
        table = Comparisons.build("ABCDEFGH", i, j, 1 - bad, bad, np.zeros(n), columns={"both_bad": bad})
        found = fit_both_bad(table)
        held.append((found.low < truth) & (truth < found.high))
    assert 0.93 < np.mean(held) < 0.97  # 800 limits, seen 0.95


def test_the_rest_keeps_every_vote_that_is_not_both_bad() -> None:
    table = votes_by_rule()
    rest = table_without_both_bad(table)
    assert rest.n_comparisons == table.n_comparisons - fit_both_bad(table).bad
    assert rest.items == table.items and "both_bad" not in rest.columns and "judge" in rest.columns
    assert table_without_both_bad(rest) is rest


def test_what_cannot_be_fitted_is_refused_with_what_was_found() -> None:
    table = votes_by_rule()
    with pytest.raises(InputError, match="no column 'both_bad'"):
        fit_both_bad(table_without_both_bad(table))
    with pytest.raises(InputError, match="of 400 votes none calls both bad"):
        fit_both_bad(table.changed(columns={"both_bad": np.zeros(400)}))
    with pytest.raises(InputError, match="neither 0 nor 1"):
        fit_both_bad(table.changed(columns={"both_bad": np.full(400, 0.5)}))
    with pytest.raises(InputError, match="level=95"):
        fit_both_bad(table, level=95)
