// SPDX-License-Identifier: Apache-2.0
// Each rule on one conflict region, on any bytes: base, ours and theirs apart by lines "%%".
#include "agent/rules/rules.h"

#include <array>
#include <cctype>
#include <set>
#include <string>

#include "test/fuzz/fuzz.h"

using namespace sluice;

namespace {

// Words and single marks; bytes above 0x7F belong to words.
std::set<std::string> tokens(std::string_view text) {
  std::set<std::string> out;
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (word(text[at]))
      while (end < text.size() && word(text[end])) ++end;
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0) out.emplace(text.substr(at, end - at));
    at = end;
  }
  return out;
}

void check(const agent::RegionText& region, const agent::RuleAnswer& answer, const std::set<std::string>& known) {
  FUZZ_CHECK(agent::region_rule(answer.rule) != nullptr);
  const bool side = answer.text == region.ours || answer.text == region.theirs;
  FUZZ_CHECK(side || answer.text.empty() || answer.text.back() == '\n');
  // A rule puts together what is there; it writes no word of its own.
  for (const std::string& token : tokens(answer.text)) FUZZ_CHECK(known.contains(token));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [base, rest] = fuzz::two_parts(fuzz::text_of(data, size));
  const auto [ours, theirs] = fuzz::two_parts(rest);
  std::set<std::string> known = tokens(base);
  known.merge(tokens(ours));
  known.merge(tokens(theirs));
  for (const core::Language language : {core::Language::python, core::Language::c_family, core::Language::mlir, core::Language::other}) {
    const agent::RegionText region{base, ours, theirs, language};
    const auto first = agent::first_answer(region);
    bool any = false;
    for (const agent::RuleInfo& rule : agent::region_rules()) {
      const std::array<std::string_view, 1> only = {rule.id};
      const auto answer = agent::first_answer(region, only);
      if (!answer) continue;
      FUZZ_CHECK(answer->rule == rule.id);
      check(region, *answer, known);
      // The first of them is what all of them together say.
      if (!any && first) FUZZ_CHECK(first->rule == answer->rule && first->text == answer->text);
      any = true;
    }
    if (first) FUZZ_CHECK(any);
  }
  return 0;
}
