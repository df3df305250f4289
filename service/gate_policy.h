// SPDX-License-Identifier: Apache-2.0
// Whose policy `sluice gate` judges by. Never that of the tree it judges.
#pragma once

#include <string>

#include "git/read.h"
#include "service/gate.h"

namespace sluice::service {

struct GatePolicy {
  model::Config config;
  std::string source;  // for people
};
// Without --config and --policy the built-in defaults: a sluice.toml that lies around is not looked for.
// `fork`: null where nothing is judged; then the repository is opened only for a policy that stands in it.
// Errors: invalid (both given, the text, a file that the judged commit carries), not_found, transient.
Result<GatePolicy> gate_policy(const GateOptions& options, const git::Reader* fork);

}  // namespace sluice::service
