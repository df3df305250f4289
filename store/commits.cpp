// SPDX-License-Identifier: Apache-2.0
// Queries: facts of upstream commits.
#include "store/codec.h"
#include "store/state.h"

namespace sluice::store {
namespace {

Result<void> put_one(Database& db, const model::UpstreamCommit& c) {
  return db.run(
      "INSERT INTO commits (oid, position, committer_time, facts) VALUES (?1, ?2, ?3, ?4) "
      "ON CONFLICT (oid) DO UPDATE SET position = ?2, committer_time = ?3, facts = ?4 WHERE facts IS NOT ?4",
      c.oid, c.position, c.committer.time, Bytes{encode_facts(c)});
}

}  // namespace

Result<void> Store::put_facts(const model::UpstreamCommit& commit) {
  return state_->write([&] { return put_one(state_->db, commit); });
}

Result<void> Store::put_facts_many(const std::vector<model::UpstreamCommit>& commits) {
  return state_->write([&]() -> Result<void> {
    for (const model::UpstreamCommit& c : commits) TRY(put_one(state_->db, c));
    return {};
  });
}

Result<std::optional<model::UpstreamCommit>> Store::facts(const Oid& oid) {
  TRY_ASSIGN(Statement q, state_->db.query("SELECT facts FROM commits WHERE oid = ?1", oid));
  TRY_ASSIGN(const bool row, q.step());
  if (!row) return std::optional<model::UpstreamCommit>();
  TRY_ASSIGN(model::UpstreamCommit commit, decode_facts(oid, q.text(0)));
  return std::optional(std::move(commit));
}

Result<std::vector<model::UpstreamCommit>> Store::facts_many() {
  std::vector<model::UpstreamCommit> out;
  TRY_ASSIGN(Statement q, state_->db.query("SELECT oid, facts FROM commits ORDER BY position, oid"));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    TRY_ASSIGN(model::UpstreamCommit commit, decode_facts(q.text(0), q.text(1)));
    out.push_back(std::move(commit));
  }
}

Result<std::vector<Oid>> Store::fact_oids() {
  std::vector<Oid> out;
  TRY_ASSIGN(Statement q, state_->db.query("SELECT oid FROM commits ORDER BY position, oid"));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    out.push_back(q.text(0));
  }
}

Result<std::map<Oid, std::int64_t>> Store::committer_times() {
  std::map<Oid, std::int64_t> out;
  TRY_ASSIGN(Statement q, state_->db.query("SELECT oid, committer_time FROM commits"));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    out.emplace(q.text(0), q.integer(1));
  }
}

Result<void> Store::clear_facts() {
  return state_->write([&]() -> Result<void> {
    TRY_ASSIGN(const std::int64_t rows, state_->db.integer("SELECT count(*) FROM commits"));
    if (rows == 0) return {};
    TRY(state_->db.run("DELETE FROM commits"));
    return state_->append_event("facts.cleared", "", core::Json::object({{"commits", rows}}), std::nullopt);
  });
}

}  // namespace sluice::store
