"""`python -m benchmarks.migration --tiny` runs, and leaves a page and its numbers."""

from __future__ import annotations

import json

import pytest

from benchmarks.migration.__main__ import main


@pytest.mark.nightly
@pytest.mark.r("BradleyTerry2")
@pytest.mark.slow
def test_a_tiny_run_leaves_its_page_and_its_numbers(tmp_path):
    assert main(["--tiny", "--out", str(tmp_path)]) == 0
    document = json.loads((tmp_path / "migration.json").read_text(encoding="utf-8"))
    assert [r["exit_code"] for r in document["rows"]] == [0, 0] and document["rows"][1]["fits"] == 2
    assert all(len(times) == 1 and times[0] > 0 for r in document["rows"] for times in r["samples"].values())
    page = (tmp_path / "migration.md").read_text(encoding="utf-8")
    assert page.count("\n| ") == 4 and "2 fits in a loop" in page
