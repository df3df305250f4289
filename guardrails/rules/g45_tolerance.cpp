// SPDX-License-Identifier: Apache-2.0
// G45: a tolerance does not grow, what is tested over does not shrink, what is repeated is not repeated less.
// By tokens: the value at the same name in the same function, wherever a formatter put it.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "guardrails/file_facts.h"
#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

struct Place {
  std::string path, text;
  std::uint32_t line = 0;
};
struct Number {
  double value;
  std::string written;
  Place place;
};

// What stands at one key of one function, over all files that changed: a test that moves takes its values
// along.
struct Values {
  std::vector<Number> numbers;
  std::vector<std::string> elements;
  bool unknown = false;  // a list that is no literal
  Place place;
};
struct Key {
  FactKind kind;
  std::string where, name;
  auto operator<=>(const Key&) const = default;
};
struct State {
  std::map<Key, Values> values;
  std::set<std::string> contexts;
  std::map<std::string, int> comparisons;  // calls that compare with a tolerance, by context
};

void add(State& state, const std::string& path, std::string_view text) {
  const Lines lines(text);
  for (const SourceFact& fact : source_facts(path, text)) {
    // Constants of a file belong to it; functions may move.
    const std::string where = fact.context.empty() ? path : fact.context;
    state.contexts.insert(where);
    if (fact.kind == FactKind::closeness) ++state.comparisons[where];
    if (fact.kind != FactKind::tolerance && fact.kind != FactKind::count && fact.kind != FactKind::list)
      continue;
    Values& values = state.values[{fact.kind, where, fact.key}];
    const Place place{path, std::string(lines[fact.line]), fact.line};
    if (values.place.line == 0) values.place = place;
    if (fact.kind == FactKind::list) {
      values.elements.insert(values.elements.end(), fact.values.begin(), fact.values.end());
      values.unknown = values.unknown || fact.conditional;
    } else {
      values.numbers.push_back({fact.number, fact.values.empty() ? "" : fact.values[0], place});
    }
  }
}

template <class T, class Less>
void cancel(std::vector<T>& a, std::vector<T>& b, Less less) {
  std::vector<T> only_a, only_b;
  std::sort(a.begin(), a.end(), less);
  std::sort(b.begin(), b.end(), less);
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a), less);
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(only_b), less);
  a = std::move(only_a);
  b = std::move(only_b);
}

struct Finding {
  Place place;
  std::string detail;
};
using Findings = std::map<Key, Finding>;

bool smaller(const Number& a, const Number& b) { return a.value < b.value; }

// A key that stands on both states: the numbers of one that the other lacks, paired from the largest down.
void judge_numbers(const Key& key, std::vector<Number> before, std::vector<Number> after, bool new_allowed,
                   Findings& out) {
  cancel(before, after, smaller);
  std::reverse(before.begin(), before.end());
  std::reverse(after.begin(), after.end());
  const bool tolerance = key.kind == FactKind::tolerance;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const bool worse = tolerance ? after[i].value > before[i].value : after[i].value < before[i].value;
    if (!worse) continue;
    out[key] = {after[i].place,
                fmt::format("{} `{}` {} from {} to {}", tolerance ? "the tolerance" : "the count", key.name,
                            tolerance ? "grows" : "falls", before[i].written, after[i].written)};
    return;
  }
  if (tolerance && !new_allowed && after.size() > before.size() && after[before.size()].value > 0)
    out[key] = {after[before.size()].place,
                fmt::format("a tolerance `{} = {}` is added to what was compared without one", key.name,
                            after[before.size()].written)};
}

void judge_list(const Key& key, const Values& before, const State& now, std::multiset<std::string>& arrived,
                Findings& out) {
  const auto found = now.values.find(key);
  if (found != now.values.end() && found->second.unknown) return;
  std::vector<std::string> was = before.elements, is = found == now.values.end() ? std::vector<std::string>()
                                                                                 : found->second.elements;
  cancel(was, is, std::less<>());
  std::erase_if(was, [&](const std::string& element) {
    const auto other = arrived.find(element);
    if (other == arrived.end()) return false;
    arrived.erase(other);
    return true;
  });
  if (was.empty()) return;
  std::string lost;
  for (const std::string& element : was) lost += (lost.empty() ? "" : "; ") + element.substr(0, 60);
  out[key] = {found == now.values.end() ? before.place : found->second.place,
              fmt::format("the list `{}` loses {} of {}: {}", key.name, was.size(), before.elements.size(),
                          lost.substr(0, 200))};
}

Findings compare(const State& before, const State& now) {
  Findings out;
  // Elements at keys that are new: a list under another name.
  std::map<std::string, std::multiset<std::string>> arrived;
  std::set<std::string> open;  // functions with a list that is no literal now and was none there before
  for (const auto& [key, values] : now.values) {
    if (key.kind != FactKind::list || before.values.contains(key)) continue;
    arrived[key.where].insert(values.elements.begin(), values.elements.end());
    if (values.unknown) open.insert(key.where);
  }
  for (const auto& [key, values] : before.values) {
    if (!now.contexts.contains(key.where)) continue;  // the test is gone, which is G40's to say
    if (key.kind == FactKind::list) {
      if (!values.elements.empty() && !open.contains(key.where))
        judge_list(key, values, now, arrived[key.where], out);
      continue;
    }
    const auto found = now.values.find(key);
    if (found != now.values.end()) {
      const auto calls = [&](const State& state) {
        const auto at = state.comparisons.find(key.where);
        return at == state.comparisons.end() ? 0 : at->second;
      };
      judge_numbers(key, values.numbers, found->second.numbers, calls(now) > calls(before), out);
    }
  }
  for (const auto& [key, values] : now.values) {
    if (key.kind != FactKind::tolerance || before.values.contains(key)) continue;
    const auto was = before.comparisons.find(key.where), is = now.comparisons.find(key.where);
    if (was == before.comparisons.end() || is == now.comparisons.end() || is->second > was->second) continue;
    judge_numbers(key, {}, values.numbers, false, out);
  }
  return out;
}

// Tests, and what tests call: a helper that compares stands beside the code it serves
// (python/triton/testing.py).
bool concerns(const model::PolicyConfig& policy, const std::string& path) {
  const std::string low = core::to_lower(path);
  return is_test_path(policy, path) || low.find("test") != std::string::npos ||
         low.find("tolerance") != std::string::npos;
}

Result<void> listed(PickScope& scope, Items& items) {
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::base, Tree::upstream));
  State before, after;
  for (const git::TreeDelta& delta : *deltas) {
    if (!concerns(view.policy(), delta.path) || view.dropped(delta.path) != nullptr) continue;
    TRY_ASSIGN(const std::optional<git::TreeEntry> onto, view.entry(Tree::onto, delta.path));
    TRY_ASSIGN(const std::optional<git::TreeEntry> proposed, view.entry(Tree::proposed, delta.path));
    if (onto && proposed && onto->oid == proposed->oid) continue;  // nothing of it arrives
    TRY_ASSIGN(const FileText* base, view.file(Tree::base, delta.path));
    TRY_ASSIGN(const FileText* upstream, view.file(Tree::upstream, delta.path));
    if (base->binary || upstream->binary) continue;
    add(before, delta.path, base->text);
    add(after, delta.path, upstream->text);
  }
  for (const auto& [key, finding] : compare(before, after)) {
    model::VerdictItem item =
        make_item(finding.place.path, finding.place.text, finding.detail + ", by the upstream commit itself",
                  upstream_judgement(view.policy(), finding.place.path));
    item.line = finding.place.line;
    item.origin = "upstream";
    items.push_back(std::move(item));
  }
  return {};
}

Result<Items> judge(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  State ours, theirs, now;
  for (const git::TreeDelta& delta : *deltas) {
    if (!concerns(view.policy(), delta.path)) continue;
    FileSides sides;
    TRY(read_sides(view, delta.path, sides));
    TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, delta.path));
    add(ours, delta.path, sides.ours);
    add(theirs, delta.path, sides.theirs);
    if (!proposed->binary) add(now, delta.path, proposed->text);
  }
  // What stands on one of the sides is that side's.
  const Findings against_theirs = compare(theirs, now);
  for (const auto& [key, finding] : compare(ours, now)) {
    if (!against_theirs.contains(key)) continue;
    items.push_back(make_item(finding.place.path, finding.place.text,
                              finding.detail + "; only a person can do that, by a change of their own",
                              Judgement::block));
    items.back().line = finding.place.line;
  }
  TRY(listed(scope, items));
  cap(items);
  return items;
}

}  // namespace

constinit const Rule g45{
    .id = "G45",
    .title = "tolerances and coverage of values",
    .fail = "BLOCK",
    .passes =
        "numbers in calls or keys named like a tolerance do not grow; lists of dtypes, shapes, seeds and "
        "parameters do not "
        "shrink; loop counts do not fall; U's own changes are listed",
    .lift = "the change by a person, outside of a pick",
    .example = "a resolver that met a numeric mismatch made `atol=1e-3` of `1e-5`",
    .pick = judge,
    .companion = true,
};

}  // namespace sluice::guardrails
