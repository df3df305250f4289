// SPDX-License-Identifier: Apache-2.0
#include "agent/pieces.h"

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

}  // namespace sluice::agent
