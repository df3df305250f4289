// SPDX-License-Identifier: Apache-2.0
#include "git/conflicts.h"

#include <algorithm>

#include "core/text.h"
#include "git/git.h"

namespace sluice::git {

namespace {

constexpr std::string_view type_prefix = "CONFLICT (";

// `dir/f~LABEL` or, when that was taken, `dir/f~LABEL_0`.
std::string without_label(const std::string& path, const std::vector<std::string>& labels) {
  for (const auto& label : labels) {
    const auto at = path.rfind('~' + label);
    if (at == std::string::npos || at == 0 || path[at - 1] == '/') continue;  // a file of that very name
    const auto rest = std::string_view(path).substr(at + 1 + label.size());
    const bool numbered = !rest.empty() && rest.front() == '_' &&
                          rest.substr(1).find_first_not_of("0123456789") == std::string_view::npos;
    if (rest.empty() || numbered) return path.substr(0, at);
  }
  return path;
}

std::string kind_of(const MergeMessage& message) {
  if (!message.type.starts_with(type_prefix)) return {};
  const auto inner = std::string_view(message.type).substr(type_prefix.size());
  return std::string(inner.substr(0, inner.rfind(')')));
}

model::Conflict& at_path(std::vector<model::Conflict>& all, const std::string& path) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.path == path; });
  if (found != all.end()) return *found;
  all.push_back({});
  all.back().path = path;
  return all.back();
}

}  // namespace

std::vector<model::Conflict> conflicts_of(const MergeAnswer& answer, const std::vector<std::string>& labels) {
  std::vector<model::Conflict> out;
  for (const auto& stage : answer.stages) at_path(out, without_label(stage.path, labels)).stages.push_back(stage);
  for (const auto& message : answer.messages) {
    const std::string kind = kind_of(message);
    if (kind.empty() || message.paths.empty()) continue;
    bool placed = false;
    for (const auto& path : message.paths) {
      const std::string plain = without_label(path, labels);
      for (auto& conflict : out) {
        if (conflict.path != plain) continue;
        placed = true;
        // What happened to the file as a whole says more than that its content clashed too.
        if (conflict.kind.empty() || (conflict.kind == "contents" && kind != "contents")) conflict.kind = kind;
      }
    }
    // Some conflicts leave no unmerged entry (a directory renamed in two ways): they count all the same.
    if (!placed) at_path(out, without_label(message.paths.front(), labels)).kind = kind;
  }
  for (auto& conflict : out) {
    const auto has = [&conflict](int stage) {
      return std::any_of(conflict.stages.begin(), conflict.stages.end(), [stage](const auto& s) { return s.stage == stage; });
    };
    if ((conflict.kind.empty() || conflict.kind == "contents") && has(2) && has(3) && !has(1)) conflict.kind = "add/add";
    if (conflict.kind.empty()) conflict.kind = "contents";
  }
  return out;
}

}  // namespace sluice::git
