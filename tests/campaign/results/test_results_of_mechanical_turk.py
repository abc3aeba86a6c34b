"""Answers of crowd forms, sliders that nobody touched, and slots without an answer."""

from __future__ import annotations

import pytest

from pairproof.campaign import take_in
from pairproof.campaign.page.platforms import mturk_csv
from pairproof.campaign.storage.design import Design
from pairproof.errors import InputError
from tests.campaign.formats.other_tools import open_sheet, turk_results
from tests.campaign.helpers import campaign, scores, write


@pytest.fixture
def crowd(tmp_path):
    path = campaign(tmp_path, per_hit=2)
    sheet, _ = open_sheet(path, 1)
    return path, turk_results(mturk_csv(sheet), 2, crowd=True)


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ('[{"range1": 1}, {"range1": 2}]', "'range1' is answered in two forms"),
        ('[{"range1": 1, "range1": 2}]', "'range1' appears twice"),
        ('{"range1": 1}', "the JSON is an object; expected a list"),
        ('[{"range1": [1]}]', "a list; expected a number"),
        ('[{"range1": "many", "range2": 1}]', "'many' is not a number"),
        ('[{"range1": 1}]', "Answer.range2.*blank"),
        ('[{"range1": 1, "na2": {"on": 1}}]', "'on' is a number; expected true or false"),
        ("", "blank; expected a score"),
        ("[{", "not JSON"),
    ],
)
def test_a_crowd_form_is_read_strictly(crowd, tmp_path, cell, found):
    path, rows = crowd
    rows[0]["Answer.taskAnswers"] = cell
    good = dict(rows[0], AssignmentId="other")
    good[
        "Answer.taskAnswers"
    ] = '[{"range1": "70", "range2": 30.5, "comment": "fine", "sex": {"a": true, "b": false}}]'
    with pytest.raises(InputError, match=found):
        take_in(path, write(tmp_path / "r.csv", [good, rows[0]]))
    assert take_in(path, write(tmp_path / "g.csv", [good])).scores == 2


def test_answers_named_by_their_members_are_read_and_not_twice(crowd, tmp_path):
    path, rows = crowd
    del rows[0]["Answer.taskAnswers"]
    rows[0] |= {"Answer.range1": "10", "Answer.range2": "", "Answer.na2.on": "true"}
    taken = take_in(path, write(tmp_path / "r.csv", rows))
    assert (taken.scores, taken.cannot_judge) == (1, 1)
    with pytest.raises(InputError, match="'Answer.na2' appears in two columns"):
        take_in(path, write(tmp_path / "t.csv", [rows[0] | {"Answer.na2": ""}]))


@pytest.mark.parametrize("partial", [False, True])
def test_a_slider_that_nobody_touched_is_no_answer(tmp_path, partial):
    path = campaign(tmp_path, per_hit=2, design=Design(partial=partial))
    sheet, _ = open_sheet(path, 1)
    rows = turk_results(mturk_csv(sheet), 2, crowd=False)
    rows[0] |= {"Answer.range1": "50", "Answer.touched1": "0", "Answer.na1": ""}
    file = write(tmp_path / "r.csv", rows)
    if partial:
        assert take_in(path, file).scores == 1
        assert sorted(r["n"] for r in scores(path))[-2:] == [0, 1]
        rows[0] |= {"Answer.touched2": "0", "AssignmentId": "B"}
        with pytest.raises(InputError, match="no slot of this HIT has an answer"):
            take_in(path, write(tmp_path / "none.csv", rows))
    else:
        with pytest.raises(InputError, match="Answer.range1.*blank"):
            take_in(path, file)


def test_a_partial_judgment_comes_back_by_its_history(tmp_path):
    from pairproof.campaign import export, take_over

    path = campaign(tmp_path, per_hit=2, design=Design(partial=True))
    sheet, _ = open_sheet(path, 1)
    rows = turk_results(mturk_csv(sheet), 2, crowd=False)
    rows[0] |= {"Answer.range2": "", "Answer.na2": ""}
    take_in(path, write(tmp_path / "r.csv", rows))
    export(path, tmp_path / "h.csv", "history")
    assert take_in(path, tmp_path / "h.csv").known == 1
    export(path, tmp_path / "m.csv", "model")
    with pytest.raises(InputError, match="blank"):  # an imported project has no partial HITs
        take_over(tmp_path / "new.db", tmp_path / "m.csv", [tmp_path / "h.csv"])
