"""Exports of Label Studio that are not as easy as they look, and what is said of them."""

from __future__ import annotations

import copy
import json

import pytest

from pairproof.campaign import take_in
from pairproof.campaign.page.platforms import tasks_json
from pairproof.campaign.results.retraction import history
from pairproof.errors import InputError
from tests.campaign.formats.other_tools import log_of, open_sheet, save, studio_tasks
from tests.campaign.helpers import campaign, scores


@pytest.fixture
def answered(tmp_path):
    path = campaign(tmp_path, per_hit=2)
    sheet, _ = open_sheet(path, 3)
    return path, studio_tasks(tasks_json(sheet), 2)


def numbers(task):
    return [r for r in task["annotations"][0]["result"] if r["type"] == "number"]


def test_cancelled_annotations_and_predictions_are_no_judgments_and_are_counted(answered, tmp_path):
    path, tasks = answered
    tasks[0]["annotations"][0]["was_cancelled"] = True
    tasks[1]["predictions"] = [{"result": tasks[1]["annotations"][0]["result"], "model_version": "m"}]
    taken = take_in(path, save(tmp_path / "e.json", tasks))
    assert taken.new == 2
    assert taken.notes == ("1 cancelled annotations left out", "1 predictions of a model ignored")


def test_an_edited_annotation_is_refused_unless_the_newest_is_asked_for(answered, tmp_path):
    path, tasks = answered
    take_in(path, save(tmp_path / "e.json", tasks))
    before, old = scores(path), copy.deepcopy(tasks)
    numbers(tasks[0])[0]["value"]["number"] = 99
    tasks[0]["annotations"][0]["updated_at"] = "2026-03-04T00:00:00.000000Z"
    newer = save(tmp_path / "newer.json", tasks)
    with pytest.raises(InputError, match="edited 2026-03-04.*--on-change newest"):
        take_in(path, newer)
    assert scores(path) == before
    taken = take_in(path, newer, on_change="newest")
    assert (taken.new, taken.edited, taken.known) == (0, 1, 2)
    assert scores(path) != before and [r.why[:6] for r in history(path)] == ["edited"]
    # What it was before is known and stays out, whatever comes again.
    again = take_in(path, save(tmp_path / "old.json", old), on_change="newest")
    assert (again.new, again.edited, again.taken_back) == (0, 0, 1)
    assert take_in(path, newer, on_change="newest").known == 3
    # A campaign in which only the newer answers ever came has the same scores.
    assert '"number":1' in log_of(path)


def test_an_edited_annotation_that_is_not_newer_does_not_replace_the_campaigns_answer(answered, tmp_path):
    path, tasks = answered
    take_in(path, save(tmp_path / "e.json", tasks))
    numbers(tasks[0])[0]["value"]["number"] = 99
    with pytest.raises(InputError, match="with a different answer"):
        take_in(path, save(tmp_path / "other.json", tasks), on_change="newest")


def test_one_annotation_of_two_formats_is_told(answered, tmp_path):
    path, tasks = answered
    take_in(path, save(tmp_path / "e.json", tasks))
    for task in tasks:
        del task["project"]
    with pytest.raises(InputError, match="annotation 101 is in the campaign as ls:7:101"):
        take_in(path, save(tmp_path / "no-project.json", tasks))


def test_ratings_need_their_scale(answered, tmp_path):
    path, tasks = answered
    for task in tasks:
        for region in numbers(task):
            region["type"], region["value"] = "rating", {"rating": 2}
    file = save(tmp_path / "r.json", tasks)
    with pytest.raises(InputError, match="a rating of 2; specify its scale"):
        take_in(path, file)
    with pytest.raises(InputError, match="outside the scale 3 to 5"):
        take_in(path, file, scale=(3, 5))
    take_in(path, file, scale=(1, 5))
    assert {r["score"] for r in scores(path) if r["n"]} == {0.25}


def test_ratings_in_a_csv_export_are_rescaled_too(answered, tmp_path):
    path, tasks = answered
    lines = ["annotation_id,annotator,batch,campaign,hit,id1,id2,range1,range2"]
    for task in tasks:
        d = task["data"]
        cells = ['"[{""rating"": 2}]"', "5"]
        lines.append(
            ",".join(
                [
                    str(task["id"]),
                    "ann",
                    str(d["batch"]),
                    d["campaign"],
                    str(d["hit"]),
                    d["id1"],
                    d["id2"],
                    *cells,
                ]
            )
        )
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    take_in(path, tmp_path / "r.csv", scale=(1, 5))
    assert {r["score"] for r in scores(path) if r["n"]} <= {0.25, 0.625, 1.0}
    with pytest.raises(InputError, match="outside 1 to 5|outside the scale 1 to 4"):
        take_in(campaign(tmp_path, per_hit=2, name="D.db"), tmp_path / "r.csv", scale=(1, 4))


def broken(tasks, change):
    tasks = copy.deepcopy(tasks)
    change(tasks)
    return tasks


BREAKS = {
    "is answered twice": lambda t: t[0]["annotations"][0]["result"].append(numbers(t[0])[0]),
    "also e.json, task 1, annotation 1": lambda t: t[1]["annotations"][0].update(id=101),
    "is outside 0 to 100": lambda t: numbers(t[0])[0]["value"].update(number=101),
    "no member 'value'": lambda t: numbers(t[0])[0].pop("value"),
    "'number' is a text": lambda t: numbers(t[0])[0]["value"].update(number="73"),
    "'was_cancelled' is a text": lambda t: t[0]["annotations"][0].update(was_cancelled="no"),
    "blank; expected a score": lambda t: t[0]["annotations"][0].update(result=[]),
    "task 1 is a list": lambda t: t.__setitem__(0, []),
    "its task has 3 items": lambda t: t[0]["data"].update(id3="h1s3"),
    "but this campaign is": lambda t: t[0]["data"].update(campaign="other"),
    "no item 'h1s9' in this campaign": lambda t: t[0]["data"].update(id1="h1s9"),
    "expected a time": lambda t: t[0]["annotations"][0].update(created_at="yesterday"),
}


@pytest.mark.parametrize("found", BREAKS)
def test_what_is_wrong_is_said_with_its_place_and_nothing_is_added(answered, tmp_path, found):
    path, tasks = answered
    before = log_of(path)
    file = save(tmp_path / "e.json", broken(tasks, BREAKS[found]))
    with pytest.raises(InputError) as error:
        take_in(path, file, tool="label-studio")
    text = str(error.value).replace(str(tmp_path) + "/", "")
    assert found.replace("task 1 is", "task 1: it is") in text and "e.json" in text
    assert log_of(path) == before


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[{"data": {}, "annotations": [], "x": NaN}]', "NaN is not a number in JSON"),
        ('[{"data": {}, "data": {}, "annotations": []}]', "'data' appears twice"),
        ("[" * 60 + '{"data":{},"annotations":[]}' + "]" * 60, "nested more than 40 levels"),
        ("[" * 200_000, "nested more than 40 levels"),
        (
            '[{"data": {}, "annotations": [{"id": 99999999999999999999}]}]',
            "beyond the range of whole numbers",
        ),
        ('[{"data": {"a": "\\ud800"}, "annotations": []}]', "half of a surrogate pair"),
        ('[{"data": {}, "annotations": []}', "not JSON"),
    ],
)
def test_json_that_would_be_read_loosely_is_refused(answered, tmp_path, text, found):
    path, _ = answered
    file = tmp_path / "e.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=found):
        take_in(path, file, tool="label-studio")


def test_a_partial_annotation_is_taken_where_the_design_allows_it(tmp_path):
    from pairproof.campaign.storage.design import Design

    for partial in (True, False):
        path = campaign(tmp_path, per_hit=2, name=f"{partial}.db", design=Design(partial=partial))
        sheet, _ = open_sheet(path, 1)
        tasks = studio_tasks(tasks_json(sheet), 2)
        tasks[0]["annotations"][0]["result"].pop()
        file = save(tmp_path / f"{partial}.json", tasks)
        if partial:
            assert take_in(path, file).scores == 1
            assert json.loads(log_of(path).split("\n")[-3])["scores"][0]["slot"] == 1
        else:
            with pytest.raises(InputError, match="blank; expected a score"):
                take_in(path, file)
