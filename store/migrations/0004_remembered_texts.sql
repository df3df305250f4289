-- What a remembered answer was the answer to: a conflict of the same file that is only alike is shown to people and models.
ALTER TABLE remembered ADD COLUMN path BLOB NOT NULL DEFAULT x'';
ALTER TABLE remembered ADD COLUMN base BLOB NOT NULL DEFAULT x'';
ALTER TABLE remembered ADD COLUMN ours BLOB NOT NULL DEFAULT x'';
ALTER TABLE remembered ADD COLUMN theirs BLOB NOT NULL DEFAULT x'';
CREATE INDEX remembered_path ON remembered (path, at);
