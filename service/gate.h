// SPDX-License-Identifier: Apache-2.0
// `sluice gate`: one pick judged by the policy rules alone, from object stores and nothing else.
#pragma once

#include <string>
#include <vector>

#include "core/model/oid.h"
#include "core/model/verdict.h"
#include "core/result.h"

namespace sluice::service {

using model::Oid;

struct GateOptions {
  std::string upstream_repo, upstream;  // U: any name git resolves in that repository
  std::string fork_repo, onto, result;  // D and P: commits of the fork
  std::string config;                   // policy; empty = the built-in defaults
  std::string account_file;             // accounting entries, JSON; empty = none
  std::vector<std::string> drop_missing;  // globs: as [[path]] missing = "drop"
  std::vector<std::string> rules, paths;  // empty = all
};

// Missing objects make the verdict `unresolved`, with the reason in it. Errors: invalid (options,
// configuration), not_found (repository).
Result<model::Verdict> gate(const GateOptions& options);
std::string verdict_text(const model::Verdict& verdict);

}  // namespace sluice::service
