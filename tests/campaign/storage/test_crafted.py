"""A campaign file that somebody sent: its schema runs nothing, and its rows are checked before they are used."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from importlib import resources

import pytest

from pairproof.campaign import export, from_log, open_batch, status, take_back, take_in
from pairproof.campaign.storage.store import schema
from pairproof.errors import InputError
from pairproof.files.database import Schema, statements
from tests.campaign.helpers import answers, batch_rows, campaign, scores, write
from tests.campaign.storage.test_schema import old_campaign, version

#: A view that never ends, under the name of a table.
ENDLESS = "CREATE VIEW {} AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n AS number FROM r"
#: What is done to a campaign, and what is said of it.
FOREIGN = {
    "CREATE TRIGGER t AFTER INSERT ON score BEGIN UPDATE score SET value = 1.0 WHERE judgment = new.judgment; END": (
        "trigger 't' on 'score'"
    ),
    "CREATE TRIGGER state_changed AFTER UPDATE OF a, b, n ON item BEGIN DELETE FROM score; END": (
        "trigger 'state_changed' has 'begin delete from score' after 'n on item' where pairproof writes"
    ),
    ENDLESS.format("v"): "view 'v'",
    f"DROP TABLE look; {ENDLESS.format('look')}": "view 'look'; no table 'look'",
    "CREATE TABLE more (x)": "table 'more'",
    "CREATE INDEX i ON item (abs(n))": "index 'i' on 'item'",
    "CREATE VIRTUAL TABLE words USING fts5(x)": "virtual table 'words'",
    "ALTER TABLE score ADD COLUMN twice AS (value * 2)": "table 'score' has 'twice as ( value * 2 ) ,' after",
    "ALTER TABLE score ADD COLUMN late REAL DEFAULT 7": "table 'score' has 'late real default 7 ,' after",
    "DROP TABLE rule": "no table 'rule'",
}
#: Statements of a table, and what they are changed to, in the file's own schema.
CHANGED = {
    ("value    REAL,", "value    REAL CHECK (value < 2),"): "table 'score' has 'check ( value < 2 )' after",
    (
        "raw      TEXT NOT NULL,",
        "raw      TEXT NOT NULL DEFAULT '1',",
    ): "table 'score' has \"default '1'\" after",
    (
        "raw      TEXT NOT NULL,",
        "raw      TEXT NOT NULL COLLATE NOCASE,",
    ): "table 'score' has 'collate nocase' after",
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A campaign of two HITs that were answered; two registered annotators, a retraction, and a look."""
    folder = tmp_path_factory.mktemp("judged")
    path = campaign(folder)
    rows = batch_rows(path)
    results = write(folder / "r.csv", [*answers(rows, 1), *answers(rows, 2, "bob")])
    take_in(path, results)
    take_back(path, "x", assignments=[answers(rows, 2, "bob")[0]["AssignmentId"]])
    return path


@pytest.fixture
def sent(judged, tmp_path):
    """A copy of it that may be spoilt."""
    return shutil.copy(judged, tmp_path / "C.db")


def spoilt(path, script, *more):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(script, *more) if more else db.executescript(script)


def rewritten(path, was, becomes):
    """Change the text of the schema itself, as a program that writes the file byte by byte could."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        n = db.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'score'", (was, becomes)
        )
        assert n.rowcount == 1


def refused_everywhere(path, tmp_path, said):
    """Every command refuses the file with one message, and none changes it."""
    before = path.read_bytes()
    results = tmp_path / "any.csv"
    results.write_text("Input.id1\n1\n")
    for ask in (
        lambda: status(path),
        lambda: open_batch(path, tmp_path / "b.csv"),
        lambda: take_in(path, results),
        lambda: export(path, tmp_path / "e.csv"),
    ):
        with pytest.raises(InputError) as error:
            ask()
        assert said in str(error.value), error.value
        assert "restore a copy of it" in str(error.value)
    assert path.read_bytes() == before and not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("script", FOREIGN)
def test_what_is_foreign_in_a_schema_is_named_before_anything_of_it_runs(sent, tmp_path, script):
    if "state_changed" in script:
        spoilt(sent, "DROP TRIGGER state_changed")
    try:
        spoilt(sent, script)
    except sqlite3.OperationalError as error:
        assert "no such module" in str(error)
        pytest.skip("this SQLite has no full text search")
    refused_everywhere(sent, tmp_path, f"its schema is not the one that pairproof writes: {FOREIGN[script]}")


@pytest.mark.parametrize("change", CHANGED)
def test_a_table_with_another_constraint_is_not_ours(sent, tmp_path, change):
    rewritten(sent, *change)
    refused_everywhere(sent, tmp_path, CHANGED[change])


def test_what_changes_nothing_in_a_schema_is_not_foreign(sent):
    before = scores(sent)
    spoilt(sent, "ANALYZE; VACUUM;")
    rewritten(sent, "CREATE TABLE score", 'create  TABLE /* the answers */ "score"')
    assert scores(sent) == before


def test_every_schema_that_was_ever_written_opens(tmp_path, judged, sent):
    """Schema 1, the first files of schema 2, which had no arrays, and those of today; with a retraction or not."""
    old, _ = old_campaign(tmp_path, "old.db")
    with closing(sqlite3.connect(tmp_path / "first.db")) as db:
        db.executescript(resources.files("pairproof.campaign.storage").joinpath("schema_1.sql").read_text())
        made = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    assert schema(1).foreign(made) == []
    before = scores(old)
    take_in(old, tmp_path / "one.csv")
    assert scores(old) == before and version(old) == 2
    spoilt(sent, "DROP TRIGGER state_changed; DROP TABLE packed;")
    whole = sent.read_bytes()
    assert scores(sent) == scores(judged) and sent.read_bytes() == whole  # read in memory
    open_batch(sent, tmp_path / "b.csv")
    with closing(sqlite3.connect(sent)) as db:
        assert schema(2).foreign(db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")) == []
        assert db.execute("SELECT COUNT(*) FROM packed").fetchone() == (2,)


def test_a_schema_says_where_a_statement_begins_to_differ():
    ours = Schema(statements("CREATE TABLE t (x INTEGER, -- first\n y TEXT);\nCREATE INDEX i ON t (x);"))
    found = [
        ("table", "t", "t", "CREATE TABLE t(x INTEGER, y TEXT)"),
        ("index", "i", "t", "CREATE INDEX i ON t (x)"),
    ]
    assert ours.foreign(found) == []
    assert ours.foreign(found[:1]) == ["no index 'i'"]
    changed = [("table", "t", "t", "CREATE TABLE t(x INTEGER, y TEXT) STRICT"), found[1]]
    assert ours.foreign(changed) == ["table 't' has 'strict' after 'y text )' where pairproof writes nothing"]


#: A change of a row -> what is said of it.
ROWS = {
    "UPDATE setting SET value = '{\"columns\": [' WHERE name = 'about'": "table 'setting', row name 'about', column 'value': '{\"columns\": [' is not JSON",
    "UPDATE setting SET value = replace(value, '\"per_hit\": 5', '\"per_hit\": 5000000000') WHERE name = 'about'": "table 'setting', row 'about': per_hit is 5000000000",
    "UPDATE setting SET value = replace(value, '\"easl\"', '\"made up\"') WHERE name = 'about'": "table 'setting', row 'about': method='made up'",
    "DELETE FROM setting": "table 'setting': no row 'about'",
    "UPDATE item SET fields = '[\"a\"' WHERE position = 3": "table 'item', row position 3, column 'fields': '[\"a\"' is not JSON",
    "UPDATE item SET fields = '[1]' WHERE position = 3": "table 'item', row position 3, column 'fields': [1]; expected a list of 1 texts",
    "UPDATE item SET n = 'many' WHERE position = 3": "table 'item', row position 3, column 'n': 'many'; expected a whole number",
    "UPDATE item SET a = 9e999 WHERE position = 3": "table 'item', row position 3, column 'a': inf",
    "UPDATE item SET position = 1000000000000 WHERE position = 3": "table 'item', row position 1000000000000",
    "UPDATE item SET role = 'spy' WHERE position = 3": "table 'item', row position 3, column 'role': 'spy'; expected one of item",
    "UPDATE item SET role = 'degraded' WHERE position = 3": "table 'item', row position 3, column 'of': None",
    "UPDATE hit SET items = '[0, 100000000000]' WHERE number = 1": "table 'hit', row batch 1, number 1, column 'items': [0, 100000000000]; expected a list of positions of items, 0 to 9",
    "UPDATE hit SET items = '" + "[" * 3000 + "'": "is not JSON (",
    "UPDATE hit SET plan = '[\"item\"]' WHERE number = 2": "table 'hit', row batch 1, number 2, column 'plan'",
    "UPDATE judgment SET times = 'noon' WHERE number = 2": "table 'judgment', row number 2, column 'times': 'noon' is not JSON",
    "UPDATE judgment SET hit = 77 WHERE number = 2": "a HIT that is not in the table 'hit'",
    "UPDATE judgment SET annotator = 77 WHERE number = 2": "table 'judgment': a row refers to a missing row of table 'annotator'",
    "UPDATE score SET value = 'x' WHERE slot = 1": "column 'value': 'x'; expected a number from 0 to 1, or nothing",
    "UPDATE score SET value = 7.5 WHERE slot = 1": "column 'value': 7.5; expected a number from 0 to 1, or nothing",
    "UPDATE score SET raw = x'00' WHERE slot = 1": "column 'raw': b'\\x00'; expected a text",
    "UPDATE score SET item = 99 WHERE slot = 1": "a row refers to a missing row of table 'item'",
    "UPDATE retraction SET judgment = '{}'": "table 'retraction', row number 1, column 'judgment'",
    "INSERT INTO text VALUES ('anchors', 'en', 'ltr', '7')": "table 'text', row name 'anchors', lang 'en', column 'body': 7",
    "INSERT INTO packed VALUES ('state', zeroblob(240))": "table 'packed', row name 'state', column 'content': numbers that differ",
}  # fmt: skip


@pytest.mark.parametrize("script", ROWS)
def test_a_row_that_pairproof_does_not_write_is_named_by_table_row_and_column(sent, tmp_path, script):
    if "INTO packed" in script:
        spoilt(sent, "DELETE FROM packed")
    spoilt(sent, script)
    refused_everywhere(sent, tmp_path, ROWS[script])


def test_a_stored_score_is_the_one_that_its_answer_gives(sent, tmp_path):
    spoilt(sent, "UPDATE score SET value = 0.99 WHERE judgment = 1 AND slot = 2")
    with closing(sqlite3.connect(sent)) as db:
        (raw,) = db.execute("SELECT raw FROM score WHERE judgment = 1 AND slot = 2").fetchone()
    said = f"row judgment 1, slot 2, column 'value': 0.99, but the original answer, {raw!r}, gives {int(raw) / 100}"
    refused_everywhere(sent, tmp_path, said)


@pytest.mark.parametrize(
    "change", ["a = 100.0, b = 1.0", "a = a + 0.01", "b = b + 0.01", "n = n + 1", "a = NULL"]
)
def test_the_state_of_an_item_is_what_its_scores_give(sent, tmp_path, change):
    with closing(sqlite3.connect(sent)) as db:
        (position,) = db.execute("SELECT position FROM item WHERE n > n0 LIMIT 1").fetchone()
    spoilt(sent, f"UPDATE item SET {change} WHERE position = {position}")
    refused_everywhere(sent, tmp_path, f"table 'item', row position {position}, column '{change[0]}'")


@pytest.mark.parametrize("method", ["da", "ra", "trueskill"])
def test_an_item_without_scores_is_as_it_was_at_the_start(tmp_path, method):
    path = campaign(tmp_path, method=method)
    assert status(path).judgments == 0
    spoilt(path, "UPDATE item SET a = 0.9 WHERE position = 3")
    with pytest.raises(InputError, match="row position 3, column 'a': 0.9, but the 0 scores that count give"):
        status(path)


def test_a_score_of_a_log_is_the_one_that_its_answer_gives(judged, tmp_path):
    log = tmp_path / "log.jsonl"
    export(judged, log, "log")
    lines = log.read_text().split("\n")
    k = next(k for k, line in enumerate(lines) if line.startswith('{"kind":"judgment"'))
    record = json.loads(lines[k])
    record["scores"][0]["value"] = 0.987
    log.write_text("\n".join([*lines[:k], json.dumps(record), *lines[k + 1 :]]))
    with pytest.raises(
        InputError, match=f"line {k + 1}: slot 1 has the value 0.987, but the original answer"
    ):
        from_log(tmp_path / "new.db", log)
    assert not (tmp_path / "new.db").exists()
