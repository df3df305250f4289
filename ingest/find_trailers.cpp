// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "core/regex.h"
#include "core/text.h"
#include "ingest/ingest.h"

namespace sluice::ingest {
namespace {

constexpr std::size_t max_fork_commits = 20'000;  // a look at the fork, not an import
constexpr std::size_t max_upstream_commits = 500'000;

std::string quote(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(R"(\.+*?()|[]{}^$)").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

Result<std::vector<SeenTrailer>> find_trailers(git::Repo& repo, const Oid& base, const Oid& fork_tip,
                                               const Oid& upstream_tip) {
  const git::Reader& reader = repo.reader();
  TRY_ASSIGN(const auto upstream, reader.log(upstream_tip, base, max_upstream_commits));
  const std::unordered_set<std::string_view> known(upstream.begin(), upstream.end());
  TRY_ASSIGN(const auto fork, reader.log(fork_tip, base, max_fork_commits));
  TRY_ASSIGN(const auto keyed,
             core::Regex::compile(R"(^\s*\(?([A-Za-z][A-Za-z0-9 _-]{2,60}:?)\s+([0-9a-f]{40})\b)"));
  std::map<std::string, SeenTrailer> seen;
  std::vector<std::string_view> groups;
  for (const Oid& oid : fork) {
    if (known.contains(oid)) continue;
    TRY_ASSIGN(const auto commit, reader.commit(oid));
    for (const std::string_view line : core::split_lines(commit.message)) {
      if (!keyed.search(line, groups) || !known.contains(groups[2])) continue;
      const std::string key(groups[1]);
      if (key.starts_with("Sluice-") || key == "Upstream-Commit:" || key == "This reverts commit") continue;
      SeenTrailer& entry = seen[key];
      if (entry.count++ > 0) continue;
      entry.pattern = quote(key) + R"(\s+([0-9a-f]{7,40}))";
      entry.example = core::printable(core::trim(line), 120);
    }
  }
  std::vector<SeenTrailer> out;
  for (auto& [key, entry] : seen) out.push_back(std::move(entry));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return out;
}

}  // namespace sluice::ingest
