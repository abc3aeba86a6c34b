"""The schema of a campaign, and campaigns of the schema before."""

from __future__ import annotations

import csv
import json
import sqlite3

import pytest

from pairproof.campaign import open_batch, status, take_back, take_in, undo
from pairproof.campaign.storage.records import about
from pairproof.campaign.storage.rules import repeats
from pairproof.campaign.storage.store import opened
from pairproof.campaign.watch.scores import answers_of
from tests.campaign.helpers import answers, batch_rows, campaign, scores, write

#: The first schema, as pairproof 0.1 wrote it.
SCHEMA_1 = """
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE item (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, fields TEXT NOT NULL, a0 REAL, b0 REAL,
    n0 INTEGER NOT NULL, a REAL, b REAL, n INTEGER NOT NULL);
CREATE TABLE batch (number INTEGER PRIMARY KEY, opened TEXT NOT NULL, hits INTEGER NOT NULL);
CREATE TABLE hit (batch INTEGER NOT NULL REFERENCES batch (number), number INTEGER NOT NULL, items TEXT NOT NULL,
    PRIMARY KEY (batch, number)) WITHOUT ROWID;
CREATE TABLE received (number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, taken TEXT NOT NULL,
    rows INTEGER NOT NULL, new INTEGER NOT NULL);
CREATE TABLE judgment (number INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, batch INTEGER, hit INTEGER,
    hit_id TEXT NOT NULL, assignment TEXT NOT NULL, worker TEXT NOT NULL, times TEXT NOT NULL,
    received INTEGER NOT NULL REFERENCES received (number), row INTEGER NOT NULL);
CREATE INDEX judgment_of_hit ON judgment (batch, hit);
CREATE TABLE score (judgment INTEGER NOT NULL REFERENCES judgment (number), slot INTEGER NOT NULL,
    item INTEGER NOT NULL REFERENCES item (position), value REAL, raw TEXT NOT NULL, PRIMARY KEY (judgment, slot)) WITHOUT ROWID;
CREATE INDEX score_of_item ON score (item);
"""
#: Columns that both schemas have.
KEPT = {
    "setting": "name, value",
    "item": "position, id, fields, a0, b0, n0, a, b, n",
    "batch": "number, opened, hits",
    "hit": "batch, number, items",
    "received": "number, name, sha256, taken, rows, new",
    "judgment": "number, identity, batch, hit, hit_id, assignment, worker, times, received, row",
    "score": "judgment, slot, item, value, raw",
}
TABLES = sorted([*KEPT, "annotator", "assignment", "look", "packed", "rule", "text"])


def old_campaign(folder, name="C.db"):
    """A campaign as the first schema had it, in which ann answered every HIT twice and both counted."""
    path = campaign(folder, name="new.db", design=_both())
    rows = batch_rows(path)
    take_in(path, write(folder / "one.csv", answers(rows, 1)))
    take_in(path, write(folder / "two.csv", answers(rows, 2)))
    old = sqlite3.connect(folder / name)
    old.executescript(SCHEMA_1)
    old.execute("ATTACH ? AS new", (str(path),))
    for table, columns in KEPT.items():
        old.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM new.{table}")
    (text,) = old.execute("SELECT value FROM setting WHERE name = 'about'").fetchone()
    stored = json.loads(text)
    del stored["design"]
    old.execute("UPDATE setting SET value = ? WHERE name = 'about'", (json.dumps(stored),))
    old.commit()
    old.execute("PRAGMA user_version = 1")
    old.execute("PRAGMA application_id = 0x50504541")
    old.commit()
    old.close()
    return folder / name, rows


def _both():
    from pairproof.campaign.storage.design import Design

    return Design(on_repeat="both")


def version(path) -> int:
    db = sqlite3.connect(path)
    try:
        return db.execute("PRAGMA user_version").fetchone()[0]
    finally:
        db.close()


def tables(path) -> dict[str, list[tuple]]:
    """The columns of each table, with types, defaults and constraints."""
    db = sqlite3.connect(path)
    try:
        names = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {n: [tuple(r[1:]) for r in db.execute(f"PRAGMA table_info({n})")] for n in names}
        return {name: sorted(columns) for name, columns in found.items()}
    finally:
        db.close()


def test_the_schema_is_the_one_the_version_says(tmp_path):
    path = campaign(tmp_path)
    assert version(path) == 2 and sorted(tables(path)) == TABLES


def test_reading_a_campaign_of_the_first_schema_writes_nothing(tmp_path):
    path, _ = old_campaign(tmp_path)
    before = path.read_bytes()
    found = status(path)
    assert found.judgments == 4 and found.scores == 20
    assert path.read_bytes() == before and not list(tmp_path.glob("C.db?*"))


def test_the_first_write_keeps_a_copy_and_gives_the_tables_of_a_new_campaign(tmp_path):
    path, _ = old_campaign(tmp_path)
    before, counts = path.read_bytes(), scores(path)
    assert take_in(path, tmp_path / "one.csv").new == 0
    copy = tmp_path / "C.db.schema1"
    assert version(path) == 2 and version(copy) == 1
    assert status(copy).to_dict() == status(path).to_dict() and scores(path) == counts
    assert len(before) > 0 and tables(path) == tables(tmp_path / "new.db")


def test_a_campaign_is_migrated_once(tmp_path):
    path, _ = old_campaign(tmp_path)
    for _ in range(3):
        take_in(path, tmp_path / "one.csv")
    assert [p.name for p in tmp_path.glob("C.db?*")] == ["C.db.schema1"]


def test_another_file_with_the_name_of_the_copy_is_left_alone(tmp_path):
    path, _ = old_campaign(tmp_path)
    (tmp_path / "C.db.schema1").write_text("mine")
    take_in(path, tmp_path / "one.csv")
    assert (tmp_path / "C.db.schema1").read_text() == "mine" and version(tmp_path / "C.db.schema1.2") == 1


def test_a_write_that_is_refused_leaves_a_sound_campaign(tmp_path):
    path, _ = old_campaign(tmp_path)
    counts = scores(path)
    with pytest.raises(Exception, match="no column"):
        take_in(path, write(tmp_path / "bad.csv", [{"x": "1"}]))
    assert scores(path) == counts and version(tmp_path / "C.db.schema1") == 1


def test_repeats_that_counted_stay_counted_until_they_are_set_aside(tmp_path):
    path, _ = old_campaign(tmp_path)
    counts = scores(path)
    assert (repeats(path).repeats, repeats(path).set_aside) == (2, 0)
    open_batch(path, tmp_path / "b.csv")
    assert scores(path) == counts
    found = repeats(path, "first")
    assert (found.repeats, found.set_aside, found.changed) == (2, 2, 2)
    fresh = campaign(tmp_path, name="fresh.db")
    batch_rows(fresh)
    once = [{**r, "Input.campaign": ""} for r in answers(batch_rows_of(path), 1)]
    take_in(fresh, write(tmp_path / "again.csv", once))
    assert scores(fresh) == scores(path)


def batch_rows_of(path):
    """The HITs of the first batch as rows, from the database."""
    with opened(path, write=False) as store:
        ids = [r[0] for r in store.db.execute("SELECT id FROM item ORDER BY position")]
        hits = store.db.execute("SELECT number, items FROM hit WHERE batch = 1 ORDER BY number").fetchall()
    return [
        {**{f"id{k}": ids[i] for k, i in enumerate(json.loads(items), 1)}, "batch": "1", "hit": str(number)}
        for number, items in hits
    ]


def test_annotators_and_times_of_an_old_campaign_are_read(tmp_path):
    path, _ = old_campaign(tmp_path)
    with opened(path, write=False) as store:
        found, a = answers_of(store), about(store)
    assert found.names == ("ann",) and set(found.annotator.tolist()) == {0}
    assert a.design.on_repeat == "both" and a.design.text == "sent"


def test_the_open_batch_of_a_campaign_of_the_first_schema_can_be_written_again(tmp_path):
    path, rows = old_campaign(tmp_path)
    before = path.read_bytes()
    out = tmp_path / "again.csv"
    batch = open_batch(path, out, again=True)
    assert list(csv.DictReader(out.open(encoding="utf-8"))) == rows
    assert path.read_bytes() == before  # reading migrates nothing
    assert set(batch.kinds) == {"work"} and batch.given == ()
    assert open_batch(path, tmp_path / "next.csv").number == batch.number + 1


def test_a_judgment_that_was_retracted_before_the_migration_can_be_restored_though_its_time_cannot_be_read(
    tmp_path,
):
    path, rows = old_campaign(tmp_path)
    db = sqlite3.connect(path)
    db.execute("UPDATE judgment SET times = ?", ('{"SubmitTime": "Tue Mar 03 09:01:14 CET 2026"}',))
    db.commit()
    db.close()
    before = scores(path)
    take_back(path, "a mistake", assignments=[answers(rows, 1)[0]["AssignmentId"]])
    assert scores(path) != before
    undo(path, [1])
    assert scores(path) == before
