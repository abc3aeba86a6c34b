"""Parameters are counted by the rank of the model on the observed data: infinite ones count, what the data do
not see does not.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.bridge.process.policy import Backend
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import ComparisonError
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.validation.r_answers.answerers import counterparts
from pairproof.validation.verdicts.against_r import compare_fit
from tests.native.comparisons.counts.tables import factor, table

#: Judge y never saw A lose. R: f1 <- glm(y ~ 0 + own, binomial), f2 <- glm(y ~ 0 + own + own:judge),
#: anova(f1, f2, test = "Chisq").
ROWS = [
    ("A", "B", 5, 3),
    ("A", "C", 6, 4),
    ("B", "C", 4, 4),
    ("A", "B", 10, 0),
    ("A", "C", 9, 0),
    ("B", "C", 3, 6),
]
ONE_SEPARATED = table("ABC", ROWS, judge=factor(["x"] * 3 + ["y"] * 3))
R_STATISTIC, R_DF, R_P, R_RANK, R_DF_RESID = 12.216274358, 2, 0.00222469115668, 4, 2
R_AIC, R_CONSTANT = 18.4969725066, 18.05177  # R's AIC adds -2 sum log choose(n, wins)
#: R's glm stops where the separated cells' deviance is 3e-10; observed difference of statistic 4e-10, of p
#: 1e-13.
AS_R = 1e-8


def test_a_likelihood_ratio_under_separation_has_rs_df_and_says_that_it_is_rough() -> None:
    larger, smaller = fit_bradley_terry(ONE_SEPARATED, by="judge"), fit_bradley_terry(ONE_SEPARATED)
    test = larger.compare(smaller)
    assert (test.df, larger.rank, larger.df_resid, larger.n_infinite, larger.n_estimable) == (
        R_DF,
        R_RANK,
        R_DF_RESID,
        1,
        3,
    )
    assert test.statistic == pytest.approx(R_STATISTIC, abs=AS_R) and test.p == pytest.approx(R_P, abs=AS_R)
    assert (
        "1 of the 4 dimensions" in test.caution
        and "approximate" in test.caution
        and test.caution in str(test)
    )
    assert larger.aic == pytest.approx(
        R_AIC + 2 * R_CONSTANT, abs=1e-5
    )  # the constant was printed to five decimals
    assert larger.bic == pytest.approx(
        -2 * larger.llf + R_RANK * np.log(54), rel=1e-14
    )  # 54 comparisons; the same sum


def test_a_fit_of_which_everything_is_infinite_has_an_aic_and_holds_the_smaller_one() -> None:
    everything = fit_bradley_terry(
        table("AB", [("A", "B", 4, 0), ("A", "B", 0, 3)], judge=factor(["x", "y"])), by="judge"
    )
    assert (everything.n_estimable, everything.rank, everything.aic) == (0, 2, 4.0)
    pooled = fit_bradley_terry(table("AB", [("A", "B", 4, 0), ("A", "B", 0, 3)], judge=factor(["x", "y"])))
    assert everything.compare(pooled).df == 1
    assert pooled.compare(everything).larger == everything.title


def test_a_test_without_infinite_estimates_has_no_caution() -> None:
    data = table(
        "ABC", [("A", "B", 5, 3), ("A", "C", 6, 4), ("B", "C", 4, 4)] * 2, judge=factor(["x"] * 3 + ["y"] * 3)
    )
    assert fit_bradley_terry(data, by="judge").compare(fit_bradley_terry(data)).caution == ""


def test_a_tie_parameter_without_a_tie_counts_and_does_not_make_the_test_rough() -> None:
    data = table(
        "ABC",
        [("A", "B", 5, 0, 3), ("A", "C", 6, 0, 4), ("B", "C", 4, 0, 4)] * 2,
        ties=True,
        judge=factor(["x"] * 3 + ["y"] * 3),
    )
    larger, smaller = fit_llbt(data, by="judge"), fit_llbt(data)
    assert (smaller.rank, smaller.n_infinite) == (3, 1)
    assert larger.compare(smaller).df == 2 and larger.compare(smaller).caution == ""


def test_a_tie_parameter_at_minus_infinity_against_one_held_at_0_makes_the_test_rough() -> None:
    data = table("ABC", [("A", "B", 5, 0, 3), ("A", "C", 6, 0, 4), ("B", "C", 4, 0, 4)], ties=True)
    test = fit_llbt(data).compare(fit_llbt(data, ties="none"))
    assert test.df == 1 and "1 of the 3 dimensions" in test.caution


def test_what_is_not_connected_is_not_counted() -> None:
    fit = fit_llbt(table("ABCD", [("A", "B", 5, 2), ("C", "D", 2, 3)]))
    assert (fit.rank, fit.n_estimable, fit.n_infinite) == (2, 2, 0)
    separated = fit_llbt(table("ABCD", [("A", "B", 5, 2), ("C", "D", 2, 0)]))
    assert (separated.rank, separated.n_infinite) == (2, 1)


def test_another_constraint_or_scale_counts_the_same() -> None:
    fit = fit_bradley_terry(ONE_SEPARATED, by="judge")
    for other in (
        fit.with_reference("B"),
        fit.with_reference("sum"),
        fit.on_scale("lambda"),
        fit_bradley_terry(ONE_SEPARATED, by="judge", reference="sum"),
    ):
        assert (other.rank, other.n_infinite) == (fit.rank, fit.n_infinite)
        assert other.aic == pytest.approx(fit.aic, rel=1e-14)  # another start of the same sum; observed 1e-16


def test_the_summary_and_the_json_say_how_many_parameters_are_infinite() -> None:
    fit = fit_bradley_terry(ONE_SEPARATED, by="judge")
    assert "Parameters fitted     4, infinite along 1" in fit.summary()
    assert (fit.to_dict()["rank"], fit.to_dict()["n_infinite"]) == (4, 1)
    assert "Estimable parameters  2" in fit_bradley_terry(ONE_SEPARATED).summary()


def _rank_by_hand(fit: Fit, judged: bool) -> int:
    """Rank of the linear predictors of all outcomes that occur as a possibility, from the definition."""
    d = fit.data
    judge = d.columns["judge"]
    assert isinstance(judge, Factor)
    j, s, ties = len(d.items), len(judge.levels), fit.outcome_model != "binary"
    rows = []
    for a, b, c, n in zip(d.first, d.second, judge.codes, d.wins + d.ties + d.losses):
        if n:
            u = np.zeros(j * s)
            u[a], u[b] = 1.0, -1.0
            if judged and c:
                u[c * j + a], u[c * j + b] = 1.0, -1.0
            for outcome in ((0.5, -1.0), (0.5, 1.0)) if ties else ((1.0, 0.0),):
                rows.append([*(outcome[0] * u), outcome[1]])
    return int(np.linalg.matrix_rank(np.array(rows)))


@st.composite
def sparse_tables(draw: st.DrawFn) -> Comparisons:
    """Few comparisons of few items by two judges: separated, disconnected, or both, more often than not."""
    n, ties = draw(st.integers(2, 4)), draw(st.booleans())
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    counts = draw(
        st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2 * len(pairs), max_size=2 * len(pairs))
    )
    rows = [("ABCD"[a], "ABCD"[b], w, t if ties else 0, l) for (a, b), (w, t, l) in zip(pairs * 2, counts)]
    rows += [("A", "B", 1, 0, 0)]
    return table(
        "ABCD"[:n],
        rows if ties else [(a, b, w, l) for a, b, w, _, l in rows],
        ties=ties,
        judge=factor(["x"] * len(pairs) + ["y"] * len(pairs) + ["x"]),
    )


@settings(max_examples=60, deadline=None)
@given(sparse_tables(), st.booleans())
def test_the_rank_of_any_sparse_table_is_that_of_its_design(data: Comparisons, judged: bool) -> None:
    used = data.select(data.wins + data.ties + data.losses > 0)
    fit = fit_llbt(used, by="judge" if judged and len(set(used.columns["judge"].codes)) > 1 else "")  # type: ignore[union-attr]  # a factor
    assert fit.rank == _rank_by_hand(fit, bool(fit.spec.by))
    assert fit.rank == fit.n_estimable + fit.n_infinite and fit.n_infinite >= 0
    assert fit.aic == pytest.approx(-2 * fit.llf + 2 * fit.rank)
    cells = fit.cell_table().n_cells * (2 if fit.data.tie_category else 1)
    assert fit.df_resid == cells - fit.rank
    if fit.spec.by:
        smaller = fit_llbt(used)
        if fit.rank == smaller.rank:
            with pytest.raises(ComparisonError, match="nothing to test"):
                fit.compare(smaller)
        else:
            assert (
                fit.compare(smaller).df == fit.rank - smaller.rank and fit.compare(smaller).statistic > -1e-9
            )


@pytest.mark.r("prefmod", "gnm", "BradleyTerry2", "psychotools")
@pytest.mark.parametrize("backend", ["live"])
def test_df_and_aic_of_a_separated_fit_agree_with_every_r_function(backend: Backend) -> None:
    ties = table("ABC", [("A", "B", 10, 0, 0), ("A", "C", 9, 0, 0), ("B", "C", 60, 20, 40)], ties=True)
    for fit in (
        fit_bradley_terry(ONE_SEPARATED, by="judge"),
        fit_bradley_terry(table("ABC", ROWS[3:])),
        fit_llbt(ties),
    ):
        rows = compare_fit(fit, counterparts(fit, backend))
        held = [r for r in rows if r.quantity in ("aic", "df_resid") and r.r is not None]
        assert {r.quantity for r in held} == {"aic", "df_resid"} and {r.verdict for r in held} == {
            "agrees"
        }, rows
