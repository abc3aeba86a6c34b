"""Annotators who answer in the tools of others, and campaigns to compare: the same answers in our own file."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

from pairproof.campaign import open_batch, take_in
from pairproof.campaign.hits.batch_files import sheet_of
from pairproof.campaign.page.platforms import Sheet
from pairproof.campaign.storage.store import opened
from tests.campaign.helpers import write

#: The columns of Mechanical Turk's results before those of the HIT.
TURK = (
    "HITId HITTypeId Title Description Keywords Reward CreationTime MaxAssignments RequesterAnnotation"
    " AssignmentDurationInSeconds AutoApprovalDelayInSeconds Expiration NumberOfSimilarHITs LifetimeInSeconds"
    " AssignmentId WorkerId AssignmentStatus AcceptTime SubmitTime AutoApprovalTime ApprovalTime RejectionTime"
    " RequesterFeedback WorkTimeInSeconds LifetimeApprovalRate Last30DaysApprovalRate Last7DaysApprovalRate"
).split()


def open_sheet(path: Path, hits: int | None = None) -> tuple[Sheet, list[dict[str, str]]]:
    """The next batch as a sheet, and as the rows of its CSV file."""
    out = path.parent / "batch.csv"
    batch = open_batch(path, out, hits)
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    return sheet_of(batch), rows


def score(hit: int, slot: int) -> int | None:
    """What the annotators say: None is 'cannot judge'."""
    return None if (hit + slot) % 7 == 0 else (37 * hit + 11 * slot) % 101


def twin(path: Path, sheet: Sheet, worker: str = "w1", name: str = "twin.db") -> Path:
    """A copy of the campaign in which the same answers came in our own file."""
    other = path.parent / name
    shutil.copy(path, other)
    rows = []
    for (batch, number), hit in zip(sheet.places, sheet.hits):
        row = {"AssignmentId": f"own-{number}", "WorkerId": worker, "Input.campaign": sheet.campaign}
        row.update({"Input.batch": str(batch), "Input.hit": str(number)})
        for k, (item, _) in enumerate(hit, 1):
            said = score(number, k)
            row[f"Input.id{k}"] = item
            row[f"Answer.range{k}"] = "" if said is None else str(said)
            row[f"Answer.na{k}"] = "on" if said is None else ""
        rows.append(row)
    take_in(other, write(path.parent / "own.csv", rows))
    return other


def turk_results(text: str, per_hit: int, crowd: bool) -> list[dict[str, str]]:
    """Mechanical Turk's results for its batch file: inputs as they were, answers of a layout or a crowd form."""
    found = []
    for k, row in enumerate(csv.DictReader(io.StringIO(text)), 1):
        judged = {name: "" for name in TURK} | {"HITId": f"H{k}", "AssignmentId": f"A{k}", "WorkerId": "w1"}
        judged["AssignmentStatus"], judged["WorkTimeInSeconds"] = "Approved", "61"
        judged["AcceptTime"] = "Tue Mar 03 09:00:14 PST 2026"
        judged["SubmitTime"] = "Tue Mar 03 09:01:15 PST 2026"
        judged.update({f"Input.{name}": cell for name, cell in row.items()})
        said = {j: score(int(row["hit"]), j) for j in range(1, per_hit + 1)}
        if crowd:
            form: dict[str, Any] = {f"range{j}": 50 if s is None else s for j, s in said.items()}
            form |= {f"na{j}": {"on": s is None} for j, s in said.items()}
            judged["Answer.taskAnswers"] = json.dumps([form])
        else:
            for j, s in said.items():
                judged[f"Answer.range{j}"] = "50" if s is None else str(s)
                judged[f"Answer.touched{j}"] = "0" if s is None else "1"
                judged[f"Answer.na{j}"] = "on" if s is None else ""
        found.append(judged | {"Approve": "", "Reject": ""})
    return found


def studio_tasks(text: str, per_hit: int) -> list[dict[str, Any]]:
    """Label Studio's export of its tasks, each with one annotation."""
    found = []
    for number, task in enumerate(json.loads(text), 1):
        result = []
        for j in range(1, per_hit + 1):
            said = score(task["data"]["hit"], j)
            name, kind = (f"range{j}", "number") if said is not None else (f"na{j}", "choices")
            value = {kind: said if said is not None else ["cannot judge"]}
            region = {"id": f"r{number}{j}", "from_name": name, "to_name": f"t{j}", "type": kind}
            result.append({**region, "origin": "manual", "value": value})
        annotation = {
            "id": 100 + number,
            "completed_by": {"id": 1, "email": "w1"},
            "result": result,
            "was_cancelled": False,
            "ground_truth": False,
            "created_at": "2026-03-03T17:01:15.000000Z",
            "updated_at": "2026-03-03T17:01:15.000000Z",
            "lead_time": 61.25,
        }
        found.append(
            {"id": number, "project": 7, "data": task["data"], "annotations": [annotation], "predictions": []}
        )
    return found


def save(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def nasty(folder: Path, texts: list[str], per_hit: int = 3, **options: Any) -> Path:
    """A campaign of these texts, whose ids are as nasty."""
    from pairproof.campaign import create

    items = folder / "nasty.csv"
    with items.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(
            [["id", "sent"], *([f"{text[:3]}{k}", text] for k, text in enumerate(texts))]
        )
    create(folder / "N.db", items, per_hit=per_hit, seed=3, **options)
    return folder / "N.db"


def log_of(path: Path) -> str:
    from pairproof.campaign.exports import log_text

    with opened(path, write=False) as store:
        return log_text(store)
