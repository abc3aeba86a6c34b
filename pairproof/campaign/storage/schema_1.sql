-- One campaign of scalar annotation. PRAGMA user_version is the version of this schema, application_id says whose it is.
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
-- What is known of an item: (a0, b0, n0) where it started, (a, b, n) after all judgments; NULL is "no value yet".
CREATE TABLE item (
    position INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    fields   TEXT NOT NULL,          -- JSON list: the other columns of the items file
    a0 REAL, b0 REAL, n0 INTEGER NOT NULL,
    a  REAL, b  REAL, n  INTEGER NOT NULL
);
CREATE TABLE batch (number INTEGER PRIMARY KEY, opened TEXT NOT NULL, hits INTEGER NOT NULL);
CREATE TABLE hit (
    batch  INTEGER NOT NULL REFERENCES batch (number),
    number INTEGER NOT NULL,
    items  TEXT NOT NULL,            -- JSON list of positions, in the order of presentation
    PRIMARY KEY (batch, number)
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
    row        INTEGER NOT NULL
);
CREATE INDEX judgment_of_hit ON judgment (batch, hit);
CREATE TABLE score (
    judgment INTEGER NOT NULL REFERENCES judgment (number),
    slot     INTEGER NOT NULL,
    item     INTEGER NOT NULL REFERENCES item (position),
    value    REAL,                   -- 0 to 1; NULL: the annotator could not judge
    raw      TEXT NOT NULL,          -- as it came
    PRIMARY KEY (judgment, slot)
) WITHOUT ROWID;
CREATE INDEX score_of_item ON score (item);
