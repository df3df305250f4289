// SPDX-License-Identifier: Apache-2.0
// What holds of the facts of every language.
#pragma once

#include <vector>

#include "guardrails/scan/python_tokens.h"
#include "test/fuzz/fuzz.h"

namespace sluice::fuzz {

inline void check_facts(const std::vector<guardrails::SourceFact>& facts, std::string_view text) {
  for (const guardrails::SourceFact& fact : facts) {
    FUZZ_CHECK(fact.line >= 1 && fact.line <= line_ends(text) + 1);
    if (fact.kind == guardrails::FactKind::test) FUZZ_CHECK(!fact.key.empty() && fact.values.size() == 1 && fact.values[0].size() == 16);
  }
}

// Formatting and line ends change no fact.
inline void check_same_facts(const std::vector<guardrails::SourceFact>& a, const std::vector<guardrails::SourceFact>& b) {
  FUZZ_CHECK(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    FUZZ_CHECK(a[i].kind == b[i].kind && a[i].context == b[i].context && a[i].line == b[i].line);
    FUZZ_CHECK(without_cr(a[i].key) == without_cr(b[i].key) && a[i].conditional == b[i].conditional);
  }
}

}  // namespace sluice::fuzz
