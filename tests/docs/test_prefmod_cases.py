"""The examples of prefmod's help pages that migrate does not translate: each is asked, and replays."""

from __future__ import annotations

import os

import pytest

from pairproof.bridge import Backend
from pairproof.bridge.packages import prefmod
from pairproof.bridge.r_data import package_data
from tools.pages.migrated import of_group
from tools.pages.prefmod_cases import CASES, case, data_set, in_r

RECORD = os.environ.get("PAIRPROOF_RECORD") or None
#: Beyond 5 s in R: asked live only, on its own.
QUICK = [c for c in CASES if c.name != "pattnpml-euro" and not c.holds_data]


@pytest.fixture(scope="module")
def policy():
    return Backend("live", record=RECORD) if RECORD else Backend("recorded")


@pytest.mark.parametrize("found", QUICK, ids=lambda c: c.name)
def test_a_case_is_answered(policy, found):
    answer = found.ask(policy)
    assert RECORD or answer.result.source == "recorded"


@pytest.mark.r("prefmod")
@pytest.mark.parametrize("found", [c for c in CASES if c.holds_data], ids=lambda c: c.name)
def test_a_case_whose_answer_is_prefmods_data_is_asked_live_and_not_stored(found):
    assert found.ask("live").result.source == "live"


def test_every_function_that_fits_is_in_a_case_or_migrated():
    asked = {c.function for c in CASES} | {
        c.function.partition("::")[2].replace(".", "_") for c in of_group("prefmod")
    }
    fits = {name for name in dir(prefmod) if name.endswith("_fit")}
    assert len(fits) == 8
    assert fits | {"llbt_worth", "patt_worth", "patt_design", "checkMIS", "expand_mat", "simPC"} <= asked


def test_names_are_unique_and_found():
    assert len({c.name for c in CASES}) == len(CASES) == 9
    with pytest.raises(KeyError, match="no case 'pattR'; there are checkMIS-dat4"):
        case("pattR")


def test_constants_are_written_as_r_has_them():
    assert in_r([0, 1.5]) == "c(0, 1.5)" and in_r(["a", True]) == 'c("a", TRUE)'


@pytest.mark.r("prefmod")
def test_tables_are_frames_for_pairproofs_side():
    salad = data_set("salad").frame("live")
    assert salad.equals(package_data("prefmod", "salad", backend="live")) and salad.shape == (32, 4)
    gaps = case("checkMIS-data3").table.frame("live")
    assert gaps.shape == (100, 3) and gaps.isna().sum().tolist() == [0, 0, 10]
