// SPDX-License-Identifier: Apache-2.0
// What [[path]] says of one path: the first entry whose glob matches decides each property it sets.
// Inner header of git/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/config.h"

namespace sluice::git {

class PathPolicy {
 public:
  explicit PathPolicy(std::vector<model::PathConfig> paths) : paths_(std::move(paths)) {}
  // Each answers with the glob that decided, or nothing.
  std::optional<std::string> drops_missing(std::string_view path) const;
  std::optional<std::string> keeps_deleted(std::string_view path) const;  // class = "deleted"
  std::optional<std::string> keeps_ours(std::string_view path) const;     // upstream = "ours"
  bool any_missing() const;
  bool any_kept() const;  // some class = "deleted" or upstream = "ours"

 private:
  std::vector<model::PathConfig> paths_;
};

}  // namespace sluice::git
