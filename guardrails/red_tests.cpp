// SPDX-License-Identifier: Apache-2.0
#include "guardrails/red_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/clock.h"
#include "core/text.h"
#include "guardrails/failure.h"
#include "guardrails/rules/rule.h"
#include "guardrails/touched.h"

namespace sluice::guardrails {
namespace {

using model::Evidence;
using model::RegisterEntry;
using model::TestRecord;
using model::TestState;

constexpr std::int64_t day = 86400;
constexpr std::int64_t longest_loan = 7 * day;

const TestRecord* test_of(const Evidence& evidence, const std::string& id) {
  const auto found = std::find_if(evidence.tests.begin(), evidence.tests.end(), [&](const TestRecord& t) { return t.id == id; });
  return found == evidence.tests.end() ? nullptr : &*found;
}

bool passes(const TestRecord& test) { return test.state == TestState::pass || test.state == TestState::flakypass; }

std::string entry_text(const RegisterEntry& entry) {
  return fmt::format("line {}, {}, until {}", entry.line, core::printable(entry.owner, 80), core::format_utc(entry.expires).substr(0, 10));
}

// Results of `suite` on the base tree.
std::vector<const Evidence*> base_records(const SuiteFacts& facts, const std::string& suite) {
  std::vector<const Evidence*> out;
  const auto usable = [&](const Evidence& e) { return e.suite == suite && e.tree == facts.proposal.base_tree && !is_infrastructure(e); };
  if (const auto found = facts.context.base_evidence.find(suite); found != facts.context.base_evidence.end() && usable(found->second)) out.push_back(&found->second);
  for (const Evidence& e : facts.context.base_repetitions) {
    if (usable(e)) out.push_back(&e);
  }
  return out;
}

bool wavers(const std::vector<const Evidence*>& base, const std::string& id, bool repeated_by_its_runner) {
  bool passed = false, failed = false;
  for (const Evidence* e : base) {
    const TestRecord* test = test_of(*e, id);
    if (test == nullptr) continue;
    if (test->state == TestState::flakypass) return true;
    passed = passed || test->state == TestState::pass;
    failed = failed || is_red(test->state);
  }
  // A test that fails on D and passes at the second try here has become no worse.
  return failed && (passed || repeated_by_its_runner);
}

// The register's word on `id`. An entry past its day, or without owner, is `stale`.
struct Word {
  const RegisterEntry* valid = nullptr;
  const RegisterEntry* stale = nullptr;
};
template <class Wanted>
Word look_up(const std::vector<RegisterEntry>& entries, const std::string& suite, const std::string& id, std::int64_t now, Wanted&& wanted) {
  Word out;
  for (const RegisterEntry& entry : entries) {
    if (entry.suite != suite || entry.test != id || !wanted(entry)) continue;
    (!entry.owner.empty() && now < entry.expires ? out.valid : out.stale) = &entry;
  }
  return out;
}

void judge_flip(const SuiteFacts& facts, const std::string& suite, bool touched, const std::vector<const Evidence*>& base, RedTest& red) {
  const std::string& id = red.test->id;
  const Word word = look_up(facts.context.policy.flakes, suite, id, facts.context.now, [](const auto&) { return true; });
  const std::string what = red.test->state == TestState::flakypass ? "passed only when its runner repeated it" : "passes after it failed on the same tree";
  if (touched) {
    red.no_flake = what + "; it is in the area that the unit touches, where nothing is accepted";
  } else if (word.valid != nullptr) {
    red.answer = RedTest::Answer::flake;
    red.answered_by = fmt::format("flake register ({})", entry_text(*word.valid));
  } else if (wavers(base, id, red.test->state == TestState::flakypass)) {
    red.answer = RedTest::Answer::flake;
    red.answered_by = "wavers on the base too";
  } else if (word.stale != nullptr) {
    red.no_flake = fmt::format("{}; its entry in the flake register counts for nothing any more ({})", what, entry_text(*word.stale));
  } else {
    red.no_flake = what + "; it is not in the flake register, and does not waver on the base";
  }
}

void judge_failure(const SuiteFacts& facts, const std::string& suite, const Evidence& now, bool touched, const std::vector<const Evidence*>& base, RedTest& red) {
  const auto& entries = facts.context.policy.known_failures;
  const std::string& id = red.test->id;
  const Word any = look_up(entries, suite, id, facts.context.now, [](const auto&) { return true; });
  if (any.valid == nullptr && any.stale == nullptr) return;
  const Word same = look_up(entries, suite, id, facts.context.now, [&](const RegisterEntry& e) { return e.fingerprint == red.fingerprint; });
  const auto refuse = [&](std::string why) { red.no_known_failure = std::move(why); };
  if (any.valid == nullptr) return refuse(fmt::format("its entry in the register of known failures counts for nothing any more ({})", entry_text(*any.stale)));
  if (red.fingerprint.empty()) return refuse("its failure says nothing, so nobody can tell whether it is the known one");
  if (same.valid == nullptr) return refuse(fmt::format("masked: {} is known, this is {}", any.valid->fingerprint, red.fingerprint));
  if (same.valid->expires - facts.context.now > longest_loan) return refuse(fmt::format("its entry is for more than 7 days ({})", entry_text(*same.valid)));
  if (touched) return refuse("it is known, and in the area that the unit touches");
  const auto on_base = std::find_if(base.begin(), base.end(), [&](const Evidence* e) {
    const TestRecord* test = test_of(*e, id);
    return test != nullptr && is_red(test->state) && failure_fingerprint(*test) == red.fingerprint;
  });
  if (on_base == base.end()) return refuse("it is known, but the base does not show this failure");
  if (std::abs((*on_base)->started_at - now.started_at) > day) return refuse("it is known, but the base showed it on another day");
  red.answer = RedTest::Answer::known_failure;
  red.answered_by = fmt::format("known failure {} ({})", red.fingerprint, entry_text(*same.valid));
}

}  // namespace

Result<std::vector<RedTest>> red_tests(const SuiteFacts& facts, const std::string& suite) {
  std::vector<RedTest> out;
  const Evidence* now = evidence_for(facts.evidence, suite, facts.proposal.tree);
  if (now == nullptr || is_infrastructure(*now)) return out;
  std::optional<TouchedArea> area;
  const std::vector<const Evidence*> base = base_records(facts, suite);
  for (const TestRecord& test : now->tests) {
    if (!is_red(test.state) && test.state != TestState::flakypass) continue;
    if (!area) {
      TRY_ASSIGN(area, TouchedArea::between(facts.reader, facts.proposal.base_tree, facts.proposal.tree));
    }
    RedTest& red = out.emplace_back();
    red.test = &test;
    red.fingerprint = failure_fingerprint(test);
    const bool touched = area->holds_test(test.id);
    red.flipped = test.state == TestState::flakypass || std::any_of(facts.evidence.begin(), facts.evidence.end(), [&](const Evidence& e) {
      if (&e == now || e.suite != suite || e.tree != facts.proposal.tree) return false;
      const TestRecord* again = test_of(e, test.id);
      return again != nullptr && passes(*again);
    });
    if (red.flipped) judge_flip(facts, suite, touched, base, red);
    if (red.answer == RedTest::Answer::none && is_red(test.state)) judge_failure(facts, suite, *now, touched || area->named_in(test.detail), base, red);
  }
  return out;
}

Result<std::map<std::string, std::string>> accepted_red(const SuiteFacts& facts, const std::string& suite) {
  std::map<std::string, std::string> out;
  const auto enforced = [&](const Rule& rule) { return mode_of(facts.context.policy, rule) == model::RuleMode::enforce; };
  const bool flakes = enforced(g47), known = enforced(g48);
  TRY_ASSIGN(const std::vector<RedTest> reds, red_tests(facts, suite));
  for (const RedTest& red : reds) {
    const bool counts = red.answer == RedTest::Answer::flake ? flakes : red.answer == RedTest::Answer::known_failure && known;
    if (counts) out.emplace(red.test->id, red.answered_by);
  }
  return out;
}

double spent(const SuiteFacts& facts, std::span<const std::string> suites) {
  const UnitScope scope{facts.reader, facts.proposal, model::UnitKind::bundle, facts.evidence, facts.context, g47};
  double out = 0;
  for (const std::string& suite : suites) {
    const Evidence* now = evidence_for(facts.evidence, suite, facts.proposal.tree);
    for (const Evidence& e : facts.evidence) {
      if (&e == now || now == nullptr || e.suite != suite || e.tree != facts.proposal.tree) continue;
      if (is_infrastructure(e)) {
        out += scope.threshold("infrastructure");
        continue;
      }
      // What was asked for because it had failed; a sample of what had passed is free.
      bool failed = false, late = now->trouble == "timeout";
      for (const TestRecord& test : e.tests) {
        const TestRecord* first = test_of(*now, test.id);
        if (first == nullptr || !is_red(first->state)) continue;
        failed = true;
        late = late || first->state == TestState::timeout;
      }
      if (failed || late) out += scope.threshold(late ? "timeout" : "failure");
    }
  }
  return out;
}

}  // namespace sluice::guardrails
