// SPDX-License-Identifier: Apache-2.0
// The change that a member brings, by the roles of its merge: B and U, read from the store.
#pragma once

#include <set>
#include <string>

#include "core/model/proposal.h"
#include "core/result.h"
#include "git/read.h"

namespace sluice::guardrails {

struct MemberChange {
  model::Oid upstream;       // U
  model::Oid before_commit;  // B; empty for a root commit
  model::Oid before, after;  // trees of B and U; before is the empty tree for a root commit
};
// Of a revert the roles of the reverse merge: it begins at the landed commit and ends at the state before it.
Result<MemberChange> change_of(const git::Reader& reader, const model::ProposalMember& member);

// Paths in which two trees differ.
Result<std::set<std::string>> touched_paths(const git::Reader& reader, const model::Oid& before, const model::Oid& after);

}  // namespace sluice::guardrails
