// SPDX-License-Identifier: Apache-2.0
// Inner header of the audit: what its parts share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/audit.h"
#include "store/audit.h"

namespace sluice::service {

inline constexpr std::size_t most_commits = 10'000;  // of one landing
inline constexpr const char* audit_restore = "restore the store from a copy, or look who changed it";

class Auditor {
 public:
  Auditor(App& app, store::AuditReader& records, Audit& audit) : app_(app), records_(records), audit_(audit) {}

  Result<void> store();
  Result<void> landings();
  Result<void> ledger();
  Result<void> log();
  Result<void> transcripts();

 private:
  void wrong(const char* check, std::string where, std::string what, std::string action);
  void unchecked(const char* check, std::string where, std::string what, std::string action);
  // Trunk as last fetched; empty = nothing to compare with.
  Result<Oid> trunk();
  Result<bool> on_trunk(const Oid& commit);
  Result<void> landing(const store::LandingRow& row);
  Result<void> landed_commits(const store::LandingRow& row);
  Result<void> verdict(const store::LandingRow& row);
  Result<void> judged_inputs(const store::LandingRow& row, const core::Json& record);
  Result<void> kept_members(const store::LandingRow& row);
  Result<void> evidence_of(const store::LandingRow& row, const core::Json& suite, const std::string& digest);
  Result<void> row(const model::LedgerRow& row);
  Result<bool> rewind_was_accepted(const store::LandingRow& row);

  App& app_;
  store::AuditReader& records_;
  Audit& audit_;
  std::optional<Oid> trunk_;
  std::optional<std::vector<model::LedgerRow>> rows_;
  // By the event log: where each landing was closed, and the trunks that were accepted after a rewind.
  struct Rewinds {
    std::map<std::int64_t, std::int64_t> landed;
    std::vector<std::pair<std::int64_t, Oid>> accepted;
  };
  std::optional<Rewinds> rewinds_;
};

// The value of the last line `KEY value` of a message; empty without one.
std::string message_line(std::string_view message, std::string_view key);

}  // namespace sluice::service
