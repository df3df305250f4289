// SPDX-License-Identifier: Apache-2.0
// What the policy and the built-in lists say about one path.
#pragma once

#include <string>
#include <string_view>

#include "core/model/config.h"
#include "core/model/verdict.h"

namespace sluice::guardrails {

// The properties of a path: each from the first [[path]] entry that matches and sets it.
struct PathRule {
  model::PathClass klass = model::PathClass::none;
  model::UpstreamSay upstream = model::UpstreamSay::list;
  bool upstream_set = false;
};
PathRule path_rule(const model::PolicyConfig& policy, std::string_view path);

bool is_protected(const model::PolicyConfig& policy, std::string_view path);     // G12
bool is_pin(const model::PolicyConfig& policy, std::string_view path);           // G15, without gitlinks
bool is_test_path(const model::PolicyConfig& policy, std::string_view path);     // groups D and E
bool in_fork_surface(const model::PolicyConfig& policy, std::string_view path);  // G23

// What upstream itself does is listed and passes, unless the policy raises it for the path.
model::Judgement upstream_judgement(const model::PolicyConfig& policy, std::string_view path);

}  // namespace sluice::guardrails
