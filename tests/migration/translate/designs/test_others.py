"""Models that are none of paired comparisons, and some that are by their design though nobody said so."""

from __future__ import annotations

import pytest

from pairproof.migration.migrate import translators
from pairproof.migration.translate.translation import Context, Translation
from tests.migration.translate.designs.recorded import captured, recorded

#: A quasi-symmetry model is a Bradley-Terry model (Agresti 2002, section 10.6); items in a ring are one by
#: design.
PAIRED = ("n18", "n19")


def translated(name: str) -> Translation:
    calls = recorded("others")
    call = calls[name]
    return translators()[call.function](call, Context(captured(calls)))


@pytest.mark.parametrize("name", [n for n in recorded("others") if n not in PAIRED])
def test_contrasts_counts_matched_sets_and_ratings_are_left_out_with_the_reason(name: str) -> None:
    found = translated(name)
    assert found.route == "outside"
    assert found.reason.startswith("not a model of paired comparisons")
    assert found.code is None


@pytest.mark.parametrize("name", PAIRED)
def test_a_design_of_paired_comparisons_is_written_as_one_and_says_so(name: str) -> None:
    found = translated(name)
    assert found.route == "native"
    assert found.notes[0] == "written as paired comparisons, because its design is one"


def test_nothing_recorded_is_a_reason_and_no_error() -> None:
    from dataclasses import replace

    calls = recorded("others")
    for call in calls.values():
        for lacking in ("x", "coef", "y", "vcov", "frame", "family"):
            bare = replace(call, result={k: v for k, v in call.result.items() if k != lacking})
            assert translators()[call.function](bare, Context(captured(calls))).route in ("outside", "native")
        empty = replace(call, result={}, values={})
        assert translators()[call.function](empty, Context(captured(calls))).route == "outside"
