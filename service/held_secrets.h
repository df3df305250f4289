// SPDX-License-Identifier: Apache-2.0
// The secrets that this process holds: what no diff, message, record or log may contain (G61).
#pragma once

#include <string>
#include <vector>

#include "core/model/config.h"

namespace sluice::service {

// Credentials inside the addresses of the two remotes, the keys of model endpoints, and the values of environment variables whose name says that
// they are secret (FORGE_TOKEN, OPENAI_API_KEY, DB_PASSWORD). Short values and plain words are left out: they would hit
// ordinary text. Each is also registered with the log. Never store or print what this returns.
std::vector<std::string> held_secrets(const model::Config& config);

}  // namespace sluice::service
