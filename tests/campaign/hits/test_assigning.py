"""Who gets which HIT: different annotators for each, checks where they tell something, nothing given twice."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path

import pytest

from pairproof.campaign import open_batch, status, take_in
from pairproof.campaign.hits.batch import next_batch
from pairproof.campaign.hits.registered import exclude, register, registered, restore
from pairproof.errors import InputError, TooLargeError
from tests.campaign.hits.people import (
    PEOPLE,
    checked_campaign,
    given_to,
    hits_of,
    results_by,
    returns,
    rows_of,
)

DESIGN = {"judgments": 2, "repeats": 0.1, "degraded": 0.1, "gold": 0.1}


def folder_of(tmp_path, name="out"):
    return str(tmp_path / name) + "/"


def test_each_hit_goes_to_different_annotators_and_everybody_begins_with_the_calibration_items(tmp_path):
    path = checked_campaign(tmp_path, **DESIGN)
    batch = open_batch(path, folder_of(tmp_path))
    given, hits = given_to(path), hits_of(path)
    assert set(given) == set(PEOPLE) and hits[1, 1][0] == "calibration"
    assert sorted(hits[1, 1][1]) == ["c0", "c1", "c2"]
    assert all(own[0] == (1, 1) for own in given.values())
    count = Counter(key for own in given.values() for key in own[1:])
    assert set(count.values()) == {2} and set(count) == {key for key, hit in hits.items() if hit[0] == "work"}
    loads = [len(own) for own in given.values()]
    assert max(loads) - min(loads) <= 1
    assert all(len(set(own)) == len(own) for own in given.values())
    assert [g.annotator for g in batch.given] == sorted(PEOPLE)


def test_shares_are_met_and_each_check_is_with_somebody_whom_it_tells_something(tmp_path):
    path = checked_campaign(tmp_path, **DESIGN)
    open_batch(path, folder_of(tmp_path))
    given, hits = given_to(path), hits_of(path)
    work = {key: hit for key, hit in hits.items() if hit[0] == "work"}
    kinds = Counter(kind for _, _, plan in work.values() for kind in plan)
    slots = 5 * len(work)
    assert kinds["repeat"] == int(0.1 * slots + 0.5) and kinds["degraded"] == int(0.1 * slots + 0.5)
    assert kinds["gold"] + kinds["attention"] == int(0.1 * slots + 0.5)
    for name, own in given.items():
        for place, key in enumerate(own[1:], 1):
            _, ids, plan = hits[key]
            for item, kind in zip(ids, plan):
                others = [k for k in own[1:] if k != key]
                judged = {k: i for k in others for i, what in zip(hits[k][1], hits[k][2]) if what == "item"}
                originals = {i for k in others for i, w in zip(*hits[k][1:]) if w == "item"}
                if kind == "degraded":
                    assert f"i{item[1:]}" in originals and f"i{item[1:]}" not in ids
                if kind == "repeat":
                    before = {i for k in own[1:place] for i, w in zip(*hits[k][1:]) if w == "item"}
                    assert item in before and ids.count(item) == 1, (name, judged)


def test_degraded_repeats_and_gold_give_no_score_to_items(tmp_path):
    path = checked_campaign(tmp_path, **DESIGN)
    open_batch(path, folder_of(tmp_path))
    for name in PEOPLE:
        assert returns(path, name) == len(given_to(path)[name])
    scored = sum(row["n"] for row in status(path).to_dict()["scores"])
    items = sum(plan.count("item") for kind, _, plan in hits_of(path).values() if kind == "work")
    assert scored == 2 * items


def test_a_second_batch_repeats_items_of_the_first_in_anybodys_first_hit(tmp_path):
    path = checked_campaign(tmp_path, judgments=4, repeats=0.2)
    open_batch(path, folder_of(tmp_path), 4)
    for name in PEOPLE:
        returns(path, name)
    before = {i for _, ids, plan in hits_of(path).values() for i, k in zip(ids, plan) if k == "item"}
    open_batch(path, folder_of(tmp_path, "two"), 2)
    second = [hit for key, hit in hits_of(path).items() if key[0] == 2]
    repeated = [i for _, ids, plan in second for i, k in zip(ids, plan) if k == "repeat"]
    assert len(repeated) == 2 and set(repeated) <= before


def test_orders_are_each_annotators_own_and_are_the_same_when_the_pages_are_written_again(tmp_path):
    path = checked_campaign(tmp_path, judgments=4)
    batch = open_batch(path, folder_of(tmp_path))
    assert len({g.places for g in batch.given}) == 4
    assert len({order for g in batch.given for order in g.orders}) > 5
    again = open_batch(path, folder_of(tmp_path), again=True)
    assert again.given == batch.given and again.hits == batch.hits
    for file in batch.files:
        assert not any(name in Path(file).name for name in PEOPLE)


def test_the_pages_and_their_index_say_the_same_and_no_page_names_another_annotator(tmp_path):
    path = checked_campaign(tmp_path, **DESIGN)
    batch = open_batch(path, folder_of(tmp_path))
    assert len(batch.files) == 5
    index = (tmp_path / "out" / "index-1.csv").read_text(encoding="utf-8").splitlines()
    assert index[0] == "annotator,token,file,batch,hits" and len(index) == 5
    for line, given in zip(index[1:], batch.given):
        name, token, file, number, hits = line.split(",")
        assert (name, token, number) == (given.annotator, given.token, "1")
        page = (tmp_path / "out" / file).read_text(encoding="utf-8")
        assert f'"{name}"' in page and not any(f'"{other}"' in page for other in PEOPLE if other != name)
        assert [int(h) for h in hits.split()] == [batch.places[k][1] for k in given.places]
        for hidden in ("degraded", "repeat", "calibration", "system", '"i1"', '"y1"'):
            assert hidden not in page.split('id="data"')[1].split("</script>")[0]


def test_hits_that_are_past_due_are_given_to_somebody_who_has_not_had_them(tmp_path):
    path = checked_campaign(tmp_path, judgments=1)
    open_batch(path, folder_of(tmp_path), due="2999-01-01")
    for name in PEOPLE[1:]:
        returns(path, name)
    late = [key for key in given_to(path)["ann"] if key != (1, 1)]
    execute(path, "UPDATE assignment SET due = '2020-01-01T00:00:00Z' WHERE state = 'open'")
    batch = open_batch(path, folder_of(tmp_path, "two"), 4)
    states = dict(rows_of(path, "SELECT hit, state FROM assignment WHERE annotator = 1 AND batch = 1"))
    assert {states[hit] for _, hit in late} == {"expired"}
    takers = {
        key: [name for name, own in given_to(path).items() if key in own and name != "ann"] for key in late
    }
    assert all(len(who) == 1 for who in takers.values()) and batch.again == len(late)
    # Two pages for whoever also has HITs of the first batch.
    assert len(batch.files) > 5
    # ann's answers come late and count all the same.
    assert rows_of(path, "SELECT COUNT(*) FROM judgment WHERE annotator = 1") == [(0,)]
    for name in PEOPLE:
        returns(path, name)
    assert open_batch(path, folder_of(tmp_path, "three"), 2).again == 0


def execute(path, statement):
    db = sqlite3.connect(path)
    db.execute(statement)
    db.commit()
    db.close()


def test_where_everybody_has_had_a_hit_the_lack_is_said(tmp_path):
    path = checked_campaign(tmp_path, ("ann", "bob"), judgments=2)
    open_batch(path, folder_of(tmp_path), 3)
    exclude(path, "bob", "left")
    batch = open_batch(path, folder_of(tmp_path, "two"), 2, judgments=1)
    assert batch.notes == (
        "3 judgments of earlier HITs are missing, but every available annotator has had these HITs; add"
        " annotators",
    )
    register(path, ["cas"])
    assert open_batch(path, folder_of(tmp_path, "three"), 2, judgments=1).again == 4  # and the calibration


def test_an_excluded_annotators_judgments_do_not_count_and_their_hits_go_to_others(tmp_path):
    path = checked_campaign(tmp_path, judgments=1)
    open_batch(path, folder_of(tmp_path))
    for name in PEOPLE[:2]:
        returns(path, name)
    before = status(path).judgments
    mine = [key for key in given_to(path)["bob"] if key != (1, 1)]
    person, changed = exclude(path, "bob", "agreed beforehand")
    assert (person.state, person.why, changed) == ("excluded", "agreed beforehand", len(mine) + 1)
    assert status(path).judgments == before - changed
    assert exclude(path, "dan", "left")[1] == 0  # had answered nothing
    open_batch(path, folder_of(tmp_path, "two"), 2)
    given = given_to(path)
    assert set(mine) <= set(given["ann"]) | set(given["cas"])
    assert {key[0] for key in given["bob"] + given["dan"]} == {1}
    person, changed = restore(path, "bob")
    assert person.state == "active" and status(path).judgments == before and changed == len(mine) + 1


def test_only_those_who_met_the_rule_get_work(tmp_path):
    path = checked_campaign(tmp_path, judgments=2, qualify="spearman>=.5 and within .2 >= .75")
    with pytest.raises(InputError, match="none of the 4 registered annotators can receive HITs: 4 invited"):
        open_batch(path, folder_of(tmp_path))
    batch = open_batch(path, folder_of(tmp_path), qualification=True)
    assert batch.kinds == ("qualification",) and len(batch.given) == 4
    for name in ("ann", "bob"):
        returns(path, name)
    returns(path, "cas", noise=3.0)
    people = {p.name: p for p in registered(path)}
    assert [people[n].qualification.met for n in ("ann", "bob", "cas")] == [True, True, False]
    assert people["dan"].qualification is None
    open_batch(path, folder_of(tmp_path, "two"))
    assert {p.name: p.state for p in registered(path)} == {
        "ann": "qualified",
        "bob": "qualified",
        "cas": "invited",
        "dan": "invited",
    }
    assert {name for name, own in given_to(path).items() if any(b == 2 for b, _ in own)} == {"ann", "bob"}
    assert all(row["n"] == 0 for row in status(path).to_dict()["scores"])  # practice gives no scores


def test_the_qualification_batch_is_given_to_those_who_came_later(tmp_path):
    path = checked_campaign(tmp_path, ("ann",), qualify="spearman>=.5")
    open_batch(path, folder_of(tmp_path), qualification=True)
    with pytest.raises(InputError, match="all 1 registered annotators have had the qualification batch"):
        open_batch(path, folder_of(tmp_path), qualification=True)
    register(path, ["bob"])
    batch = open_batch(path, folder_of(tmp_path), qualification=True)
    assert [g.annotator for g in batch.given] == ["bob"] and batch.number == 1


def test_who_registers_later_judges_the_calibration_items_too(tmp_path):
    path = checked_campaign(tmp_path, ("ann",))
    open_batch(path, folder_of(tmp_path), 3)
    register(path, ["bob"])
    open_batch(path, folder_of(tmp_path, "two"), 3)
    assert given_to(path)["bob"][0] == (1, 1) and {b for b, _ in given_to(path)["bob"]} == {1, 2}


def test_an_annotator_who_asks_gets_first_what_lacks_somebody_and_then_new_hits(tmp_path):
    path = checked_campaign(tmp_path, (), judgments=2)
    first = next_batch(path, 4, annotator="ann")
    assert [g.annotator for g in first.given] == ["ann"]
    assert [k for k in first.kinds] == ["calibration", "work", "work", "work", "work"]
    second = next_batch(path, 5, annotator="bob")
    work = [place for place, kind in zip(second.places, second.kinds) if kind == "work"]
    assert sorted(p for p in work if p[0] == 1) == [(1, k) for k in range(2, 6)] and len(work) == 5
    third = next_batch(path, 3, annotator="ann")
    assert [place for place in third.places if place[0] == 2] == [(2, 1)]  # bob's fifth lacks somebody
    keys = given_to(path)
    assert all(len(set(own)) == len(own) for own in keys.values())


def test_a_crowd_gets_checks_too_and_is_told_how_often_to_publish_a_hit(tmp_path, capsys):
    from pairproof.cli import main

    path = checked_campaign(tmp_path, (), judgments=3, degraded=0.1, repeats=0.1)
    assert main(["easl", "next", str(path), "--out", str(tmp_path / "b.csv")]) == 0
    assert (
        "each HIT is for 3 different annotators: publish it with MaxAssignments 3" in capsys.readouterr().out
    )
    assert given_to(path) == {} and list(hits_of(path).values())[0][0] == "calibration"
    plans = Counter(k for kind, _, plan in hits_of(path).values() for k in plan if kind == "work")
    assert plans["degraded"] and plans["repeat"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"judgments": 5}, "5 different annotators per HIT, but only 4 can receive HITs"),
        ({"due": "2020-01-01"}, "--due 2020-01-01: has passed"),
        ({"due": "tomorrow"}, "--due 'tomorrow': expected a date such as 2026-12-01"),
        ({"due": "2999-13-01"}, "expected a date such as"),
        ({"annotator": "zoe"}, "no registered annotator 'zoe'"),
        ({"again": True, "due": "2999-01-01"}, "--again writes the open batch unchanged; leave out --due"),
        ({"qualification": True, "judgments": 2}, "leave out --hits, --judgments and --annotator"),
        ({"show": ["system"]}, "--show system: annotators must not see this column"),
        ({"show": ["id"]}, "--show id: annotators must not see this column"),
        ({"show": ["title"]}, "--show title: no such column; available columns: 'sent'"),
    ],
)
def test_what_cannot_be_opened_is_said_and_nothing_is_stored(tmp_path, options, said):
    path = checked_campaign(tmp_path)
    with pytest.raises(InputError) as error:
        open_batch(path, folder_of(tmp_path), **options)
    assert said in str(error.value)
    assert (
        rows_of(path, "SELECT COUNT(*) FROM batch")
        == rows_of(path, "SELECT COUNT(*) FROM assignment")
        == [(0,)]
    )
    assert not (tmp_path / "out").exists()


def test_one_page_of_all_hits_is_refused_where_annotators_have_their_own(tmp_path):
    path = checked_campaign(tmp_path)
    with pytest.raises(InputError, match="4 annotators get HITs, and a single page would show all HITs"):
        open_batch(path, tmp_path / "all.html")
    assert rows_of(path, "SELECT COUNT(*) FROM batch") == [(0,)]
    batch = open_batch(path, tmp_path / "ann.html", 2, annotator="ann")
    assert batch.files == (str(tmp_path / "ann.html"),)


def test_pages_for_nobody_are_refused(tmp_path):
    path = checked_campaign(tmp_path, ())
    with pytest.raises(InputError, match="no annotators are registered; 'easl annotators add"):
        open_batch(path, folder_of(tmp_path))
    with pytest.raises(InputError, match="--due: no annotators are registered"):
        open_batch(path, tmp_path / "b.csv", due="2999-01-01")
    with pytest.raises(InputError, match="names a file; with --for-annotators, expected a folder"):
        open_batch(path, tmp_path / "b.csv", for_annotators=True)


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"degraded": 0.1}, "a share of 0.1 for degraded items, but no item has the role degraded"),
        ({"gold": 0.1}, "no item has the role gold or attention"),
    ],
)
def test_a_share_without_such_items_is_an_error_when_the_campaign_is_made(tmp_path, design, said):
    from pairproof.campaign import create
    from pairproof.campaign.storage.design import Design
    from tests.campaign.helpers import items_file

    with pytest.raises(InputError, match=said):
        create(tmp_path / "C.db", items_file(tmp_path), design=Design(**design), seed=1)
    assert not (tmp_path / "C.db").exists()


def test_hits_that_are_given_again_have_a_page_beside_the_one_in_use(tmp_path):
    path = checked_campaign(tmp_path, judgments=2)
    open_batch(path, folder_of(tmp_path), 6)
    pages = {page: page.read_bytes() for page in (tmp_path / "out").glob("*-1.html")}
    assert len(pages) == len(PEOPLE)
    exclude(path, "ann", "agreed beforehand")
    again = open_batch(path, folder_of(tmp_path), 2)
    assert again.again > 0
    assert all(page.read_bytes() == before for page, before in pages.items())
    assert list((tmp_path / "out").glob("*-1-2.html"))


def test_answers_that_came_while_their_annotator_was_excluded_are_not_asked_of_others_again(tmp_path):
    path = checked_campaign(tmp_path, judgments=2)
    batch = open_batch(path, folder_of(tmp_path), 6)
    assert next(g for g in batch.given if g.annotator == "ann").places
    files = [results_by(path, name) for name in PEOPLE]
    exclude(path, "ann", "a mistake")
    for file in files:
        take_in(path, file)
    restore(path, "ann")
    assert dict(rows_of(path, "SELECT state, COUNT(*) FROM assignment GROUP BY state")).keys() == {"returned"}
    assert open_batch(path, tmp_path / "b.csv", 1).again == 0


def test_a_batch_that_would_take_minutes_is_refused_at_once(tmp_path):
    path = checked_campaign(tmp_path, people=())
    with pytest.raises(
        TooLargeError, match="--hits 200,001 of 5 items each; a batch has at most 200,000 HITs"
    ):
        open_batch(path, tmp_path / "b.csv", 200_001)
    assert status(path).batches == 0


def test_names_are_registered_once_and_all_or_none(tmp_path):
    path = checked_campaign(tmp_path)
    for names, said in (
        (["eve", "eve"], "'eve' is named 2 times"),
        (["eve", "ann"], "'ann' is already in this campaign"),
        ([" "], "expected a name of 1 to"),
    ):
        with pytest.raises(InputError, match=said):
            register(path, names)
    assert [p.name for p in registered(path)] == list(PEOPLE)
    for call, said in (
        (lambda: exclude(path, "zoe", "x"), "no annotator 'zoe'; found 'ann', 'bob'"),
        (lambda: exclude(path, "ann", " "), "an exclusion needs a reason"),
        (lambda: restore(path, "ann"), "'ann' is invited, not excluded"),
    ):
        with pytest.raises(InputError, match=said):
            call()
    exclude(path, "ann", "left")
    with pytest.raises(InputError, match="'ann' is already excluded, since .*: left"):
        exclude(path, "ann", "again")


def test_killed_at_any_time_a_batch_and_who_gets_it_are_stored_together_and_the_pages_can_be_written(
    tmp_path,
):
    path, out = checked_campaign(tmp_path, **DESIGN), folder_of(tmp_path)
    open_batch(path, out, 4)
    begin = time.monotonic()
    open_batch(path, out, 4)
    lasts = time.monotonic() - begin
    r = random.Random(5)
    for _ in range(10):
        child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                open_batch(path, out, 4)
            os._exit(0)
        time.sleep(r.uniform(0, 1.2 * lasts))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        batch = open_batch(path, out, again=True)
        dealt = rows_of(
            path,
            "SELECT h.batch, h.number, COUNT(s.annotator) FROM hit h LEFT JOIN assignment s ON s.batch = h.batch"
            " AND s.hit = h.number WHERE h.kind = 'work' GROUP BY h.batch, h.number",
        )
        assert {n for *_, n in dealt} == {2}
        assert dict(rows_of(path, "SELECT number, hits FROM batch")) == Counter(b for b, _ in hits_of(path))
        assert all(Path(file).stat().st_size for file in batch.files)
    assert not [name for name in os.listdir(out) if name.startswith(".")]
