// SPDX-License-Identifier: Apache-2.0
#include "agent/rules/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "agent/rules/reading.h"
#include "agent/rules/renames.h"
#include "agent/rules/versions.h"

namespace sluice::agent {
namespace {

using rules::Reading;
using rules::Side;
using Text = std::optional<std::string>;

// Ten times the largest of 1,432 real hunks. Beyond it only equal sides are seen, which takes one pass and no lists of tokens.
constexpr std::size_t max_bytes = 1u << 20;
constexpr std::size_t loose_rules = 2;  // A1s, A1f
constexpr std::size_t few_lines = 12, many_lines = 200, many_tokens = 3000;

Text side(const Reading& of, Side which) {
  if (which == Side::none) return std::nullopt;
  return std::string(of.text_of(which));
}

Text equal_strictly(Reading& of) {
  const RegionText& region = of.region();
  if (!core::format_equal(region.ours, region.theirs, region.language)) return std::nullopt;
  return std::string(region.ours);
}

Text equal_loosely(Reading& of) {
  if (!of.equal_in_loose_form()) return std::nullopt;
  return std::string(of.region().ours);
}

Text newer_version(Reading& of) {
  const RegionText& region = of.region();
  const rules::Newer newer = rules::newer_versions(region.ours, region.theirs);
  if (newer == rules::Newer::no_answer || of.lines().ours.ids == of.lines().theirs.ids) return std::nullopt;
  return side(of, newer == rules::Newer::ours ? Side::ours : Side::theirs);
}

Text one_edit_and_more(Reading& of) {
  if (of.tokens().base.size() >= many_tokens) return std::nullopt;
  const rules::Larger larger = of.larger_edits();
  return larger.fewer == 1 ? side(of, larger.side) : std::nullopt;
}

Text formatting_beside_disjoint_lines(Reading& of) {
  const Side changed = of.not_formatting();
  if (changed == Side::none || of.max_lines() > few_lines || of.sides_import() || !of.lines3()) return std::nullopt;
  return side(of, changed);
}

Text few_lines_diff3(Reading& of) {
  if (of.max_lines() > few_lines || of.sides_import() || of.python()) return std::nullopt;
  return rules::diff3(of.lines(), rules::Unit::line, of.work);
}

Text disjoint_lines_ours_inserts(Reading& of) {
  if (of.max_lines() > few_lines || of.python() || !of.lines3() || !of.ours_only_inserts()) return std::nullopt;
  return of.lines3();
}

Text formatting_only(Reading& of) { return side(of, of.not_formatting()); }

Text all_edits_and_more(Reading& of) {
  if (of.tokens().base.size() >= many_tokens) return std::nullopt;
  return side(of, of.larger_edits().side);
}

Text disjoint_lines(Reading& of) { return of.max_lines() > many_lines ? std::nullopt : of.lines3(); }

Text rename_carried_over(Reading& of) {
  return of.max_lines() > many_lines ? std::nullopt : rules::renamed(of.spaced_tokens());
}

Text disjoint_tokens(Reading& of) {
  if (of.max_lines() > many_lines || of.lines().base.size() == 0) return std::nullopt;
  return rules::diff3(of.spaced_tokens(), rules::Unit::token, of.work);
}

Text longer_side(Reading& of) { return side(of, rules::longer(of.lines())); }

// B6 where one side also wrapped or indented the lines anew: blanks are merged beside the tokens that they precede, so
// they are no conflict of their own. In Python they are meaning.
Text disjoint_tokens_without_blanks(Reading& of) {
  if (of.max_lines() > many_lines || of.python() || of.tokens().base.size() == 0) return std::nullopt;
  return rules::diff3(of.tokens(), rules::Unit::token, of.work);
}

constexpr std::array<RuleInfo, 14> infos = {{
    {"A1s", "both sides say the same; the fork's spelling is kept", true, 0.990, 104},
    {"A1f", "both sides are equal but for whitespace, quotes and last commas; the fork's is kept", false, 0.900, 20},
    {"A2", "the sides differ in version numbers alone; the larger ones are taken", false, 0.818, 33},
    {"A3", "one side made a single edit, which the other made too and went on; the other is taken", false, 0.912, 137},
    {"A4", "one side changed formatting alone, in few lines and apart from the other's edits; the other is taken", false, 0.888, 89},
    {"A5", "three-way merge of few lines, without regard to whitespace", false, 0.800, 10},
    {"B1", "edits of few and different lines applied together, where the fork only inserts", false, 0.667, 27},
    {"B2", "one side changed formatting alone; the other is taken", false, 0.832, 107},
    {"B3", "one side made all edits of the other and more; it is taken", false, 0.913, 69},
    {"B4", "edits of different lines applied together", false, 0.597, 253},
    {"B5", "one side renamed identifiers and did nothing else; the other side with those names", false, 0.509, 165},
    {"B6", "three-way merge of tokens", false, 0.557, 585},
    {"B7", "one side holds every line of the other and of what both had; it is taken", false, 0.826, 213},
    {"C1", "three-way merge of tokens without regard to blanks and line ends, outside Python", false, 0.560, 25},
}};
constexpr std::array<Text (*)(Reading&), infos.size()> answers = {
    equal_strictly, equal_loosely, newer_version, one_edit_and_more, formatting_beside_disjoint_lines, few_lines_diff3,
    disjoint_lines_ours_inserts, formatting_only, all_edits_and_more, disjoint_lines, rename_carried_over,
    disjoint_tokens, longer_side, disjoint_tokens_without_blanks,
};

bool wants(std::span<const std::string_view> wanted, std::string_view id) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), id) != wanted.end();
}

}  // namespace

std::span<const RuleInfo> region_rules() { return infos; }

const RuleInfo* region_rule(std::string_view id) {
  const auto* found = std::find_if(infos.begin(), infos.end(), [&](const RuleInfo& rule) { return rule.id == id; });
  return found == infos.end() ? nullptr : found;
}

std::string standing_of(const RuleInfo& rule) {
  if (rule.unseen_answers == 0)
    return fmt::format("{}, rule {}, not measured on unseen cases", rule.proven ? "proven" : "candidate", rule.id);
  return fmt::format("{}, rule {}, right in {} % of unseen cases", rule.proven ? "proven" : "candidate", rule.id,
                     std::lround(rule.unseen_precision * 100));
}

std::optional<RuleAnswer> first_answer(const RegionText& region, std::span<const std::string_view> wanted) {
  const bool large = region.base.size() + region.ours.size() + region.theirs.size() > max_bytes;
  Reading reading(region);
  for (std::size_t k = 0; k < infos.size(); ++k) {
    if (!wants(wanted, infos[k].id)) continue;
    if (large && k >= loose_rules) return std::nullopt;
    Text text = answers[k](reading);
    // A rule that could not look is not one that declined: what comes after it was never measured without it.
    if (reading.work.spent()) return std::nullopt;
    if (text) return RuleAnswer{infos[k].id, std::move(*text)};
  }
  return std::nullopt;
}

}  // namespace sluice::agent
