"""The general call into any R function, as the page on R has it."""

from __future__ import annotations

import os

import pytest

from pairproof.bridge import Backend, Records, using

RECORD = os.environ.get("PAIRPROOF_RECORD") or None


def test_a_function_of_any_package_is_called_by_its_name():
    policy = Backend("live", record=RECORD) if RECORD else Backend("recorded")
    answer = policy.call("stats::p.adjust", {"p": [0.01, 0.02, 0.03], "method": "holm"})
    # The same number in another way, rounding alone; observed 0.
    assert answer.value.values.tolist() == pytest.approx([0.03, 0.04, 0.04], rel=1e-15)
    assert answer.warnings == () and answer.messages == ()


@pytest.mark.r
def test_answers_of_a_block_are_kept_in_a_folder_of_ones_own(tmp_path):
    records = Records([tmp_path])
    asked = {"x": [3.0, 1.0, 2.0]}
    with using(Backend("live", record="once", records=records)) as policy:
        live = policy.call("base::sort", asked)
    with using(Backend("recorded", records=records)) as policy:
        again = policy.call("base::sort", asked)
    assert again.value.values.tolist() == live.value.values.tolist() == [1, 2, 3]
    assert (live.source, again.source) == ("live", "recorded")
