-- Back-outs have an owner and a day on which somebody looks again; deferrals may have one, too.
ALTER TABLE ledger ADD COLUMN owner BLOB NOT NULL DEFAULT x'';
ALTER TABLE ledger ADD COLUMN review_at INTEGER NOT NULL DEFAULT 0;

-- A parked unit in the hands of a person. `base` is the trunk commit and `head` the commit that the person was
-- given; `work_tree` is '' when only the branch in the store was wanted.
CREATE TABLE takes (
  unit TEXT PRIMARY KEY NOT NULL,
  owner BLOB NOT NULL,
  base TEXT NOT NULL,
  head TEXT NOT NULL,
  branch BLOB NOT NULL,
  work_tree BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;

-- What somebody should look at. One row a key: raised again it is the same alert. closed_at 0 = open.
CREATE TABLE alerts (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  text BLOB NOT NULL,
  command BLOB NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER NOT NULL
) STRICT;
