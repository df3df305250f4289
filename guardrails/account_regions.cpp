// SPDX-License-Identifier: Apache-2.0
// The part of the accounting record that speaks of conflict regions and of what stands near them.
#include <fmt/format.h>

#include <algorithm>

#include "core/format.h"
#include "core/hash.h"
#include "core/renaming.h"
#include "core/text.h"
#include "guardrails/account.h"
#include "guardrails/account_words.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

// "REGION RELATION", the argument of SIDE.
struct SaidSide {
  std::string_view region;
  std::optional<core::Relation> relation;
};

SaidSide said_side(std::string_view arg) {
  const std::size_t gap = arg.find(' ');
  if (gap == std::string_view::npos) return {arg, std::nullopt};
  return {arg.substr(0, gap), core::parse_relation(arg.substr(gap + 1))};
}

bool is_line_kind(std::string_view kind) {
  return kind == "upstream_added" || kind == "upstream_removed" || kind == "downstream_lost";
}

}  // namespace

Result<Lift> Account::take_adapted(const std::string& path, std::span<const git::DiffLine> range) {
  std::vector<std::string> shas;
  for (const git::DiffLine& line : range) shas.push_back(core::sha256_hex(core::strip_space(line.text)));
  std::vector<const model::AccountEntry*> renames;
  for (Open& open : open_) {
    const model::AccountEntry& entry = *open.entry;
    if (open.left <= 0 || entry.kind != "adapt" || entry.path != path) continue;
    if (std::find(shas.begin(), shas.end(), entry.norm_sha256) == shas.end()) continue;
    --open.left;
    if (entry.code != "API_RENAME") return to_a_person(entry, "declared as adapted; a person must look at it");
    // Two lines of one renaming are two entries; applied twice it would make ns::ns::f of f.
    const bool known = std::any_of(renames.begin(), renames.end(), [&](const auto* other) { return other->arg == entry.arg; });
    if (!known) renames.push_back(&entry);
  }
  if (renames.empty()) return Lift{};
  // Every line that went comes back renamed, and nothing else does.
  LineCounts came;
  std::vector<std::string> went;
  for (const git::DiffLine& line : range) {
    if (line.side == '+') {
      ++came[core::strip_space(line.text)];
      continue;
    }
    std::string text = line.text;
    for (const model::AccountEntry* entry : renames) {
      const std::optional<core::Renaming> names = core::renaming_of(entry->arg);
      if (!names) return refuted(*entry, core::renaming_form);
      text = core::rename_in(text, names->from, names->to);
    }
    went.push_back(core::strip_space(text));
  }
  for (const std::string& norm : went) {
    if (!guardrails::take(came, norm)) return refuted(*renames.front(), fmt::format("a changed line of {} is no renamed one", path));
  }
  const bool more = std::any_of(came.begin(), came.end(), [](const auto& line) { return line.second > 0; });
  if (more) return refuted(*renames.front(), fmt::format("{} has a new line there that was no old one", path));
  return lifted(*renames.front());
}

Result<Lift> Account::side_of(const std::string& path, const RegionFact& fact) {
  for (const Open& open : open_) {
    const model::AccountEntry& entry = *open.entry;
    if (entry.path != path) continue;
    if (entry.code == "FORMAT_EQUAL" && entry.arg == fact.region.id) {
      if (!core::format_equal(fact.region.ours, fact.region.theirs, core::language_of(path)))
        return refuted(entry, "the two sides differ in more than formatting");
      if (!fact.answered_ours) return refuted(entry, "the result is not the fork's side");
      return lifted(entry);
    }
    if (entry.code != "SIDE") continue;
    const SaidSide said = said_side(entry.arg);
    if (said.region != fact.region.id) continue;
    if (!said.relation) return refuted(entry, "the argument must be the region and OURS or THEIRS, with one blank between");
    if (!fact.result.located) return to_a_person(entry, "what became of the region is not clear; a person must look");
    if (*said.relation != fact.relation) return refuted(entry, fmt::format("the region's result is {}", core::to_string(fact.relation)));
    return lifted(entry);
  }
  return Lift{};
}

std::vector<std::string> Account::stray_sides(const std::string& path, const std::vector<RegionFact>& regions) const {
  std::vector<std::string> out;
  for (const Open& open : open_) {
    const model::AccountEntry& entry = *open.entry;
    if (entry.code != "SIDE" || entry.path != path) continue;
    const SaidSide said = said_side(entry.arg);
    const bool known = std::any_of(regions.begin(), regions.end(), [&](const RegionFact& fact) { return fact.region.id == said.region; });
    if (!known) out.push_back(refuted(entry, "the machine merge has no such region").detail);
  }
  return out;
}

Result<Lift> Account::covering(const std::string& path, const std::string& line) {
  const std::string norm = core::strip_space(line);
  const std::string sha = core::sha256_hex(norm);
  for (const Open& open : open_) {
    const model::AccountEntry& entry = *open.entry;
    if (is_line_kind(entry.kind) && entry.path == path && entry.norm_sha256 == sha) return verify(entry, line, norm);
  }
  return Lift{};
}

}  // namespace sluice::guardrails
