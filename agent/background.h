// SPDX-License-Identifier: Apache-2.0
// What a model is told beyond the conflict: who wrote the fork's lines, similar conflicts that landed, invariants.
#pragma once

#include <vector>

#include "agent/loop/loop.h"
#include "git/git.h"
#include "store/store.h"
#include "tools/tools.h"

namespace sluice::agent {

// Fork commits that wrote the lines of ours in the places, with what of upstream's line they are not: at most 12, by
// how many lines they wrote. Empty where D's history is not known.
Result<std::vector<RelatedCommit>> writers_of(const tools::World& world, const tools::Buffer& buffer);

// Conflicts of the same files that landed, at most two a region, most alike first.
Result<std::vector<CandidateAnswer>> similar_of(store::Store& store, const tools::Buffer& buffer);

// Those whose path matches a place's.
std::vector<model::InvariantConfig> invariants_of(const std::vector<model::InvariantConfig>& all, const tools::Buffer& buffer);

}  // namespace sluice::agent
