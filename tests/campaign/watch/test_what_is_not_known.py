"""What a campaign cannot say yet: no number stands for it, and a sentence says why."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from pairproof.campaign import create, open_batch
from pairproof.campaign.watch.sections import cost_lines
from pairproof.campaign.watch.status import Cost, status
from pairproof.campaign.watch.status_report import page
from pairproof.campaign.watch.stop import look_at, stop, stop_rule
from pairproof.errors import InputError
from pairproof.report.output import render_text
from tests.campaign.watch.arrays import answers, items


@pytest.fixture
def started(tmp_path):
    """Systems and sources, one batch out, nothing back."""
    table = tmp_path / "i.csv"
    rows = "".join(f"{s}{k},text,{s},src{k}\n" for s in "ab" for k in range(5))
    table.write_text("id,sent,system,source\n" + rows, encoding="utf-8")
    path = tmp_path / "C.db"
    create(path, table, "easl", 5, seed=1)
    open_batch(path, tmp_path / "b.csv")
    return path


def test_an_item_without_a_judgment_has_no_score_and_is_in_no_bar(started):
    shown = render_text(page(status(started), 0.95, 20))
    assert [line.split() for line in shown.splitlines() if line.startswith("a0 ")] == [["a0", "0"]]
    assert " 0.50 to  0.60  0" in shown and "0.5000" not in shown


@pytest.mark.parametrize("rule", ["items<=.1", "ranking", "top 2 within .1"])
def test_a_rule_without_scores_says_that_there_are_none(started, rule):
    with pytest.raises(InputError, match="no scores of items yet; add results with 'easl update'"):
        stop(started, rule)


def test_a_rule_on_systems_says_for_whom_it_holds():
    rng = np.random.default_rng(1)
    item = np.arange(80)
    given = answers(item, item % 4, rng.uniform(0.3, 0.7, 80) + 0.2 * (item % 2))
    what = items(80, [f"s{k // 2}" for k in range(80)], ["ab"[k % 2] for k in range(80)])
    assert "holds for these annotators" in look_at(stop_rule("ranking"), given, what, 5).corrected


def test_hits_that_are_expected_are_whole_ones_as_easl_stop_says_them():
    cost = Cost(36.0, 10, 10.0, 10, 0, 65.4)
    assert cost_lines(cost)[0].endswith("the 66 HITs that the stopping rule expects cost 6.54")


def test_a_status_loads_no_pandas_which_takes_longer_than_the_status(started):
    code = (
        "import sys; from pairproof.campaign.watch.status_report import page; from pairproof import campaign\n"
        f"page(campaign.status({str(started)!r}), 0.95, 20); assert 'pandas' not in sys.modules\n"
        "assert all(callable(getattr(campaign, name)) for name in campaign.__all__)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
