// SPDX-License-Identifier: Apache-2.0
// `sluice submit`: a person's answer is read, judged like any proposal, and landed.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "service/handover.h"
#include "service/submission_account.h"

namespace sluice::service {

struct SubmitOptions {
  std::string unit;          // "" = the only one taken
  std::string who;
  std::string from;          // revision; "" = HEAD of the work tree, or the branch
  std::string account_file;  // accounting entries, JSON
  bool account_template = false;  // say which entries are missing, and nothing else
  AskPerson ask;             // empty: nobody can be asked
};

struct SubmitReport {
  model::Unit unit;          // as it is now
  std::string who;
  // landed | cleared (autonomy observe) | refused | next_conflict | undecided | template
  std::string outcome;
  std::string why;           // a sentence, for all but landed
  core::Json verdict;        // sluice.verdict/1 of a refusal; null when none was made
  core::Json missing;        // entries that would answer EXPLAIN items, to fill in
  GivenBranch next;          // next_conflict: what now stands on the answer
  std::vector<std::string> commands;  // next_conflict: how to go on
  // 0 landed or cleared, 1 refused, 4 escalate, 3 undecided.
  int exit_code() const;
};

// Errors: not_found, conflict, invalid with what to do (nothing is lost, the unit stays taken), and those of
// the fork and the store. A red judgement is a report, not an error.
Result<SubmitReport> submit(App& app, const SubmitOptions& options);
core::Json submit_json(const SubmitReport& report);  // sluice.submit/1
std::string submit_text(App& app, const SubmitReport& report);

}  // namespace sluice::service
