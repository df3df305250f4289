// SPDX-License-Identifier: Apache-2.0
#include "git/policy.h"

#include <algorithm>

#include "core/glob.h"

namespace sluice::git {

namespace {

// A property left at its default is not set by the entry, so a later entry may still decide it.
template <class IsSet, class IsWanted>
std::optional<std::string> decide(const std::vector<model::PathConfig>& paths, std::string_view path, IsSet is_set,
                                  IsWanted is_wanted) {
  for (const auto& entry : paths) {
    if (!is_set(entry) || !core::glob_match(entry.glob, path)) continue;
    if (is_wanted(entry)) return entry.glob;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> PathPolicy::drops_missing(std::string_view path) const {
  const auto drop = [](const auto& e) { return e.missing == model::MissingSay::drop; };
  return decide(paths_, path, drop, drop);
}

std::optional<std::string> PathPolicy::keeps_deleted(std::string_view path) const {
  return decide(paths_, path, [](const auto& e) { return e.klass != model::PathClass::none; },
                [](const auto& e) { return e.klass == model::PathClass::deleted; });
}

std::optional<std::string> PathPolicy::keeps_ours(std::string_view path) const {
  return decide(paths_, path, [](const auto& e) { return e.upstream != model::UpstreamSay::list; },
                [](const auto& e) { return e.upstream == model::UpstreamSay::ours; });
}

bool PathPolicy::any_missing() const {
  return std::any_of(paths_.begin(), paths_.end(), [](const auto& e) { return e.missing == model::MissingSay::drop; });
}

bool PathPolicy::any_kept() const {
  return std::any_of(paths_.begin(), paths_.end(), [](const auto& e) {
    return e.klass == model::PathClass::deleted || e.upstream == model::UpstreamSay::ours;
  });
}

}  // namespace sluice::git
