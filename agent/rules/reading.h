// SPDX-License-Identifier: Apache-2.0
// One region as the rules look at it. What several rules ask for is worked out once, and only when asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/rules/merge.h"
#include "agent/rules/rules.h"
#include "agent/rules/sides.h"

namespace sluice::agent::rules {

class Reading {
 public:
  explicit Reading(const RegionText& region);  // REQUIRES: the texts outlive it

  const RegionText& region() const { return region_; }
  std::string_view text_of(Side side) const { return side == Side::ours ? region_.ours : region_.theirs; }
  std::size_t max_lines() const { return max_lines_; }
  bool sides_import() const { return sides_import_; }  // both hold includes or imports alone
  bool python() const { return region_.language == core::Language::python; }

  const ThreePieces& lines();
  const ThreePieces& tokens();
  const ThreePieces& spaced_tokens();

  // The answers of primitives that several rules rest on. Without one where the work is spent.
  bool equal_in_loose_form();
  Side not_formatting();
  Larger larger_edits();
  bool ours_only_inserts();  // tokens
  const std::optional<std::string>& lines3();
  const std::optional<std::vector<Edit>>& token_edits(Side side);

  Work work;

 private:
  struct Forms {
    std::string base, ours, theirs;
  };
  const Forms& loose_forms();

  const RegionText region_;
  const std::size_t max_lines_;
  const bool sides_import_;
  std::optional<ThreePieces> lines_, tokens_, spaced_;
  std::optional<Forms> forms_;
  std::optional<std::optional<std::string>> lines3_;
  std::optional<std::optional<std::vector<Edit>>> ours_edits_, theirs_edits_;
};

}  // namespace sluice::agent::rules
