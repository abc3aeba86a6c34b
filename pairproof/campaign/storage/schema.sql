-- One campaign of scalar annotation. PRAGMA user_version is the version of this schema, application_id says whose it is.
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
-- What is known of an item: (a0, b0, n0) where it started, (a, b, n) after all judgments; NULL is "no value yet".
CREATE TABLE item (
    position INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    fields   TEXT NOT NULL,          -- JSON list: the other columns of the items file
    a0 REAL, b0 REAL, n0 INTEGER NOT NULL,
    a  REAL, b  REAL, n  INTEGER NOT NULL,
    role   TEXT NOT NULL DEFAULT 'item',  -- item, degraded, gold, calibration, attention, qualification; only item has a score
    of     INTEGER,                  -- position of the item that this one degrades
    source TEXT NOT NULL DEFAULT '',
    system TEXT NOT NULL DEFAULT '',
    gold   REAL                      -- known score, 0 to 1
);
-- The items' state and roles as arrays (storage/packed.py), beside the rows, which are what holds.
CREATE TABLE packed (name TEXT PRIMARY KEY, content BLOB NOT NULL);
CREATE TRIGGER state_changed AFTER UPDATE OF a, b, n ON item WHEN EXISTS (SELECT 1 FROM packed WHERE name = 'state')
BEGIN DELETE FROM packed WHERE name = 'state'; END;
CREATE TABLE batch (number INTEGER PRIMARY KEY, opened TEXT NOT NULL, hits INTEGER NOT NULL);
CREATE TABLE hit (
    batch  INTEGER NOT NULL REFERENCES batch (number),
    number INTEGER NOT NULL,
    items  TEXT NOT NULL,            -- JSON list of positions, in the order of presentation
    kind   TEXT NOT NULL DEFAULT 'work',  -- work, qualification, calibration
    plan   TEXT,                     -- JSON list: the kind of each slot; NULL: each slot's is the role of its item
    PRIMARY KEY (batch, number)
) WITHOUT ROWID;
CREATE TABLE annotator (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE,
    token  TEXT UNIQUE,              -- stands in file names and links in place of the name
    state  TEXT NOT NULL,            -- invited, qualified, active, excluded
    since  TEXT NOT NULL,
    why    TEXT NOT NULL DEFAULT ''
);
CREATE TABLE assignment (
    annotator INTEGER NOT NULL REFERENCES annotator (number),
    batch     INTEGER NOT NULL,
    hit       INTEGER NOT NULL,
    given     TEXT NOT NULL,
    due       TEXT,
    state     TEXT NOT NULL,         -- open, returned, expired, withdrawn
    place     INTEGER NOT NULL,      -- of this HIT among the annotator's HITs of the batch, from 1
    shown     TEXT NOT NULL,         -- JSON list of slots in the order in which they are shown, from 1
    PRIMARY KEY (annotator, batch, hit)
) WITHOUT ROWID;
CREATE TABLE received (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    taken  TEXT NOT NULL,
    rows   INTEGER NOT NULL,
    new    INTEGER NOT NULL
);
CREATE TABLE judgment (
    number     INTEGER PRIMARY KEY,
    identity   TEXT NOT NULL UNIQUE, -- what makes two rows of results the same judgment
    batch      INTEGER,              -- NULL: a HIT of an older tool
    hit        INTEGER,
    hit_id     TEXT NOT NULL,
    assignment TEXT NOT NULL,
    worker     TEXT NOT NULL,
    times      TEXT NOT NULL,        -- JSON object: AcceptTime, SubmitTime, WorkTimeInSeconds as they came
    received   INTEGER NOT NULL REFERENCES received (number),
    row        INTEGER NOT NULL,
    annotator  INTEGER REFERENCES annotator (number),  -- NULL: nobody is named
    submitted  REAL,                 -- SubmitTime as seconds since 1970 in UTC
    seconds    REAL,                 -- time spent
    counted    INTEGER NOT NULL DEFAULT 1,
    why        TEXT NOT NULL DEFAULT '',  -- why it does not count: repeat, excluded, practice
    repeat_of  INTEGER               -- the judgment that counts in place of this repeat
);
CREATE INDEX judgment_of_hit ON judgment (batch, hit);
CREATE TABLE score (
    judgment INTEGER NOT NULL REFERENCES judgment (number),
    slot     INTEGER NOT NULL,
    item     INTEGER NOT NULL REFERENCES item (position),
    value    REAL,                   -- 0 to 1; NULL: the annotator could not judge
    raw      TEXT NOT NULL,          -- as it came
    kind     TEXT NOT NULL DEFAULT 'item',  -- what the slot is for: item, repeat, degraded, gold, calibration, attention, qualification
    PRIMARY KEY (judgment, slot)
) WITHOUT ROWID;
CREATE INDEX score_of_item ON score (item);
-- What annotators read on the page beside the items: question, anchors, instructions, examples.
CREATE TABLE text (name TEXT NOT NULL, lang TEXT NOT NULL, dir TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (name, lang)) WITHOUT ROWID;
-- Rules that were fixed (on repeats, exclusion, stopping), each with when; a change is a new row.
CREATE TABLE rule (number INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL, fixed TEXT NOT NULL, after_judgments INTEGER NOT NULL);
-- Every look at a stopping rule.
CREATE TABLE look (number INTEGER PRIMARY KEY, at TEXT NOT NULL, judgments INTEGER NOT NULL, rule TEXT NOT NULL, answer TEXT NOT NULL);
