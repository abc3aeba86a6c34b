"""What prefmod said, replayed: these run without R, from the records that ship with the package.

Made with ``PAIRPROOF_RECORD=all`` in the environment, which runs them live and writes the records.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from pairproof.bridge import Backend
from pairproof.bridge.packages.prefmod import llbt_design, llbt_fit, llbt_worth, llbtPC_fit
from pairproof.errors import RError
from tests.bridge.conftest import ITEMS, digits

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
ORDERS = {
    "dras-table1": ["AB", "AC", "BC", "AD", "BD", "CD"],
    "dras-table1-prefmod-order": ["AB", "AC", "AD", "BC", "BD", "CD"],
}


@pytest.fixture
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


@pytest.fixture(params=list(ORDERS))
def table(request, dras):
    wide = dras.wide()
    return request.param, {name: wide[name] for name in ORDERS[request.param]}


@pytest.fixture
def in_both_sources(policy):
    """Every answer comes from the source that was asked."""

    def check(*models):
        assert {m.result.source for m in models} == {"live" if RECORD else "recorded"}
        assert all(m.result.session.packages["prefmod"] for m in models)

    return check


def test_recorded_llbt_pc_fit_agrees_with_certified_values(table, policy, certified, in_both_sources):
    name, columns = table
    m = llbtPC_fit(columns, 4, obj_names=ITEMS, backend=policy)
    true = certified(f"{name}--llbt-davidson")
    params = {("tie" if k == "U" else k): v for k, v in m.params().items()}
    assert min(digits(params[k], v, true["bse"][k]) for k, v in true["params"].items()) > 8.5  # observed 9.45
    assert digits(m.deviance, true["deviance"]) > 13
    without = llbtPC_fit(columns, 4, obj_names=ITEMS, undec=False, backend=policy)
    assert without.df_residual == m.df_residual + 1 == 9
    in_both_sources(m, without, llbt_worth(m, backend=policy))


def test_recorded_llbt_fit_rounds_to_what_it_printed(table, policy, in_both_sources):
    _, columns = table
    d = llbt_design(columns, 4, ITEMS, backend=policy)
    f = llbt_fit(d.column("y"), {n: d.column(n) for n in ("A", "B", "C", "g1")}, 6, 3, backend=policy)
    np.testing.assert_array_equal(np.round(f.estimate, 4), f.printed[:, 0])
    assert any(line.startswith("Deviance: 30.") for line in f.lines)
    in_both_sources(d, f)


def test_recorded_judge_effects_are_significant_for_judge_3_and_two_items_only(dras, policy, in_both_sources):
    m = llbtPC_fit(dras.wide(), 4, formel="~SUBJ", elim="~SUBJ", obj_names=ITEMS, backend=policy)
    z = m.coef / m.se
    effects = {n for n, v in zip(m.names, z) if ":" in n and abs(v) > 1.96}
    assert effects == {"A:SUBJ3", "B:SUBJ3"}
    in_both_sources(m)


def test_recorded_stops_are_the_stops_prefmod_makes(policy):
    with pytest.raises(RError, match="computationally singular"):
        llbt_fit([61, 24, 35], {"o1": [1, 0, -1], "g1": [0, 1, 0]}, 1, 3, backend=policy)
    with pytest.raises(RError, match=r"dim\(X\) must have a positive length"):
        llbtPC_fit({"V1": [0] * 61 + [1] * 24 + [2] * 35}, 2, backend=policy)
