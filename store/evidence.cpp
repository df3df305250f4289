// SPDX-License-Identifier: Apache-2.0
// Queries: evidence, verdicts and proposals, as JSON documents.
#include <fmt/format.h>

#include "store/state.h"

namespace sluice::store {
namespace {

// Documents of our own, but a log may be large: no cap below what SQLite itself takes.
constexpr core::Json::Limits own_documents{.max_bytes = 1u << 30, .max_depth = 64};

Result<std::optional<core::Json>> read_document(Statement q, std::string_view what) {
  TRY_ASSIGN(const bool row, q.step());
  if (!row) return std::optional<core::Json>();
  Result<core::Json> json = core::Json::parse(q.text(0), own_documents);
  if (!json.ok())
    return make_error(ErrorKind::internal,
                      fmt::format("stored {} is damaged: {}", what, json.error().message));
  return std::optional(std::move(json).value());
}

constexpr std::string_view select_evidence =
    "SELECT record FROM evidence WHERE tree = ?1 AND suite = ?2 AND environment = ?3 ORDER BY n DESC LIMIT 1";
constexpr std::string_view select_last_verdict =
    "SELECT record, digest FROM verdicts WHERE unit = ?1 ORDER BY n DESC LIMIT 1";

}  // namespace

Result<void> Store::put_evidence(const std::string& key_environment, const model::Evidence& evidence) {
  const std::string record = model::to_json(evidence).dump();
  return state_->write([&]() -> Result<void> {
    {
      TRY_ASSIGN(Statement q,
                 state_->db.query(select_evidence, evidence.tree, evidence.suite, key_environment));
      TRY_ASSIGN(const bool row, q.step());
      if (row && q.text(0) == record) return {};
    }
    return state_->db.run("INSERT INTO evidence (tree, suite, environment, record) VALUES (?1, ?2, ?3, ?4)",
                          evidence.tree, evidence.suite, key_environment, Bytes{record});
  });
}

Result<std::optional<model::Evidence>> Store::evidence(const Oid& tree, const std::string& suite,
                                                       const std::string& environment) {
  TRY_ASSIGN(Statement q, state_->db.query(select_evidence, tree, suite, environment));
  TRY_ASSIGN(const std::optional<core::Json> json, read_document(std::move(q), "evidence"));
  if (!json) return std::optional<model::Evidence>();
  TRY_ASSIGN(model::Evidence evidence, model::parse_evidence(*json));
  return std::optional(std::move(evidence));
}

Result<std::vector<model::Evidence>> Store::all_evidence(const Oid& tree, const std::string& suite, const std::string& environment) {
  TRY_ASSIGN(Statement q, state_->db.query("SELECT record FROM evidence WHERE tree = ?1 AND suite = ?2 AND environment = ?3 ORDER BY n", tree, suite, environment));
  std::vector<model::Evidence> out;
  for (;;) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    const Result<core::Json> json = core::Json::parse(q.text(0), own_documents);
    if (!json.ok()) return make_error(ErrorKind::internal, fmt::format("stored evidence is damaged: {}", json.error().message));
    TRY_ASSIGN(model::Evidence evidence, model::parse_evidence(*json));
    out.push_back(std::move(evidence));
  }
}

Result<void> Store::put_verdict(const std::string& unit, const std::string& digest,
                                const core::Json& record) {
  const std::string text = record.dump();
  return state_->write([&]() -> Result<void> {
    {
      TRY_ASSIGN(Statement q, state_->db.query(select_last_verdict, unit));
      TRY_ASSIGN(const bool row, q.step());
      if (row && q.text(0) == text && q.text(1) == digest) return {};
    }
    return state_->db.run("INSERT INTO verdicts (digest, unit, record) VALUES (?1, ?2, ?3)", digest, unit,
                          Bytes{text});
  });
}

Result<std::optional<core::Json>> Store::verdict(const std::string& digest) {
  TRY_ASSIGN(
      Statement q,
      state_->db.query("SELECT record FROM verdicts WHERE digest = ?1 ORDER BY n DESC LIMIT 1", digest));
  return read_document(std::move(q), "verdict");
}

Result<std::optional<core::Json>> Store::last_verdict(const std::string& unit) {
  TRY_ASSIGN(Statement q, state_->db.query(select_last_verdict, unit));
  return read_document(std::move(q), "verdict");
}

Result<void> Store::put_proposal(const std::string& unit, const core::Json& record) {
  const std::string text = record.dump();
  return state_->write([&] {
    return state_->db.run(
        "INSERT INTO proposals (unit, record) VALUES (?1, ?2) "
        "ON CONFLICT (unit) DO UPDATE SET record = ?2 WHERE record IS NOT ?2",
        unit, Bytes{text});
  });
}

Result<std::optional<core::Json>> Store::proposal(const std::string& unit) {
  TRY_ASSIGN(Statement q, state_->db.query("SELECT record FROM proposals WHERE unit = ?1", unit));
  return read_document(std::move(q), "proposal");
}

}  // namespace sluice::store
