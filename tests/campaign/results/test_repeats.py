"""One annotator answers one HIT more than once: one judgment counts, whatever the order of arrival."""

from __future__ import annotations

from itertools import permutations

import pytest

from pairproof.campaign import status, take_back, take_in, undo
from pairproof.campaign.results.retraction import history
from pairproof.campaign.storage.design import seconds_of
from pairproof.campaign.storage.records import about, recount_all, set_state
from pairproof.campaign.storage.rules import repeats
from pairproof.campaign.storage.store import opened
from pairproof.campaign.watch.scores import answers_of
from pairproof.errors import InputError
from tests.campaign.helpers import answers, batch_rows, campaign, scores, write


def dated(rows, time: str, name: str):
    """The same HITs under other AssignmentIds, returned at this time."""
    return [{**r, "AssignmentId": f"{name}-{r['Input.hit']}", "SubmitTime": time} for r in rows]


@pytest.mark.nightly
@pytest.mark.parametrize("method", ["easl", "ra", "da", "trueskill"])
def test_the_first_answer_by_submit_time_counts_in_whatever_order_files_come(tmp_path, method):
    rows = batch_rows(campaign(tmp_path, method=method))
    files = {
        "early": dated(answers(rows, 1, "late"), "2026-03-03T09:00:00Z", "e"),
        "later": dated(answers(rows, 2, "late"), "Tue Mar 03 09:01:14 PST 2026", "l"),  # 17:01 UTC
        "undated": dated(answers(rows, 3, "late"), "", "u"),
        "other": answers(rows, 4, "ann"),
    }
    once = campaign(tmp_path, method=method, name="once.db")
    batch_rows(once)
    strip = [{**r, "Input.campaign": ""} for r in [*files["early"], *files["other"]]]
    take_in(once, write(tmp_path / "once.csv", strip))
    for k, order in enumerate(permutations(files)):
        path = campaign(tmp_path, method=method, name=f"{k}.db")
        batch_rows(path)
        for name in order:
            take_in(path, write(tmp_path / "r.csv", [{**r, "Input.campaign": ""} for r in files[name]]))
        assert scores(path) == scores(once)
        assert (repeats(path).repeats, repeats(path).set_aside) == (4, 4)


def test_the_last_answer_counts_where_that_is_the_rule(tmp_path):
    path = campaign(tmp_path)
    rows = batch_rows(path)
    first, last = answers(rows, 1, "late"), answers(rows, 2, "late")
    take_in(path, write(tmp_path / "a.csv", last))
    taken = take_in(path, write(tmp_path / "b.csv", dated(first, "2026-03-03T09:00:00Z", "a")))
    assert taken.repeats == 2
    before = scores(path)
    assert repeats(path, "last").changed == 0  # an answer without a time comes after those that have one
    assert repeats(path, "both").changed == 2 and scores(path) != before
    assert repeats(path, "first").changed == 2 and scores(path) == before


def test_without_a_name_nobody_repeats(tmp_path):
    path = campaign(tmp_path)
    rows = batch_rows(path)
    take_in(path, write(tmp_path / "a.csv", answers(rows, 1, None)))
    assert take_in(path, write(tmp_path / "b.csv", answers(rows, 2, None))).repeats == 0
    assert status(path).judgments == 4


def test_a_repeat_counts_when_the_answer_before_it_is_retracted(tmp_path):
    path = campaign(tmp_path)
    rows = batch_rows(path)
    take_in(path, write(tmp_path / "a.csv", dated(answers(rows, 1, "late"), "2026-03-03T09:00:00Z", "a")))
    first = scores(path)
    take_in(path, write(tmp_path / "b.csv", dated(answers(rows, 2, "late"), "2026-03-05T09:00:00Z", "b")))
    assert scores(path) == first
    take_back(path, "tried", assignments=["a-1", "a-2"])
    with opened(path, write=False) as store:
        found = answers_of(store)
    assert found.counted.all() and scores(path) != first
    undo(path, [r.number for r in history(path)])
    assert scores(path) == first and repeats(path).set_aside == 2


def test_answers_of_an_excluded_annotator_do_not_count(tmp_path):
    path = campaign(tmp_path)
    rows = batch_rows(path)
    take_in(path, write(tmp_path / "a.csv", answers(rows, 1, "ann")))
    alone = scores(path)
    take_in(path, write(tmp_path / "b.csv", answers(rows, 2, "eve")))
    from pairproof.campaign.storage.rules import settle

    with opened(path, write=True) as store:
        set_state(store, "eve", "excluded", "clicked through")
        assert len(settle(store, about(store))) == 2
        recount_all(store, about(store))
    assert scores(path) == alone
    with pytest.raises(InputError, match="no annotator 'bob'; found 'ann', 'eve'"):
        with opened(path, write=True) as store:
            set_state(store, "bob", "excluded", "no")


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("1970-01-01T00:00:10Z", 10.0),
        ("1970-01-01 01:00:00+01:00", 0.0),
        ("1970-01-01T00:00:00.250+0000", 0.25),
        ("Thu Jan 01 00:00:00 PST 1970", 8 * 3600.0),
        ("Tue Mar 3 09:01:14 PDT 2026", 1772553674.0),
    ],
)
def test_a_time_is_read_in_utc(text, seconds):
    assert seconds_of(text, "here") == seconds


@pytest.mark.parametrize("text", ["yesterday", "Tue Mar 03 09:01:14 CET 2026", "2026-02-30T00:00:00Z", "12"])
def test_a_time_that_cannot_be_read_is_refused(tmp_path, text):
    path = campaign(tmp_path)
    rows = dated(answers(batch_rows(path)), text, "a")
    with pytest.raises(InputError, match="expected a time such as 2026-03-03T09:01:14Z"):
        take_in(path, write(tmp_path / "a.csv", rows))
    assert status(path).judgments == 0


def test_an_answer_to_a_hit_that_was_given_to_somebody_else_is_told(tmp_path):
    from pairproof.campaign import open_batch
    from pairproof.campaign.hits.registered import register

    path = campaign(tmp_path)
    register(path, ["ann", "bob"])
    open_batch(path, tmp_path / "b.csv", annotator="ann")
    rows = answers(batch_file_rows(tmp_path / "b.csv"), 1, "bob")
    taken = take_in(path, write(tmp_path / "r.csv", rows))
    assert taken.notes == (
        "answered HITs that were given to others: 'bob'; they count unless you use 'easl retract'",
    )
    assert (
        take_in(path, write(tmp_path / "s.csv", answers(batch_file_rows(tmp_path / "b.csv"), 2))).notes == ()
    )


def batch_file_rows(path):
    import csv

    return list(csv.DictReader(path.open(encoding="utf-8", newline="")))
