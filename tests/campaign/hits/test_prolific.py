"""Prolific's table beside a campaign, as a study exports it; it changes nothing."""

from __future__ import annotations

import json

import pytest

from pairproof.campaign import take_in
from pairproof.campaign.hits.registered import demographics
from pairproof.campaign.storage.design import Design
from pairproof.cli import main
from pairproof.errors import InputError
from tests.campaign.formats.other_tools import log_of
from tests.campaign.helpers import answers, batch_rows, campaign, write

HEADER = (
    "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Completed at,Reviewed at,"
    "Archived at,Time taken,Completion code,Total approvals,Fluent languages,Age,Sex"
)
ROWS = [
    's1,5e90,APPROVED,Not Applicable,2024-10-25T12:27:09.179000Z,2024-10-25T12:46:18Z,,,1150,C1,389,"Czech, English",25,Female',
    "s2,77aa,RETURNED,Not Applicable,2024-10-25T12:27:09.179000Z,,,,,,12,English,DATA_EXPIRED,CONSENT_REVOKED",
]


@pytest.fixture
def study(tmp_path):
    path = campaign(tmp_path, design=Design(pay_hour=12.0))
    rows = answers(batch_rows(path), worker="5e90")
    for row in rows:
        row["WorkTimeInSeconds"] = "300"
    take_in(path, write(tmp_path / "r.csv", [*rows, dict(rows[0], WorkerId="bob", AssignmentId="B")]))
    return path


def table(path, rows=ROWS, header=HEADER):
    file = path.parent / "prolific_export_1.csv"
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return file


def test_a_submission_stands_beside_the_judgments_of_its_participant(study):
    before = log_of(study)
    found = demographics(study, table(study))
    first, second = found.submissions
    assert (first.participant, first.judgments, first.counted, first.at_hits) == ("5e90", 2, 2, 600.0)
    # 1150 seconds at 12 an hour.
    assert first.pay == pytest.approx(12 * 1150 / 3600, abs=1e-12) and first.approvals == 389
    assert (second.status, second.seconds, second.judgments, second.pay) == ("RETURNED", None, 0, None)
    assert found.without == ("bob",) and log_of(study) == before
    assert "Female" not in json.dumps(found.to_dict())


def test_the_command_prints_it(study, capsys):
    assert main(["easl", "demographics", str(study), str(table(study))]) == 0
    shown = capsys.readouterr().out
    assert "5e90: APPROVED, 19.2 min; 2 HITs in 10.0 min, pay 3.83" in shown
    assert "judgments without a submission: bob" in shown


@pytest.mark.parametrize(
    ("rows", "header", "found"),
    [
        ([ROWS[0], ROWS[0]], HEADER, "'s1' appears twice"),
        ([ROWS[0].replace("1150", "-5")], HEADER, "row 1 .*'Time taken'.*'-5'; expected a number"),
        (ROWS, HEADER.replace("Participant id", "Person"), "is of an unknown kind; expected the table"),
        (ROWS, HEADER.replace(",Status", ",State"), "no column 'Status'"),
    ],
)
def test_a_table_that_is_wrong_is_refused(study, rows, header, found):
    with pytest.raises(InputError, match=found):
        demographics(study, table(study, rows, header))
