"""Two scripts of this folder, run by R now: what is native agrees, and what stays in R is what R gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.migration.translate.designs.recorded import HERE, recorded


@pytest.mark.nightly
@pytest.mark.r("gnm", "prefmod", "BradleyTerry2", "MASS")
@pytest.mark.parametrize("name", ["poisson", "ordered"])
def test_a_live_run_is_translated_as_the_recorded_one_and_no_number_differs(
    name: str, tmp_path: Path
) -> None:
    from pairproof.bridge.capture.run import capture
    from pairproof.migration.delivery import Stage
    from pairproof.migration.migrate import steps_of

    found = steps_of(capture(HERE / "scripts" / f"{name}.R"), Stage(tmp_path).place)
    assert len(found) == len(recorded(name))
    assert [(s.call.text, s.refused) for s in found if s.refused] == []
    for step in found:
        differing = [(str(r.quantity), r.digits) for r in step.rows if r.verdict == "differs"]
        assert differing == [], step.call.text
        # What was translated has numbers: those of fits, of tables, and of R through the bridge.
        assert bool(step.rows) == (step.translation.route != "outside")
