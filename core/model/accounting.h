// SPDX-License-Identifier: Apache-2.0
// The accounting record: data that explains, item by item, what a resolution did. Trusted code checks
// every entry (GUARDRAILS 3.2); a false entry is worse than none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/model/oid.h"
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
  std::string arg;      // RENAMED: "old new"; MOVED_TO: path; FORMAT_EQUAL: region id; SIDE: "REGION OURS" or "REGION THEIRS"; ...
  std::string because;  // at most 600 characters, shown to the reviewer, never evaluated
  Oid upstream = {};    // of a bundle or a branch: the member that the entry is for; empty = whichever it fits
};

// The entry SIDE for the answer of a region; nullopt when it takes no side, or the other side has no change of its own.
struct RegionTexts {
  std::string_view id, base, ours, theirs;
};
std::optional<AccountEntry> side_entry(const std::string& path, const RegionTexts& region, std::string_view answer, std::string because);

core::Json to_json(const AccountEntry&);
core::Json to_json(const std::vector<AccountEntry>&);
// Errors: invalid, naming the index, the field and the allowed values.
Result<std::vector<AccountEntry>> parse_account(const core::Json&);
Result<AccountEntry> parse_account_entry(const core::Json&, std::size_t index);  // `index`: for the message

inline constexpr std::size_t account_cap = 4u << 20;      // bytes of a record as text
inline constexpr std::size_t account_entries_cap = 100'000;
// The same from text: what `--account FILE` holds. Errors: invalid, beginning with `name:line: `; `first_line` is
// the number of the first line of `text`.
Result<std::vector<AccountEntry>> parse_account_text(std::string_view text, const std::string& name, int first_line = 1);

// The record that a commit message or the body of a request carries: the fenced blocks with the info string
// `sluice-account`, each such a list. None: empty. Errors: invalid, as above, and a block that is not closed.
Result<std::vector<AccountEntry>> account_in_text(std::string_view text, const std::string& name);

}  // namespace sluice::model
