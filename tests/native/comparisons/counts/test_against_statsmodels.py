"""A second, independent check: statsmodels' Poisson GLM with every nuisance column written out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from tests.native.comparisons.counts.tables import dras, random_table, table

# statsmodels' IRLS, iterated to 1e-14 and refitted once from its own solution; observed least over these
# models: 12.9 (estimates), 12.4 (standard errors), 11.8 (deviance).
ESTIMATES, ERRORS, DEVIANCE = 1e-11, 1e-10, 1e-10


def glm(
    data: Comparisons, by: str = "", ties: bool = True, order: bool = False, tie_parameter: bool = True
) -> tuple[dict[str, tuple[float, float]], float, int]:
    """Estimates and standard errors by our names, deviance, df of the log-linear model with its nuisance
    columns.
    """
    import statsmodels.api as sm

    column = data.columns.get(by)
    levels = column.levels if isinstance(column, Factor) else ()
    names = list(data.items[:-1])
    rows, counts, blocks = [], [], []
    for r in range(data.n_rows):
        outcomes = [(1.0, 0.0, data.wins[r]), (0.0, 1.0, data.ties[r]), (-1.0, 0.0, data.losses[r])]
        for side, tied, count in outcomes if ties else (outcomes[0], outcomes[2]):
            lam = np.zeros(len(names) + 1)
            lam[data.first[r]] += side
            lam[data.second[r]] -= side
            part = [lam[:-1]]
            if isinstance(column, Factor):
                part += [lam[:-1] * (column.codes[r] == k) for k in range(1, len(levels))]
            elif column is not None:
                part.append(lam[:-1] * column[r])
            if ties and tie_parameter:
                part.append(np.array([tied]))
            if order:
                part.append(np.array([side / 2]))
            rows.append(np.concatenate(part))
            counts.append(count)
            pair = tuple(sorted((int(data.first[r]), int(data.second[r]))))
            cell = None if column is None else column.codes[r] if isinstance(column, Factor) else column[r]
            blocks.append((pair, cell, bool(data.first[r] < data.second[r]) if order else None))
    distinct = sorted(set(blocks), key=str)
    nuisance = np.zeros((len(rows), len(distinct)))
    nuisance[np.arange(len(rows)), [distinct.index(b) for b in blocks]] = 1.0
    x, y = np.column_stack([np.array(rows), nuisance]), np.array(counts)
    model = sm.GLM(y, x, family=sm.families.Poisson())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # statsmodels warns that a zero count is fitted well
        fit = model.fit(tol=1e-14, maxiter=200)
        fit = model.fit(start_params=fit.params, tol=1e-14, maxiter=3)
    labels = list(names)
    if isinstance(column, Factor):
        labels += [f"{n}:{by}[{lv}]" for lv in levels[1:] for n in names]
    elif column is not None:
        labels += [f"{n}:{by}" for n in names]
    labels += ["tie"] * (ties and tie_parameter) + ["order"] * order
    values = {n: (float(b), float(s)) for n, b, s in zip(labels, fit.params, fit.bse)}
    # Rows of one cell are added up for the deviance; here every row is a cell of its own, so no more is
    # needed.
    return values, float(fit.deviance), int(fit.df_resid)


def agree(fit: Fit, values: dict[str, tuple[float, float]], deviance: float, df: int) -> None:
    gaps = {
        n: (abs(fit.params[n] - b) / max(abs(b), s), abs(fit.bse[n] - s) / s) for n, (b, s) in values.items()
    }
    assert set(values) == {n for n, free in zip(fit.names, fit.free) if free}
    assert max(g[0] for g in gaps.values()) < ESTIMATES, gaps
    assert max(g[1] for g in gaps.values()) < ERRORS, gaps
    assert abs(fit.deviance - deviance) <= DEVIANCE * max(1.0, deviance)
    assert fit.df_resid == df


def pooled() -> Comparisons:
    data = dras()
    counts = data.pooled()
    return table("ABCD", [(a, b, *y) for (a, b), y in counts.items()], ties=True)


def test_dras_table_1_with_ties() -> None:
    agree(fit_llbt(pooled()), *glm(pooled()))


def test_dras_table_1_with_the_tie_parameter_held_at_0() -> None:
    agree(fit_llbt(pooled(), ties="none"), *glm(pooled(), tie_parameter=False))


def test_dras_table_1_by_judge() -> None:
    agree(fit_llbt(dras(), by="judge"), *glm(dras(), by="judge"))


def test_dras_table_1_with_a_numeric_covariate() -> None:
    agree(fit_llbt(dras(), by="age"), *glm(dras(), by="age"))


def test_dras_table_1_by_judge_has_its_own_table_for_the_pooled_model() -> None:
    fit = fit_llbt(dras(), cells="judge")
    assert fit.df_resid == 44
    assert fit.deviance == pytest.approx(280.9128, abs=5e-5)  # printed to 4 decimals in the specification


def test_an_order_effect_with_ties() -> None:
    rng = np.random.default_rng(7)
    rows = []
    for i, a in enumerate("ABCDE"):
        for j, b in enumerate("ABCDE"):
            if i != j:
                y = rng.multinomial(20, [0.5, 0.2, 0.3])
                rows.append((a, b, *y))
    data = table("ABCDE", rows, ties=True)
    agree(fit_llbt(data, order_effect=True), *glm(data, order=True))


def test_a_binary_table_of_ten_items() -> None:
    data = random_table(11, n_items=10, ties=False)
    values, deviance, df = glm(data, ties=False)
    agree(fit_llbt(data), values, deviance, df)
    log_odds = fit_bradley_terry(data, reference=data.items[-1])
    assert max(abs(log_odds.params[n] - 2 * b) for n, (b, _) in values.items()) < 2 * ESTIMATES


def test_half_wins_are_fractional_counts() -> None:
    data = dras()
    values, deviance, df = glm(
        table(
            "ABCD", [(a, b, *y) for (a, b), y in data.ties_as_half_wins().pooled().items()], ties=True
        ).without_ties(),
        ties=False,
    )
    agree(fit_llbt(data, ties="half"), values, deviance, df)
