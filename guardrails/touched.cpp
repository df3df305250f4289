// SPDX-License-Identifier: Apache-2.0
#include "guardrails/touched.h"

#include <algorithm>

#include "core/text.h"
#include "guardrails/pick_view.h"

namespace sluice::guardrails {
namespace {

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view stem(std::string_view path) {
  const std::string_view name = base_name(path);
  return name.substr(0, name.find('.'));
}

bool has_part(std::string_view id, std::string_view part) {
  for (std::size_t at = id.find(part); at != std::string_view::npos; at = id.find(part, at + 1)) {
    const auto edge = [&](std::size_t i) { return i >= id.size() || id[i] == '/' || id[i] == '.' || id[i] == ':' || id[i] == ' ' || id[i] == '['; };
    if ((at == 0 || edge(at - 1)) && edge(at + part.size())) return true;
  }
  return false;
}

}  // namespace

std::string_view test_file(std::string_view id) {
  if (const std::size_t at = id.find(" :: "); at != std::string_view::npos) return core::trim(id.substr(at + 4));
  if (const std::size_t at = id.find("::"); at != std::string_view::npos) return id.substr(0, at);
  return {};
}

Result<TouchedArea> TouchedArea::between(const git::Reader& reader, const model::Oid& before, const model::Oid& after) {
  TouchedArea area;
  TRY_ASSIGN(const std::vector<git::TreeDelta> deltas, reader.diff_trees(before, after));
  for (const git::TreeDelta& delta : deltas) {
    std::set<std::string>& names = area.files_[delta.path];
    for (const git::TreeEntry& side : {delta.before, delta.after}) {
      if (!is_blob_mode(side.mode)) continue;
      const auto text = reader.blob(side.oid);
      if (!text.ok()) continue;
      for (const std::string_view name : core::identifiers(*text)) names.emplace(name);
    }
  }
  return area;
}

bool TouchedArea::holds_test(std::string_view id) const {
  if (const std::string_view file = test_file(id); !file.empty()) {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& entry) {
      return entry.first == file || entry.first.ends_with("/" + std::string(file)) || file.ends_with("/" + entry.first);
    });
  }
  // `Suite.Case/3`, `Instance/Suite.Case/0`, `pkg.module.test_name`, a name of CTest.
  const std::vector<std::string_view> names = core::identifiers(id);
  for (const auto& [path, identifiers] : files_) {
    if (!stem(path).empty() && has_part(id, stem(path))) return true;
    // One name alone is a word like any other, but where tests are registered.
    if (names.size() < 2 && base_name(path) != "CMakeLists.txt") continue;
    if (!names.empty() && std::all_of(names.begin(), names.end(), [&](std::string_view name) { return identifiers.contains(std::string(name)); })) return true;
  }
  return false;
}

bool TouchedArea::named_in(std::string_view text) const {
  return std::any_of(files_.begin(), files_.end(), [&](const auto& entry) {
    const std::string name(base_name(entry.first));
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      const bool begins = at == 0 || text[at - 1] == '/' || text[at - 1] == ' ' || text[at - 1] == '\n' || text[at - 1] == '"' || text[at - 1] == '(';
      const std::size_t end = at + name.size();
      if (begins && (end >= text.size() || std::string_view(":(\"', \n").find(text[end]) != std::string_view::npos)) return true;
    }
    return false;
  });
}

}  // namespace sluice::guardrails
