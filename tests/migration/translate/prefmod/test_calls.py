"""Calls that Python does not take as they stand: the reason is a sentence, and nothing is raised."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.migration.migrate import translators
from tests.migration.translate.prefmod.made import (
    a_prefmod_call,
    frame,
    numbers,
    steps_of,
    texts,
    translated,
    truths,
)

THREE = {"a": [0, 1, 2, 0], "b": [2, 0, 1, 0], "c": [0, 2, 2, 1]}


def a_call(function: str = "pattPC.fit", **values):
    return a_prefmod_call(function, {"obj": frame(**THREE), "nitems": 3, **values})


@pytest.mark.parametrize("function", sorted(f for f in translators() if f.startswith("prefmod::")))
def test_a_call_without_its_values_is_left_out_with_a_reason(function: str) -> None:
    found = translated(a_prefmod_call(function.partition("::")[2], {}))
    assert found.route == "outside" and len(found.reason.split()) > 3 and found.code is None


def test_a_file_that_r_read_itself_is_left_out() -> None:
    for function in ("pattPC.fit", "llbtPC.fit", "checkMIS"):
        found = translated(a_prefmod_call(function, {"obj": "votes.dat", "nitems": 3}))
        assert found.route == "outside" and "read the file into R first" in found.reason


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"formel": "~s", "elim": "~s", "obj": frame(**THREE, s=[1, 3, 1, 3])}, "not coded 1, 2, ..., K"),
        ({"obj": frame(a=[1, 1], b=[0, 0], c=[1, 1])}, "only one answer"),
        ({"obj": frame(a=[1, 1], b=[1, 1], c=[1, 1])}, "only one answer"),
        (
            {"obj": frame(a=[None, 1, 0], b=[1, None, 1], c=[1, 0, None]), "NItest": True},
            "no row is complete",
        ),
    ],
)
def test_a_pattern_model_that_prefmod_reads_otherwise_stays_in_r(more, words: str) -> None:
    found = translated(a_call(**more))
    assert found.route == "bridge" and words in found.reason


def test_dependences_of_rankings_and_gaps_beyond_the_items_stay_in_r() -> None:
    ranks = frame(a=[1, 2, 3], b=[2, 1, 1], c=[3, 3, 2])
    assert "make no sense for rankings" in translated(a_call("pattR.fit", obj=ranks, ia=True)).reason
    four = frame(**{f"v{k}": [0, 1, None, 1, 0] for k in range(6)})
    masks = truths(False, False, False, False, True, False)
    found = translated(a_call(obj=four, nitems=4, MISmodel="comp", MISalpha=masks))
    assert found.route == "bridge" and "zeros for comparisons beyond" in found.reason


def test_infinite_estimates_stay_in_r_with_the_words_of_python() -> None:
    found = translated(a_call(obj=frame(a=[0, 0, 0, 0], b=[0, 0, 0, 0], c=[0, 1, 0, 1])))
    assert found.route == "bridge" and found.reason.startswith("fit_pattern refuses it: ")


def test_columns_whose_names_are_other_pairs_are_read_by_their_place() -> None:
    swapped = frame(
        AB=[0, 1, 2, 0, 1],
        AC=[2, 0, 1, 0, 0],
        AD=[0, 2, 2, 1, 0],
        BC=[0, 1, 1, 2, 0],
        BD=[2, 1, 0, 0, 1],
        CD=[1, 0, 2, 0, 0],
    )
    result = {"coef": numbers([0.0] * 4, ["A", "B", "C", "U"]), "vcov": numbers(np.eye(4).ravel().tolist())}
    call = a_prefmod_call(
        "pattPC.fit", {"obj": swapped, "nitems": 4, "obj.names": texts("A", "B", "C", "D")}, result
    )
    found = translated(call)
    assert found.route == "native" and found.code is not None
    table = found.code.arguments[0]  # type: ignore[union-attr]  # a Call, or the test fails here
    assert table.keywords["pair_names"] == "ignore"


def test_tables_of_designs_have_no_python_of_their_own() -> None:
    for s in steps_of("llbt").values():
        if s.call.name == "llbt.design":
            assert s.translation.route == "outside" and "fits to it are translated" in s.translation.reason
