// SPDX-License-Identifier: Apache-2.0
#include "store/audit.h"

#include <utility>

#include "store/database.h"

namespace sluice::store {

struct AuditReader::State {
  Database db;
};

AuditReader::AuditReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
AuditReader::AuditReader(AuditReader&&) noexcept = default;
AuditReader::~AuditReader() = default;

Result<AuditReader> AuditReader::open(const std::string& dir) {
  TRY_ASSIGN(Database db, Database::open(dir + "/sluice.db"));
  return AuditReader(std::make_unique<State>(State{std::move(db)}));
}

namespace {

Result<std::vector<RawRecord>> read(Database& db, std::string_view select, const std::string& of) {
  std::vector<RawRecord> out;
  TRY_ASSIGN(Statement q, db.query(select, of));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    out.push_back({q.text(0), q.text(1)});
  }
}

}  // namespace

Result<std::vector<RawRecord>> AuditReader::evidence_of(const model::Oid& tree) {
  return read(state_->db, "SELECT suite, record FROM evidence WHERE tree = ?1 ORDER BY n", tree);
}

Result<std::vector<RawRecord>> AuditReader::verdicts_of(const std::string& digest) {
  return read(state_->db, "SELECT digest, record FROM verdicts WHERE digest = ?1 ORDER BY n", digest);
}

}  // namespace sluice::store
