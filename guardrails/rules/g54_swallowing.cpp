// SPDX-License-Identifier: Apache-2.0
// G54: what goes wrong is still heard. An assert that fails after a merge is the cheapest test there is, and
// the first thing that a resolver in trouble removes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "guardrails/file_facts.h"
#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"
#include "guardrails/scan/lexical.h"
#include "guardrails/scan/swallow_text.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

constexpr std::string_view what_lifts = "; only a person can do that, by a change of their own";

struct Check {
  std::string path, context, key, text;
  std::uint32_t line = 0;
};

bool is_check(FactKind kind) { return kind == FactKind::check || kind == FactKind::guard; }
bool swallows(FactKind kind) { return kind == FactKind::handler || kind == FactKind::suppress; }

struct Change {
  std::vector<Check> lost, gained, swallowed;
};

// What a test asserts of its subject is G41's; what its own code asserts is a check like any other.
bool of_a_test(std::string_view key) {
  return key.starts_with("EXPECT_") || key.starts_with("ASSERT_") || key.starts_with("CHECK") ||
         key.starts_with("REQUIRE");
}

class Reading {
 public:
  void add(const std::vector<SourceFact>& facts, std::string_view text, Side side, bool python_test,
           bool test) {
    const Lines lines(text);
    for (const SourceFact& fact : facts) {
      if (is_check(fact.kind) && !python_test && !(test && of_a_test(fact.key)))
        count(checks, side, fact.key, fact.line, lines[fact.line], fact.context);
      if (swallows(fact.kind))
        count(handlers, side, fact.context + " | " + fact.key, fact.line, lines[fact.line], fact.key);
    }
  }
  Tallies checks, handlers;
};

Result<void> read_change(PickView& view, const std::string& path, Change& change) {
  FileSides sides;
  TRY(read_sides(view, path, sides));
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  const std::string_view now = proposed->binary ? std::string_view() : std::string_view(proposed->text);
  const bool test = is_test_path(view.policy(), path), python = test && family_of(path) == Family::python;
  const std::vector<SourceFact> ours = source_facts(path, sides.ours);
  Reading reading;
  reading.add(ours, sides.ours, Side::ours, python, test);
  if (sides.split) {
    reading.add(source_facts(path, sides.theirs), sides.theirs, Side::theirs, python, test);
    reading.add(source_facts(path, sides.base), sides.base, Side::base, python, test);
  } else {
    reading.add(ours, sides.ours, Side::theirs, python, test);
    reading.add(ours, sides.ours, Side::base, python, test);
  }
  reading.add(source_facts(path, now), now, Side::proposed, python, test);
  for (const auto& [key, tally] : reading.checks) {
    for (int i = 0; i < tally.lost(); ++i)
      change.lost.push_back({path, tally.more, key, tally.text, tally.line});
    for (int i = 0; i < tally.gained(); ++i)
      change.gained.push_back({path, tally.more, key, tally.text, tally.proposed_line});
  }
  for (const auto& [key, tally] : reading.handlers) {
    for (int i = 0; i < tally.gained(); ++i)
      change.swallowed.push_back({path, "", key, tally.text, tally.proposed_line});
    // A handler that left another place may have come here.
    for (int i = 0; i < tally.lost(); ++i) change.gained.push_back({path, "handler", key, "", 0});
  }
  return {};
}

// The lost check was edited: one in the same function still speaks of the same things. One that cannot fail
// does not.
bool edited(const Check& lost, const Check& now) {
  if (lost.path != now.path || lost.context != now.context) return false;
  const auto words = core::identifiers(now.key);
  const std::set<std::string_view> said(words.begin(), words.end());
  int shared = 0, all = 0;
  for (const std::string_view word : core::identifiers(lost.key)) {
    if (word == "assert" || word == "if" || word == "raise" || word == "not") continue;
    ++all;
    shared += said.contains(word) ? 1 : 0;
  }
  return shared > 0 && 2 * shared >= all;
}

Result<bool> of_the_fork_alone(PickView& view, const Check& check) {
  const std::string norm = core::strip_space(check.text);
  TRY_ASSIGN(const FileText* upstream, view.file(Tree::upstream, check.path));
  TRY_ASSIGN(const FileText* base, view.file(Tree::base, check.path));
  return count_of(upstream->counts, norm) == 0 && count_of(base->counts, norm) == 0;
}

Result<void> judge_lost(PickView& view, const Change& change, Items& items) {
  std::map<std::string, int> elsewhere;
  for (const Check& check : change.gained) ++elsewhere[check.key];
  for (const Check& check : change.lost) {
    if (const auto moved = elsewhere.find(check.key); moved != elsewhere.end() && moved->second > 0) {
      --moved->second;
      continue;
    }
    if (std::any_of(change.gained.begin(), change.gained.end(),
                    [&](const Check& now) { return edited(check, now); }))
      continue;
    TRY_ASSIGN(const bool fork, of_the_fork_alone(view, check));
    items.push_back(make_item(check.path, check.text,
                              fmt::format("a check is gone: {}{}", check.key.substr(0, 120), what_lifts),
                              fork ? Judgement::escalate : Judgement::block));
    items.back().line = check.line;
    if (fork) items.back().origin = "fork";
  }
  return {};
}

void judge_swallowed(const Change& change, Items& items) {
  std::map<std::string, int> left;
  for (const Check& check : change.gained) {
    if (check.context == "handler") ++left[check.key];
  }
  for (const Check& check : change.swallowed) {
    if (left[check.key]-- > 0) continue;
    const std::string what = check.key.substr(check.key.find(" | ") + 3);
    items.push_back(
        make_item(check.path, check.text,
                  fmt::format("`{}` is added; neither side has it{}", what.substr(0, 120), what_lifts),
                  Judgement::block));
    items.back().line = check.line;
  }
}

Result<void> judge_lines(PickView& view, const std::string& path, Items& items) {
  TRY_ASSIGN(const std::vector<git::DiffLine> added, own_added_lines(view, path));
  const bool test = is_test_path(view.policy(), path);
  for (const git::DiffLine& line : added) {
    const std::string_view what = swallowing_text(path, line.text);
    if (what.empty() || (test && what == "|| true")) continue;  // in tests it is G40's to say
    items.push_back(make_item(path, line.text,
                              fmt::format("`{}` is added; neither side has it{}", what, what_lifts),
                              Judgement::block));
    items.back().line = line.line;
  }
  return {};
}

Result<Items> judge(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  Change change;
  for (const git::TreeDelta& delta : *deltas) {
    if (family_of(delta.path) == Family::python || family_of(delta.path) == Family::c)
      TRY(read_change(view, delta.path, change));
    if (is_blob_mode(delta.after.mode)) TRY(judge_lines(view, delta.path, items));
  }
  TRY(judge_lost(view, change, items));
  judge_swallowed(change, items);
  cap(items);
  return items;
}

}  // namespace

constinit const Rule g54{
    .id = "G54",
    .title = "swallowed errors",
    .fail = "BLOCK, a removed check of the fork alone ESCALATE",
    .passes =
        "`diff(M,P)` adds no broad catch without rethrow, `|| true`, `-w`, `-Wno-*`, `#pragma ... ignored`, "
        "`-DNDEBUG`; "
        "removes no assert, static_assert, llvm_unreachable, report_fatal_error, verifier or bounds check",
    .lift = "the change by a person, outside of a pick",
    .example =
        "an assert that fails after a merge is the cheapest test there is, and the first thing a resolver "
        "removes",
    .pick = judge,
    .companion = true,
};

}  // namespace sluice::guardrails
