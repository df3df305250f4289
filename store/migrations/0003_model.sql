-- One row a call of a model, reserved before the call is made and settled with what the service reported. A row that
-- is never settled (a killed process, an answer that never came) keeps its reservation. Money in millionths.
CREATE TABLE spend (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  money INTEGER NOT NULL CHECK (money >= 0),
  settled INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1))
) STRICT;
-- Whom a call is charged to: its run, unit, night and fork.
CREATE TABLE spend_scopes (
  spend INTEGER NOT NULL REFERENCES spend (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  key BLOB NOT NULL,
  PRIMARY KEY (spend, kind, key)
) STRICT, WITHOUT ROWID;
-- Sums of the calls of each scope, changed in the transaction that changes the call: a cap is asked before every call.
CREATE TABLE spend_totals (
  kind TEXT NOT NULL,
  key BLOB NOT NULL,
  tokens INTEGER NOT NULL,
  money INTEGER NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- Runs of a model. The transcript itself is a file; last_sha256 is the hash of its last line.
CREATE TABLE transcripts (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL UNIQUE,
  job TEXT NOT NULL,
  unit TEXT NOT NULL,
  upstream TEXT NOT NULL,
  endpoint BLOB NOT NULL,
  model BLOB NOT NULL,
  prompt_sha256 TEXT NOT NULL,
  outcome BLOB NOT NULL,
  last_sha256 TEXT NOT NULL,
  lines INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  money INTEGER NOT NULL
) STRICT;

-- Paths whose lines were ever sent, and where to.
CREATE TABLE sent_paths (
  endpoint BLOB NOT NULL,
  path BLOB NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (endpoint, path)
) STRICT, WITHOUT ROWID;
