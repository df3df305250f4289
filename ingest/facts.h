// SPDX-License-Identifier: Apache-2.0
// The facts of one upstream commit, put together from its header, its changes and its message.
#pragma once

#include <cstdint>

#include "core/model/config.h"
#include "core/model/upstream_commit.h"
#include "git/git.h"
#include "ingest/message.h"
#include "ingest/place.h"

namespace sluice::ingest {

// Everything but evil_merge. Revert links are resolved against commits before `position`.
model::UpstreamCommit make_facts(git::Commit&& header, git::StreamedCommit&& changes, std::int64_t position,
                                 const model::PolicyConfig& policy, const MessageRules& rules,
                                 const Placer& placer);

}  // namespace sluice::ingest
