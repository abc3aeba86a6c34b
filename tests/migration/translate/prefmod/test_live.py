"""A script with every kind of call, run by R and translated in one go; R is asked again for what stays in
it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pairproof.bridge.capture.run import capture
from pairproof.bridge.values.convert import csv_text
from pairproof.migration.migrate import steps_of
from pairproof.migration.translate.python_code import File

RECORDED = Path(__file__).with_name("recorded")


@pytest.mark.nightly
@pytest.mark.r("prefmod", "gnm")
@pytest.mark.parametrize(("name", "least"), [("llbt.R", 9), ("patterns.R", 20)])
def test_every_number_of_a_live_run_agrees_or_is_explained(name: str, least: int, tmp_path: Path) -> None:
    script = tmp_path / name
    script.write_bytes((RECORDED / name).read_bytes())
    run = capture(script, seconds=120.0)
    assert run.ending == "done", run.message

    def where(file: File) -> Path:
        place = tmp_path / f"{id(file)}.csv"
        place.write_text(csv_text(file.columns), encoding="utf-8")
        return place

    found = [
        s for s in steps_of(run, where) if s.call.package == "prefmod" and s.translation.code is not None
    ]
    assert len(found) >= least
    assert [(s.call.text, s.refused) for s in found if s.refused] == []
    wrong = [
        (s.call.text, str(a.quantity), a.explanation)
        for s in found
        for a in s.rows
        if a.verdict not in ("agrees", "explained")
    ]
    assert wrong == []
    assert all(s.rows for s in found)
