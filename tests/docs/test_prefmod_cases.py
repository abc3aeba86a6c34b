"""The examples of prefmod's help pages: each is asked, replays from its record, and says where it stands on a page."""

from __future__ import annotations

import os

import numpy as np
import pytest

from pairproof.bridge import Backend
from pairproof.bridge.packages import prefmod
from pairproof.bridge.packages.asking import Estimates
from pairproof.bridge.r_data import package_data
from tools.pages.prefmod_cases import CASES, FURTHER, case, in_r

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
#: Beyond 5 s in R: asked live only, on its own.
QUICK = [c for c in CASES if c.seconds < 10 and not c.holds_data]


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


@pytest.mark.parametrize("found", QUICK, ids=lambda c: c.name)
def test_a_case_is_answered(policy, found):
    answer = found.ask(policy)
    assert RECORD or answer.result.source == "recorded"
    if isinstance(answer, Estimates):
        # What R finds not estimable (a reference) is NaN in both; all else is a number.
        assert (np.isnan(answer.coef) == np.isnan(answer.se)).all() and np.isfinite(answer.coef).any()
    if found.then:
        worths = found.worths(answer, policy)
        # The same number in another way, rounding alone; observed 2e-16.
        np.testing.assert_allclose(worths.values.sum(axis=0), 1, rtol=1e-12)


@pytest.mark.r("prefmod")
@pytest.mark.parametrize("found", [c for c in CASES if c.holds_data], ids=lambda c: c.name)
def test_a_case_whose_answer_is_prefmods_data_is_asked_live_and_not_stored(found):
    assert found.ask("live").result.source == "live"


def test_every_function_that_fits_is_in_a_case():
    asked = {c.function for c in CASES} | {c.then for c in CASES}
    fits = {name for name in dir(prefmod) if name.endswith("_fit")}
    assert len(fits) == 8
    assert fits | {"llbt_worth", "patt_worth", "patt_design", "checkMIS", "expand_mat", "simPC"} <= asked


def test_names_are_unique_and_found():
    assert len({c.name for c in (*CASES, *FURTHER)}) == len(CASES) + len(FURTHER) > 45
    assert case("pattR-salad").page.startswith("pattR.fit")
    with pytest.raises(KeyError, match="no case 'pattR'; there are baseball"):
        case("pattR")


def test_constants_are_written_as_r_has_them():
    assert in_r({"LAT": (0, 1.5), "x": ["a", True]}) == 'data.frame(LAT = c(0, 1.5), x = c("a", TRUE))'


@pytest.mark.r("prefmod")
def test_tables_are_frames_for_pairproofs_side():
    salad = case("pattR-salad").table.frame("live")
    assert salad.equals(package_data("prefmod", "salad", backend="live")) and salad.shape == (32, 4)
    gaps = case("checkMIS-data3").table.frame("live")
    assert gaps.shape == (100, 3) and gaps.isna().sum().tolist() == [0, 0, 10]
