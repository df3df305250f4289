// SPDX-License-Identifier: Apache-2.0
// Upstream's history was rewritten: which new commit is which old one, for a person to look at and to apply.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "service/app.h"

namespace sluice::service {

struct Rewrite {
  Oid before, after;       // `after` empty: no new commit matches
  std::string how;         // tree (equal trees, author and subject) | patch (equal changes)
  std::string subject;     // of `before`
  std::string disposition; // of `before`
};

struct Rewritten {
  Oid old_tip, new_tip;
  std::int64_t kept = 0;            // commits that both lines have
  std::vector<Rewrite> pairs;       // of the old ones that are gone, in their order
  std::vector<Oid> fresh;           // new ones that are none of the old ones
  bool applied = false;
};

// Fetches upstream and compares. With `apply` facts, ledger rows, units and positions move to the new ids in one
// transaction; rows of commits without a match stay under their old id, out of the line. Nothing of the fork is
// touched. Errors: conflict when nothing is rewritten.
Result<Rewritten> map_rewritten(App& app, bool apply, const std::string& who);

core::Json rewritten_json(const Rewritten& report);  // sluice.rewritten/1
std::string rewritten_text(const Rewritten& report);

}  // namespace sluice::service
