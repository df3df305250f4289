// SPDX-License-Identifier: Apache-2.0
#include "agent/rules/reading.h"

#include <algorithm>

#include "agent/rules/text.h"

namespace sluice::agent::rules {
namespace {

const ThreePieces& read_once(std::optional<ThreePieces>& kept, const RegionText& region,
                             Pieces (PieceReader::*read)(std::string_view)) {
  if (!kept) {
    PieceReader reader;
    kept.emplace();
    kept->base = (reader.*read)(region.base);
    kept->ours = (reader.*read)(region.ours);
    kept->theirs = (reader.*read)(region.theirs);
  }
  return *kept;
}

}  // namespace

Reading::Reading(const RegionText& region)
    : region_(region),
      max_lines_(std::max({line_count(region.base), line_count(region.ours), line_count(region.theirs)})),
      sides_import_(all_imports(region.ours) && all_imports(region.theirs)) {}

const ThreePieces& Reading::lines() { return read_once(lines_, region_, &PieceReader::lines); }
const ThreePieces& Reading::tokens() { return read_once(tokens_, region_, &PieceReader::tokens); }
const ThreePieces& Reading::spaced_tokens() { return read_once(spaced_, region_, &PieceReader::spaced_tokens); }

const Reading::Forms& Reading::loose_forms() {
  if (!forms_)
    forms_ = Forms{core::loose_form(region_.base), core::loose_form(region_.ours), core::loose_form(region_.theirs)};
  return *forms_;
}

bool Reading::equal_in_loose_form() { return loose_forms().ours == loose_forms().theirs; }

Side Reading::not_formatting() {
  const Forms& forms = loose_forms();
  return rules::not_formatting(forms.base, forms.ours, forms.theirs);
}

const std::optional<std::vector<Edit>>& Reading::token_edits(Side side) {
  auto& kept = side == Side::ours ? ours_edits_ : theirs_edits_;
  if (!kept) kept = edits(tokens().base.ids, (side == Side::ours ? tokens().ours : tokens().theirs).ids, work);
  return *kept;
}

Larger Reading::larger_edits() {
  if (tokens().ours.ids == tokens().theirs.ids) return {};
  const auto& ours = token_edits(Side::ours);
  const auto& theirs = token_edits(Side::theirs);
  return ours && theirs ? rules::larger_edits(tokens(), *ours, *theirs) : Larger{};
}

bool Reading::ours_only_inserts() {
  const auto& ours = token_edits(Side::ours);
  return ours && std::all_of(ours->begin(), ours->end(), [](const Edit& edit) { return edit.inserts(); });
}

const std::optional<std::string>& Reading::lines3() {
  if (!lines3_) lines3_ = rules::lines3(lines(), work);
  return *lines3_;
}

}  // namespace sluice::agent::rules
