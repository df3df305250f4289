// SPDX-License-Identifier: Apache-2.0
// `sluice doctor`: what this machine and this configuration can do, and what to fix.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "core/result.h"

namespace sluice::service {

struct Finding {
  enum class Level { ok, warning, problem } level = Level::ok;
  std::string subject;  // "git", "sandbox", "suite lit", ...
  std::string detail;   // what was found
  std::string fix;      // what to do; empty when ok
};

// `config_path` may name a file that does not exist: then only the machine is checked.
std::vector<Finding> doctor(const std::string& config_path);
bool healthy(const std::vector<Finding>& findings);  // no problem among them
core::Json doctor_json(const std::vector<Finding>& findings);  // sluice.doctor/1
std::string doctor_text(const std::vector<Finding>& findings);

}  // namespace sluice::service
