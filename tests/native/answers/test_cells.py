"""Deviance of pattern models by groups of persons that the model does not know: `cells=`, as prefmod's `elim`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pairproof
from pairproof.errors import FormulaError


def ranked(persons: int = 120, seed: int = 5) -> pairproof.Respondents:
    draw = np.random.default_rng(seed)
    seen = np.array([0.6, 0.1, 0.0]) + draw.gumbel(size=(persons, 3))
    ranks = (-seen).argsort(axis=1).argsort(axis=1) + 1
    columns: dict[str, list[Any]] = {n: ranks[:, k].tolist() for k, n in enumerate("ABC")}
    columns |= {"sex": ["fm"[k % 2] for k in range(persons)], "wave": [float(k % 3) for k in range(persons)]}
    return pairproof.read_respondents(columns, layout="ranks", items=list("ABC"))


def test_cells_leave_estimates_and_divide_the_deviance() -> None:
    table = ranked()
    plain, fine = pairproof.fit_pattern(table), pairproof.fit_pattern(table, cells=["sex", "wave"])
    np.testing.assert_allclose(fine.params, plain.params, atol=1e-12)
    np.testing.assert_allclose(fine.bse, plain.bse, atol=1e-12)
    assert fine.llf == pytest.approx(plain.llf, abs=1e-9) and list(fine.groups) == ["all"]
    seen = fine.residuals()
    assert set(seen["group"]) == {f"sex={s},wave={w}" for s in "fm" for w in (0, 1, 2)}
    o, e = seen["observed"].to_numpy(), seen["expected"].to_numpy()
    assert fine.deviance == pytest.approx(2.0 * float(o @ np.log(o / e)), abs=1e-9)
    assert fine.df_resid == 6 * 5 - 2 and plain.df_resid == 5 - 2
    assert fine.worth().equals(plain.worth()) or np.allclose(fine.worth()["worth"], plain.worth()["worth"])


def test_with_cells_nested_models_differ_in_deviance_as_in_likelihood() -> None:
    table = ranked()
    small, large = pairproof.fit_pattern(table, cells="sex"), pairproof.fit_pattern(table, by="sex")
    gained = 2.0 * (large.llf - small.llf)
    assert small.deviance - large.deviance == pytest.approx(gained, abs=1e-9)
    assert small.df_resid - large.df_resid == 2
    assert small.compare(large).statistic == pytest.approx(gained, abs=1e-9)
    within = pairproof.fit_pattern(table, by="sex", cells=["sex", "wave"])
    assert within.df_resid == 6 * 5 - 4 and list(within.groups) == ["sex=f", "sex=m"]


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(FormulaError, match="no column 'age' in table; it has sex, wave"):
        pairproof.fit_pattern(ranked(), cells="age")


@pytest.mark.r("prefmod")
def test_cells_are_prefmods_elim() -> None:
    checked = pairproof.fit_pattern(ranked(), cells="sex").verify(r="live")
    assert checked.agrees
    assert any(str(a.quantity) == "deviance" and a.verdict == "agrees" for a in checked)
