// SPDX-License-Identifier: Apache-2.0
// What a path is: by the [[path]] entries first, then by names that every project uses alike.
#pragma once

#include <string_view>

#include "core/model/config.h"
#include "core/model/upstream_commit.h"

namespace sluice::ingest {

// Class of the first entry that matches and sets one.
model::PathClass class_of(const model::PolicyConfig& policy, std::string_view path);
// `upstream` of the first entry that matches and sets it (anything but the default `list`).
model::UpstreamSay upstream_say(const model::PolicyConfig& policy, std::string_view path);

bool is_ci_path(std::string_view path);
bool is_docs_path(std::string_view path);
bool is_test_path(const model::PolicyConfig& policy, std::string_view path);
bool moves_pin(const model::PolicyConfig& policy,
               const model::FileChange& change);  // pin path, or a submodule link

// One word for a whole commit: pin when any file moves a pin; ci, docs, test when all files are; else code.
model::CommitKind kind_of(const model::PolicyConfig& policy, const model::UpstreamCommit& commit);

}  // namespace sluice::ingest
