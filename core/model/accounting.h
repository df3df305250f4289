// SPDX-License-Identifier: Apache-2.0
// The accounting record: data that explains, item by item, what a resolution did. Trusted code checks
// every entry (GUARDRAILS 3.2); a false entry is worse than none.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "core/result.h"

namespace sluice::model {

struct AccountEntry {
  // upstream_added | upstream_removed | downstream_lost | adapt | side_choice | proven
  std::string kind;
  std::string path;
  std::string norm_sha256;  // sha256 of the line with all whitespace removed; empty for proven / side_choice
  int count = 0;            // multiplicity accounted for; 0 for proven / side_choice
  // ALREADY_PRESENT MOVED_TO RENAMED SUPERSEDED_BY_FORK UPSTREAM_DELETED NOT_APPLICABLE DEFERRED
  // FORMAT_EQUAL DROPPED_BY_POLICY SIDE, or a code of `adapt`
  std::string code;
  std::string arg;      // RENAMED: "old new"; MOVED_TO: path; FORMAT_EQUAL, SIDE: region id; ...
  std::string because;  // at most 600 characters, shown to the reviewer, never evaluated
};

core::Json to_json(const AccountEntry&);
core::Json to_json(const std::vector<AccountEntry>&);
// Errors: invalid, naming the index, the field and the allowed values.
Result<std::vector<AccountEntry>> parse_account(const core::Json&);

}  // namespace sluice::model
