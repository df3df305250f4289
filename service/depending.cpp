// SPDX-License-Identifier: Apache-2.0
#include "service/depending.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "core/text.h"
#include "ingest/ingest.h"

namespace sluice::service {

namespace {

// A name that so many commits use says nothing about any two of them (as in routing).
constexpr std::size_t common_at_least = 20;
constexpr std::size_t common_share = 20;

std::string shared_path(const model::UpstreamCommit& later, const model::UpstreamCommit& earlier) {
  for (const auto& file : later.files) {
    for (const auto& other : earlier.files) {
      if (file.old_path == other.path || file.path == other.path) return core::printable(file.path, 120);
    }
  }
  return "a file that it renamed";
}

// name -> commits that introduce, change or remove it, ascending; common names left out.
std::map<std::string_view, std::vector<std::size_t>> symbols_of(const std::vector<model::UpstreamCommit>& window,
                                                                const std::vector<bool>& counts) {
  std::map<std::string_view, std::vector<std::size_t>> changed_by;
  for (std::size_t k = 0; k < window.size(); ++k) {
    if (!counts[k]) continue;
    for (const auto* names : {&window[k].symbols_defined, &window[k].symbols_removed}) {
      for (const std::string& name : *names) {
        auto& by = changed_by[name];
        if (name.size() >= 3 && (by.empty() || by.back() != k)) by.push_back(k);
      }
    }
  }
  std::map<std::string_view, std::size_t> named_by;
  for (const auto& commit : window) {
    for (const std::string& name : commit.symbols_named) {
      if (changed_by.contains(name)) ++named_by[name];
    }
  }
  const std::size_t common = std::max(common_at_least, window.size() / common_share);
  std::erase_if(changed_by, [&](const auto& entry) { return named_by[entry.first] > common; });
  return changed_by;
}

}  // namespace

Result<std::vector<Dependency>> dependencies_from(App& app, std::int64_t first,
                                                  const std::function<bool(const Oid&)>& matters) {
  TRY_ASSIGN(auto window, app.store.facts_many());
  std::erase_if(window, [&](const model::UpstreamCommit& commit) { return commit.position < first; });
  std::vector<bool> counts;
  for (const auto& commit : window) counts.push_back(matters(commit.oid));
  const auto text = ingest::text_dependencies(window);
  const auto symbols = symbols_of(window, counts);
  std::vector<Dependency> out;
  for (std::size_t k = 0; k < window.size(); ++k) {
    if (!counts[k]) continue;
    std::set<std::size_t> seen;
    for (const std::size_t to : text[k]) {
      if (!counts[to] || !seen.insert(to).second) continue;
      out.push_back({window[k].oid, window[to].oid, "touches lines that it wrote in " + shared_path(window[k], window[to])});
    }
    for (const std::string& name : window[k].symbols_named) {
      const auto found = symbols.find(name);
      if (found == symbols.end()) continue;
      for (const std::size_t to : found->second) {
        if (to >= k) break;
        if (!seen.insert(to).second) continue;
        out.push_back({window[k].oid, window[to].oid,
                       fmt::format("names `{}`, which it introduces, changes or removes", core::printable(name, 80))});
      }
    }
  }
  return out;
}

}  // namespace sluice::service
