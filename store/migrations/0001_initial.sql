-- Columns declared BLOB hold bytes that need not be UTF-8 (paths, messages, tool output); JSON documents
-- are canonical (core/json.h). Times are unix seconds, object ids 40 hex digits or ''.

-- Facts of one upstream commit. `facts`: the encoding of store/facts_codec.cpp; the other columns repeat
-- what is asked without reading it.
CREATE TABLE commits (
  oid TEXT PRIMARY KEY NOT NULL,
  position INTEGER NOT NULL,
  committer_time INTEGER NOT NULL,
  facts BLOB NOT NULL
) STRICT;
CREATE INDEX commits_by_position ON commits (position, oid, committer_time);

-- The present disposition of every upstream commit that has one; its past is in `events`.
CREATE TABLE ledger (
  upstream TEXT PRIMARY KEY NOT NULL,
  position INTEGER NOT NULL,
  disposition TEXT NOT NULL,
  evidence BLOB NOT NULL,
  reason BLOB NOT NULL,
  unit TEXT NOT NULL,
  task BLOB NOT NULL,
  by_commit TEXT NOT NULL,
  downstream TEXT NOT NULL,
  who BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_by_position ON ledger (position);

CREATE TABLE units (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  reason BLOB NOT NULL,
  rule TEXT NOT NULL,
  base TEXT NOT NULL,
  landed TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  validations INTEGER NOT NULL
) STRICT;
CREATE TABLE unit_commits (
  unit TEXT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  oid TEXT NOT NULL,
  PRIMARY KEY (unit, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  tree TEXT NOT NULL,
  suite TEXT NOT NULL,
  environment TEXT NOT NULL,
  record BLOB NOT NULL
) STRICT;
CREATE INDEX evidence_by_key ON evidence (tree, suite, environment, n);

CREATE TABLE verdicts (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL,
  unit TEXT NOT NULL,
  record BLOB NOT NULL
) STRICT;
CREATE INDEX verdicts_by_digest ON verdicts (digest, n);
CREATE INDEX verdicts_by_unit ON verdicts (unit, n);

CREATE TABLE proposals (
  unit TEXT PRIMARY KEY NOT NULL,
  record BLOB NOT NULL
) STRICT;

-- Journal: the intent is written before the push, closed after it.
CREATE TABLE landings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  unit TEXT NOT NULL,
  ref BLOB NOT NULL,
  base TEXT NOT NULL,
  commit_oid TEXT NOT NULL,
  tree TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('intent', 'landed', 'abandoned')),
  verdict_digest TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX landings_open ON landings (id) WHERE state = 'intent';

CREATE TABLE remembered (
  key TEXT PRIMARY KEY NOT NULL,
  answer BLOB NOT NULL,
  rule TEXT NOT NULL,
  unit TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command TEXT NOT NULL,
  started INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('', 'complete', 'needs_person', 'outside_failure', 'stopped')),
  detail BLOB NOT NULL
) STRICT;
CREATE INDEX runs_by_command ON runs (command, id);

CREATE TABLE fetches (
  remote TEXT PRIMARY KEY NOT NULL,
  tip TEXT NOT NULL,
  at INTEGER NOT NULL,
  tried_at INTEGER NOT NULL,
  error BLOB NOT NULL
) STRICT;

-- `values` is a word of SQL.
CREATE TABLE key_values (
  key TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL
) STRICT;

-- Cache: `pick` in the encoding of store/pick_codec.cpp.
CREATE TABLE picks (
  recipe TEXT NOT NULL,
  upstream TEXT NOT NULL,
  onto TEXT NOT NULL,
  pick BLOB NOT NULL,
  PRIMARY KEY (upstream, onto, recipe)
) STRICT, WITHOUT ROWID;

CREATE TABLE plans (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  inputs_sha256 TEXT NOT NULL UNIQUE,
  json BLOB NOT NULL
) STRICT;

-- Append-only. hash = sha256 over the hash of the row before and this row's content (store/events.cpp).
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  subject BLOB NOT NULL,
  body BLOB NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
-- Where the chain ends, so that rows cut off at the end are missed.
CREATE TABLE event_head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO event_head (one, seq, hash) VALUES (1, 0, '');
