// SPDX-License-Identifier: Apache-2.0
#include "agent/pieces.h"

#include <set>

#include "core/format.h"
#include "core/text.h"

namespace sluice::agent {

std::optional<std::vector<std::string>> answers_in(const git::MergedFile& merged, std::string_view text,
                                                   Cut cut) {
  const std::size_t regions = merged.regions.size();
  const std::string_view head = merged.text.front(), tail = merged.text.back();
  if (regions == 0 || !text.starts_with(head)) return std::nullopt;
  text.remove_prefix(head.size());
  if (!text.ends_with(tail)) return std::nullopt;
  text.remove_suffix(tail.size());
  std::vector<std::string> answers;
  for (std::size_t k = 1; k < regions; ++k) {
    const std::string_view between = merged.text[k];
    const std::size_t at = text.find(between);
    if (at == std::string_view::npos) return std::nullopt;
    if (cut == Cut::only_way && (between.empty() || text.find(between, at + 1) != std::string_view::npos))
      return std::nullopt;
    answers.emplace_back(text.substr(0, at));
    text.remove_prefix(at + between.size());
  }
  answers.emplace_back(text);
  return answers;
}

std::string action_of(const git::Region& region, std::string_view answer) {
  if (answer == region.ours) return "ours";
  if (answer == region.theirs) return "theirs";
  return answer == region.ours + region.theirs || answer == region.theirs + region.ours ? "both" : "mixed";
}

std::optional<model::AccountEntry> side_entry(const std::string& path, const git::Region& region, std::string_view answer,
                                              const std::string& because) {
  return model::side_entry(path, {region.id, region.base, region.ours, region.theirs}, answer, because);
}

bool reindents(const std::string& path, const git::Region& region, std::string_view answer) {
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  const bool means = core::language_of(path) == core::Language::python || name.ends_with(".yml") || name.ends_with(".yaml") || name.ends_with(".mk") || name == "Makefile";
  if (!means) return false;
  const auto without_end = [](std::string_view line) { return line.substr(0, line.find_last_not_of(" \t\r") + 1); };
  std::set<std::string_view> lines;
  std::set<std::string> bare;
  for (const std::string* side : {&region.base, &region.ours, &region.theirs}) {
    for (const std::string_view line : core::split_lines(*side)) {
      lines.insert(without_end(line));
      bare.insert(core::strip_space(line));
    }
  }
  for (const std::string_view line : core::split_lines(answer)) {
    const std::string text = core::strip_space(line);
    if (!text.empty() && bare.contains(text) && !lines.contains(without_end(line))) return true;
  }
  return false;
}

}  // namespace sluice::agent
