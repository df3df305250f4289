// SPDX-License-Identifier: Apache-2.0
#include "ingest/trailers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/text.h"

namespace sluice::ingest {
namespace {

using model::Disposition;

constexpr std::size_t max_carried = 10'000;  // a body is outside text
constexpr std::size_t own_rules = 2;         // Upstream-Commit, cherry picked from commit

std::optional<std::string> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  return std::string(core::trim(line.substr(key.size())));
}

Disposition said_before(std::string_view match, std::string_view sha) {
  const std::string words =
      core::to_lower(match.substr(0, static_cast<std::size_t>(sha.data() - match.data())));
  if (words.find("defer") != std::string::npos) return Disposition::deferred;
  if (words.find("wontport") != std::string::npos || words.find("wont-port") != std::string::npos ||
      words.find("won't-port") != std::string::npos || words.find("won't port") != std::string::npos)
    return Disposition::wont_port;
  return Disposition::picked;
}

// What the fork added stands below what it copied.
void keep_last(std::vector<Carried>& carried, std::size_t& unresolved) {
  const std::size_t dropped = carried.size() - max_carried;
  carried.erase(carried.begin(), carried.begin() + static_cast<std::ptrdiff_t>(dropped));
  unresolved -= std::min(unresolved, dropped);
}

}  // namespace

Result<TrailerRules> TrailerRules::compile(const std::vector<std::string>& patterns) {
  std::vector<std::string> all = {R"(^Upstream-Commit:\s*([0-9a-fA-F]{7,40})\s*$)",
                                  R"(\(cherry picked from commit ([0-9a-fA-F]{7,40})\))"};
  all.insert(all.end(), patterns.begin(), patterns.end());
  std::vector<core::Regex> rules;
  for (const std::string& pattern : all) {
    if (pattern.find('(') == std::string::npos)
      return make_error(ErrorKind::invalid,
                        fmt::format("[trailers] import: pattern '{}' has no group; put the sha in "
                                    "brackets, e.g. 'Original Commit: ([0-9a-f]{{40}})'",
                                    pattern));
    TRY_ASSIGN(auto rule, core::Regex::compile(pattern));
    rules.push_back(std::move(rule));
  }
  return TrailerRules(std::move(rules));
}

BodyTrailers TrailerRules::scan(std::string_view message) const {
  BodyTrailers out;
  std::size_t unresolved = 0;  // first entry that no Sluice-Resolution line has followed yet
  std::vector<std::string_view> groups;
  for (std::string_view raw : core::split_lines(message)) {
    const std::string_view line = core::trim(raw);
    if (line.empty() || line.front() == '>')
      continue;  // sluice quotes lines of upstream's message that look like its own
    if (const auto unit = value_of(line, "Sluice-Unit:"); unit && out.unit.empty()) out.unit = *unit;
    if (const auto how = value_of(line, "Sluice-Resolution:")) {
      for (; unresolved < out.carried.size(); ++unresolved)
        if (*how == "resolved" && out.carried[unresolved].disposition == Disposition::picked)
          out.carried[unresolved].disposition = Disposition::adapted;
      continue;
    }
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      if (!rules_[r].search(line, groups) || groups.size() < 2) continue;
      const std::string sha = core::to_lower(groups[1]);
      if (sha.size() < 7 || sha.size() > 40 || !core::is_hex(sha, sha.size())) continue;
      out.carried.push_back({sha, said_before(groups[0], groups[1]), r >= own_rules, r});
      if (out.carried.size() == 2 * max_carried) keep_last(out.carried, unresolved);
      break;
    }
  }
  if (out.carried.size() > max_carried) keep_last(out.carried, unresolved);
  return out;
}

}  // namespace sluice::ingest
