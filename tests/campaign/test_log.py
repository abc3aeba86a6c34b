"""A log is the whole campaign: read again it gives the same campaign, and that one writes the same bytes."""

from __future__ import annotations

import json
import sqlite3

import pytest
from hypothesis import given, settings, strategies as st

from pairproof.campaign import create, export, open_batch, status, take_back, take_in, undo
from pairproof.campaign.page.texts import write_texts
from pairproof.campaign.rebuilding import from_log
from pairproof.campaign.storage.design import Design
from pairproof.campaign.storage.records import add_annotator, set_state
from pairproof.campaign.storage.rules import repeats, write_look, write_rule
from pairproof.campaign.storage.store import opened
from pairproof.errors import InputError
from tests.campaign.formats.other_tools import log_of, nasty, open_sheet
from tests.campaign.helpers import answers, batch_rows, campaign, run_batches, scores, write
from tests.campaign.hits.people import checked_campaign


def eventful(tmp_path, method="easl"):
    """A campaign to which everything has happened that a campaign knows."""
    items = tmp_path / "items.csv"
    rows = ["id,sent,source,system,role,of,gold"]
    rows += [f"{k},text {k},{k % 4},s{k % 3},item,," for k in range(1, 11)]
    rows += ["11,worse 3,3,s0,degraded,3,", "12,known,,,gold,,0.7"]
    items.write_text("\n".join(rows) + "\n", encoding="utf-8")
    path = tmp_path / "C.db"
    create(path, items, method, 5, seed=7, design=Design(pay_hour=12.5))
    for seed in range(3):
        found = answers(batch_rows(path), seed, worker="ann")
        for k, row in enumerate(found):
            row["SubmitTime"] = f"2026-03-0{seed + 1}T09:0{k}:14Z"
            row["WorkTimeInSeconds"] = "61.5"
        take_in(path, write(tmp_path / f"r{seed}.csv", found))
        again = [
            row | {"WorkerId": who, "AssignmentId": f"{who}{seed}{k}"}
            for who in ("bob", "eve")
            for k, row in enumerate(found)
        ]
        take_in(path, write(tmp_path / f"again{seed}.csv", again))
    repeat = answers(batch_rows(path), 9, worker="ann")[:1]
    take_in(path, write(tmp_path / "x.csv", repeat))
    take_in(path, write(tmp_path / "y.csv", [dict(repeat[0], AssignmentId="later", **{"Answer.na1": "on"})]))
    with opened(path, write=True) as store:
        add_annotator(store, "zoë=1")
        write_texts(store, (("question", "ar", "rtl", "كيف <b>؟\u2028"), ("question", "en", "ltr", "How?")))
        write_rule(store, "exclusion", {"flags": ["fast"], "p": 0.05})
        write_look(store, 7, "widths", {"stop": False, "width": 0.1, "items": [1, 2]})
        who = dict(store.db.execute("SELECT name, number FROM annotator"))
        store.db.execute(
            "INSERT INTO assignment VALUES (?, 1, 1, 'x', NULL, 'open', 1, '[2, 1, 3, 4, 5]')",
            (who["zoë=1"],),
        )
        set_state(store, "eve", "excluded", "too fast")
    take_back(path, "cut off", assignments=["bob00"])
    take_back(path, "twice", assignments=["bob10"])
    undo(path, [1])
    repeats(path, "last")  # settles again, so that eve does not count any more
    return path


@pytest.mark.parametrize("method", ["easl", "ra", "trueskill", "random"])
def test_a_log_gives_the_campaign_back_and_is_written_again_to_the_byte(tmp_path, method):
    path = eventful(tmp_path, method)
    log = tmp_path / "log.jsonl"
    lines = export(path, log, "log")
    found = from_log(tmp_path / "new.db", log)
    assert log.read_bytes() == log_of(tmp_path / "new.db").encode("utf-8")
    lines_of_it = log.read_text(encoding="utf-8").splitlines()  # which also parts lines at U+2028
    kinds = [json.loads(line)["kind"] for line in lines_of_it]
    assert lines == len(kinds)
    assert set(kinds) == {
        "campaign", "text", "item", "annotator", "batch", "hit", "assignment", "results", "judgment",
        "retraction", "look", "state",
    }  # fmt: skip
    assert (found.items, found.judgments) == (12, kinds.count("judgment"))
    assert scores(tmp_path / "new.db") == scores(path)
    reasons = {r["why"] for r in records(log) if r["kind"] == "judgment"}
    assert reasons == {"", "repeat", "excluded"}
    # Every table holds the same rows, but for the order of JSON's members and when items were read.
    for table in (
        "annotator",
        "assignment",
        "batch",
        "hit",
        "received",
        "score",
        "rule",
        "look",
        "text",
        "item",
    ):
        assert rows(path, table) == rows(tmp_path / "new.db", table)


def rows(path, table):
    db = sqlite3.connect(path)
    found = sorted(map(repr, db.execute(f"SELECT * FROM {table}").fetchall()))
    db.close()
    return found


def records(log):
    return [json.loads(line) for line in log.read_text(encoding="utf-8").split("\n") if line]


def test_the_campaign_that_was_made_goes_on_as_the_old_one_would(tmp_path):
    path = eventful(tmp_path)
    export(path, tmp_path / "log.jsonl", "log")
    from_log(tmp_path / "new.db", tmp_path / "log.jsonl")
    one, other = batch_rows(path), batch_rows(tmp_path / "new.db")
    assert one == other
    results = write(tmp_path / "next.csv", answers(one, 4))
    assert take_in(path, results) == take_in(tmp_path / "new.db", results)
    assert scores(path) == scores(tmp_path / "new.db")
    assert status(path).to_dict()["judgments"] == status(tmp_path / "new.db").to_dict()["judgments"]


def test_how_many_annotators_a_batch_is_for_is_in_the_log(tmp_path):
    path = checked_campaign(tmp_path, judgments=3)
    open_batch(path, tmp_path / "b.csv", 4, judgments=2)
    export(path, tmp_path / "log.jsonl", "log")
    from_log(tmp_path / "new.db", tmp_path / "log.jsonl")
    again = [open_batch(p, tmp_path / f"{p.stem}.csv", 2).again for p in (path, tmp_path / "new.db")]
    assert again == [0, 0]  # each HIT of batch 1 has the 2 annotators that it is for, not 3
    assert rows(path, "setting") == rows(tmp_path / "new.db", "setting")


def test_a_log_replaces_its_own_older_one_and_no_other_file(tmp_path):
    path, other = campaign(tmp_path), campaign(tmp_path, name="D.db")
    export(path, tmp_path / "l.jsonl", "log")
    run_batches(path, 1)
    export(path, tmp_path / "l.jsonl", "log")
    with pytest.raises(InputError, match="already exists"):
        export(other, tmp_path / "l.jsonl", "log")
    with pytest.raises(InputError, match="already exists"):
        from_log(path, tmp_path / "l.jsonl")


# -- a log that was changed ----------------------------------------------------------------------------------


def first(lines, kind):
    return next(r for r in lines if r["kind"] == kind)


def drop(lines, kind):
    lines.remove(first(lines, kind))


def drop_last(lines, kind):
    lines.remove([r for r in lines if r["kind"] == kind][-1])


CHANGES = {
    "unknown member 'more'": lambda r: first(r, "item").update(more=1),
    "no member 'role'": lambda r: first(r, "item").pop("role"),
    "'id' is a number; expected a text": lambda r: first(r, "item").update(id=1),
    "'counted' is a number; expected true or false": lambda r: first(r, "judgment").update(counted=1),
    "'number' is true or false; expected a number": lambda r: first(r, "judgment").update(number=True),
    "kind 'x'; expected one of": lambda r: r.insert(1, {"kind": "x"}),
    "in the first line only": lambda r: r.insert(3, r[0]),
    "after 'judgment'; expected the order": lambda r: r.append(r.pop(1)) or r.insert(-2, r.pop()),
    "no state in its last line": lambda r: r.pop(),
    "a line after the state": lambda r: r.append(r[-1]),
    "schema 3; this pairproof reads": lambda r: r[0].update(schema=3),
    "'method' is 'guess'": lambda r: r[0].update(method="guess"),
    "gamma=-1; expected": lambda r: r[0]["settings"].update(gamma=-1),
    "unknown member 'colour'": lambda r: r[0]["design"].update(colour="red"),
    "judgments=0; expected": lambda r: r[0]["design"].update(judgments=0),
    "of the wrong type": lambda r: r[0]["design"].update(repeats="many"),
    "differ from the campaign's 'columns'": lambda r: first(r, "item").update(fields={"a": "b"}),
    "item '2' appears in two lines": lambda r: r[1].update(id="2"),
    "no line has the item '1'": lambda r: drop(r, "item"),
    "no line has the batch 1": lambda r: drop(r, "batch"),
    "no line has the HIT": lambda r: drop_last(r, "hit"),
    "no line has the annotator 'ann'": lambda r: drop(r, "annotator"),
    "no line has the results file 1": lambda r: drop(r, "results"),
    "judgment 1 appears in two lines": lambda r: r.insert(
        r.index(first(r, "judgment")), first(r, "judgment")
    ),
    "does not match the judgments in the log": lambda r: drop(r, "judgment"),
    "'n' does not count the judgments": lambda r: r[-1]["n"].__setitem__(0, 99),
    "value 1.5; expected a number from 0 to 1": lambda r: first(r, "judgment")["scores"][0].update(value=1.5),
    "slot 2 appears twice": lambda r: first(r, "judgment")["scores"][0].update(slot=2),
    "'role' is 'boss'": lambda r: first(r, "judgment")["scores"][0].update(role="boss"),
    "'counted' is false, but the other lines give": lambda r: first(r, "judgment").update(counted=False),
    "'submitted' is 1.0, but the other lines give": lambda r: first(r, "judgment").update(submitted=1.0),
    "'plan' must name": lambda r: first(r, "hit").update(plan=["item"]),
    "'state' is 'lost'": lambda r: first(r, "annotator").update(state="lost"),
    "'batch' and 'hit' must both": lambda r: first(r, "judgment").update(hit=None),
    "alpha and beta >= 1": lambda r: first(r, "item").update(start=[0.5, 1.0, 0]),
    "'start' has 2 entries": lambda r: first(r, "item").update(start=[1.0, 1.0]),
    "time 'SubmitTime' is a number": lambda r: first(r, "judgment").update(times={"SubmitTime": 5}),
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = campaign(tmp_path_factory.mktemp("plain"))
    run_batches(path, 2)
    return log_of(path)


@pytest.mark.parametrize("found", CHANGES)
def test_a_log_that_was_changed_is_refused_with_its_line_and_makes_no_campaign(tmp_path, plain, found):
    lines = [json.loads(line) for line in plain.split("\n") if line]
    CHANGES[found](lines)
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(r) + "\n" for r in lines), encoding="utf-8")
    with pytest.raises(InputError) as error:
        from_log(tmp_path / "new.db", log)
    assert found in str(error.value) and str(error.value).startswith(f"{log}")
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('"gold":null', '"gold":NaN', "line 2: NaN is not a number"),
        ('"gold":null', '"gold":1e999', "beyond the range"),
        ('"number":1,', f'"number":{2**70},', "64 bits"),
        ('"why":""', '"why":"","why":"x"', "'why' appears twice"),
        ('{"kind":"state"', '{"kind":"sta', "not JSON"),
        ('"role":"item"', '"role":"' + "\\ud800" + '"', "half of a surrogate pair"),
    ],
)
def test_a_log_that_is_not_strict_json_is_refused(tmp_path, plain, old, new, found):
    log = tmp_path / "log.jsonl"
    assert old in plain
    log.write_text(plain.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=found):
        from_log(tmp_path / "new.db", log)


@given(
    st.lists(
        st.text(
            st.characters(blacklist_categories=("Cs",), blacklist_characters="\0\r"), min_size=1, max_size=6
        ),
        min_size=4,
        max_size=6,
    )
)
@settings(max_examples=15, deadline=None)
def test_any_texts_survive_a_log(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("any")
    path = nasty(folder, texts)
    open_sheet(path)
    text = log_of(path)
    (folder / "l.jsonl").write_bytes(text.encode("utf-8"))
    from_log(folder / "new.db", folder / "l.jsonl")
    assert log_of(folder / "new.db") == text
