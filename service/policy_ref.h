// SPDX-License-Identifier: Apache-2.0
// A policy that stands in a ref of the fork ([policy] ref, path): fetched with the remotes at the start of each run, and
// never read from a tree under judgement. Without it nothing is judged.
#pragma once

#include <string>

#include "core/model/config.h"
#include "git/read.h"
#include "service/app.h"

namespace sluice::service {

// The policy at `path` of `commit`, with the registers it names, becomes config.policy; `name` as errors show it.
// Errors: transient (the file is not there: an outside failure), invalid (its text, naming name:line).
Result<void> read_policy_at(const git::Reader& reader, const Oid& commit, const std::string& path, const std::string& name,
                            bool without_operator, model::Config& config);

// No-op where the policy is the operator's file. Errors: transient (no such branch, no such file), invalid, those of
// fetching; then app.config.policy is missing (config::policy_missing).
Result<void> fetch_policy(App& app);
// What was fetched last, if anything: for commands that only look.
void remember_policy(App& app);

// [rules.Gnn] of a rule or number that does not exist; the error names file and line.
Result<void> check_rules_of(const model::PolicyConfig& policy, const std::string& file);

// For people: the operator's file, or ref, path and blob.
std::string policy_source(const model::Config& config);

}  // namespace sluice::service
