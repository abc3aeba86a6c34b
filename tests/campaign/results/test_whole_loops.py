"""Each tool's file is written, answered in the tool's own format and added: the scores are those of our file."""

from __future__ import annotations

import csv
import json

import pytest

from pairproof.campaign import take_in
from pairproof.campaign.page.platforms import mturk_csv, tasks_json
from pairproof.errors import InputError
from tests.campaign.formats.other_tools import nasty, open_sheet, save, studio_tasks, turk_results, twin
from tests.campaign.formats.test_export_import import NASTY
from tests.campaign.helpers import answers, campaign, scores, write
from tests.campaign.page.codes import encode

#: Texts that break files: markup, formulas, variables, character references, line breaks, emoji.
TEXTS = [*(t for t in NASTY if "\r" not in t), "&lt;b&gt;", "😀 ${sent2}", "=1+1", "&#60;", "a\tb"]


@pytest.mark.parametrize("crowd", [False, True])
def test_mechanical_turk_gives_the_scores_of_our_own_file(tmp_path, crowd):
    path = nasty(tmp_path, TEXTS)
    sheet, _ = open_sheet(path)
    same = twin(path, sheet)
    results = write(tmp_path / "turk.csv", turk_results(mturk_csv(sheet), 3, crowd))
    taken = take_in(path, results)
    assert taken.new == len(sheet.hits) and taken.cannot_judge > 0
    assert scores(path) == scores(same)
    assert take_in(path, results).known == len(sheet.hits)


def as_flat(task, plain):
    """A task of an export as a row: of JSON-MIN, with plain numbers, or of CSV."""
    annotation = task["annotations"][0]
    row = {**task["data"], "id": task["id"], "annotation_id": annotation["id"], "annotator": "w1"}
    row |= {name: annotation[name] for name in ("created_at", "updated_at", "lead_time")}
    for region in annotation["result"]:
        value = region["value"].get("number", "cannot judge")
        is_cell = region["type"] == "number" and not plain
        row[region["from_name"]] = json.dumps([{"number": value}]) if is_cell else value
    return row


@pytest.mark.parametrize("form", ["json", "min", "csv", "tsv"])
def test_label_studio_gives_the_scores_of_our_own_file(tmp_path, form):
    path = nasty(tmp_path, TEXTS[:18])
    sheet, _ = open_sheet(path)
    same = twin(path, sheet)
    tasks = studio_tasks(tasks_json(sheet), 3)
    if form == "json":
        file = save(tmp_path / "export.json", tasks)
    elif form == "min":
        file = save(tmp_path / "min.json", [as_flat(task, plain=True) for task in tasks])
    else:
        rows = [as_flat(task, plain=False) for task in tasks]
        names = sorted({name for row in rows for name in row})
        file = tmp_path / f"export.{form}"
        with file.open("w", encoding="utf-8", newline="") as out:
            delimiter = "," if form == "csv" else "\t"
            writer = csv.DictWriter(out, names, restval="", quoting=csv.QUOTE_NONNUMERIC, delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
    taken = take_in(path, file)
    assert taken.new == len(sheet.hits) and taken.cannot_judge > 0
    assert scores(path) == scores(same)
    assert take_in(path, file).known == len(sheet.hits)


def test_codes_of_the_page_give_the_scores_of_the_file_it_saves(tmp_path):
    path = campaign(tmp_path)
    sheet, rows = open_sheet(path)
    same = twin(path, sheet, name="same.db")
    text = (tmp_path / "own.csv").read_text(encoding="utf-8")
    codes = tmp_path / "codes.txt"
    codes.write_text("\n" + encode(text)[:40] + "\n" + encode(text)[40:] + "\n", encoding="utf-8")
    assert take_in(path, codes).new == 2 and scores(path) == scores(same)
    codes.write_text(encode(text)[:-1], encoding="utf-8")
    with pytest.raises(InputError, match="copy it again"):
        take_in(path, codes)


def test_the_loop_of_a_public_code_has_no_batch_and_no_time_of_submission(tmp_path):
    path = campaign(tmp_path)
    sheet, rows = open_sheet(path)
    same = twin(path, sheet)
    judged = []
    for row, own in zip(rows, turk_results(mturk_csv(sheet), 5, crowd=False)):
        kept = {n: own[n] for n in ("AssignmentId", "HITId", "WorkerId", "WorkTimeInSeconds")}
        kept |= {"HITTypeId": "T", "HITLayoutId": "L", "RequesterAnnotation": '{"batch_id": "b"}'}
        for j in range(1, 6):
            kept |= {f"Input.id{j}": row[f"id{j}"], f"Input.sent{j}": row[f"sent{j}"]}
            # A slider that is switched off is not sent.
            cannot = own[f"Answer.na{j}"]
            kept |= {f"Answer.na{j}": cannot, f"Answer.range{j}": "" if cannot else own[f"Answer.range{j}"]}
        judged.append(dict(sorted(kept.items())))
    assert take_in(path, write(tmp_path / "political_result_1.csv", judged)).new == 2
    assert scores(path) == scores(same)


def test_ids_that_came_back_escaped_name_the_items_they_were_escaped_from(tmp_path):
    path = nasty(tmp_path, ["<a>", "b & c", "=d"])
    sheet, rows = open_sheet(path)
    for worker, escape in (("one", "&#60;"), ("two", "&lt;")):
        judged = answers([{k: v for k, v in rows[0].items() if k != "guarded"}], worker=None, per_hit=0)
        for j in range(1, 4):
            judged[0] |= {f"Answer.range{j}": "5", "WorkerId": worker, "AssignmentId": worker}
            judged[0][f"Input.id{j}"] = rows[0][f"id{j}"].replace("<", escape)
        assert take_in(path, write(tmp_path / f"{worker}.csv", judged)).new == 1
