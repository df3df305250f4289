// SPDX-License-Identifier: Apache-2.0
// The sentences of a plan: why a commit goes where it goes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/disposition.h"
#include "core/model/pick.h"
#include "core/model/upstream_commit.h"

namespace sluice::ingest {

// `1234567890 "subject"`.
std::string name_of(const model::UpstreamCommit& commit);
std::string conflict_words(const model::Conflict& conflict);
// "a, b, c and 4 more".
std::string list_words(const std::vector<std::string>& items, std::size_t most = 8);
std::string dropped_words(const std::vector<model::DroppedPath>& dropped);

}  // namespace sluice::ingest
