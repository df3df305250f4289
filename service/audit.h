// SPDX-License-Identifier: Apache-2.0
// `audit verify`: is what the store says still what happened? Recomputes every hash and reads every landing back from
// git; believes no row. Changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/model/verdict.h"
#include "service/app.h"

namespace sluice::service {

struct AuditFinding {
  bool wrong = true;   // false: it could not be checked
  std::string check;   // events | store | landing | verdict | evidence | ledger | refs | log | journal | transcript
  std::string where;   // which row, commit, ref
  std::string what;    // what is wrong with it
  std::string action;  // what to do
};

struct Audit {
  std::int64_t events = 0, landings = 0, commits = 0, verdicts = 0, evidence = 0, rows = 0, refs = 0, log_lines = 0, transcripts = 0;  // checked
  std::vector<AuditFinding> findings;
  // block: something is wrong. unresolved: nothing is, and not all could be checked.
  model::Judgement judgement() const;
};

// Errors: the store cannot be read at all.
Result<Audit> audit_verify(App& app);

core::Json audit_json(const Audit& audit);  // sluice.audit/1
std::string audit_text(const Audit& audit);

}  // namespace sluice::service
