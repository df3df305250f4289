// SPDX-License-Identifier: Apache-2.0
// G41: what a test demands is still demanded, whether or not the test counts today. Read as lit, FileCheck
// and the languages read it: a formatter that folds a pipeline into a comment leaves every count equal.
#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/text.h"
#include "guardrails/file_facts.h"
#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

struct Directive {
  std::string path;  // where it stood
  std::string key, what, text;
  std::uint32_t line = 0;
  std::vector<std::string> source;  // every line of a joined pipeline
};

// Of one text: every directive by its key.
class Reading {
 public:
  Reading(Tallies& tallies, std::map<std::string, std::vector<std::string>>& sources)
      : tallies_(tallies), sources_(sources) {}

  void add(std::string_view text, const FileFacts& facts, const std::set<std::string>& prefixes, bool lit,
           Side side) {
    const Lines lines(text);
    if (lit) {
      for (const LitPipeline& pipeline : facts.lit.pipelines) {
        const std::string key = "RUN pipeline " + pipeline.text;
        count(tallies_, side, key, pipeline.first_line, pipeline.text, "RUN pipeline");
        sources_.emplace(key, pipeline.source);
      }
      for (const LitMark& mark : facts.lit.marks) {
        if (mark.keyword == "END" || mark.keyword == "ALLOW_RETRIES") continue;
        count(tallies_, side, mark.keyword + ": " + mark.text, mark.line, lines[mark.line], mark.keyword);
      }
    }
    for (const LitCheck& check : read_checks(text, prefixes)) {
      count(tallies_, side, check.text, check.line, check.source,
            check.text.starts_with("expected-") ? "diagnostic" : "check line");
    }
    for (const SourceFact& fact : facts.source) {
      if (fact.kind == FactKind::check)
        count(tallies_, side, fact.key, fact.line, lines[fact.line], "assertion");
    }
  }

 private:
  Tallies& tallies_;
  std::map<std::string, std::vector<std::string>>& sources_;
};

struct Change {
  std::vector<Directive> lost;
  std::map<std::string, int> gained;
};

Result<void> read_change(PickView& view, const std::string& path, Change& change) {
  FileSides sides;
  TRY(read_sides(view, path, sides));
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  const std::string_view now = proposed->binary ? std::string_view() : std::string_view(proposed->text);
  const FileFacts ours = file_facts(path, sides.ours), after = file_facts(path, now);
  const FileFacts theirs = sides.split ? file_facts(path, sides.theirs) : FileFacts();
  const FileFacts base = sides.split ? file_facts(path, sides.base) : FileFacts();
  // One set of prefixes for all: a pipeline that is gone is told as that, not as each line that it checked.
  std::set<std::string> prefixes;
  bool lit = false, any = false;
  for (const FileFacts* facts : {&ours, &theirs, &after}) {
    lit = lit || !facts->lit.pipelines.empty();
    if (facts->lit.pipelines.empty()) continue;
    prefixes.insert(facts->lit.prefixes.begin(), facts->lit.prefixes.end());
    any = true;
  }
  if (!any) prefixes.insert("CHECK");
  Tallies tallies;
  std::map<std::string, std::vector<std::string>> sources;
  Reading reading(tallies, sources);
  reading.add(sides.ours, ours, prefixes, lit, Side::ours);
  reading.add(sides.theirs, sides.split ? theirs : ours, prefixes, lit, Side::theirs);
  reading.add(sides.base, sides.split ? base : ours, prefixes, lit, Side::base);
  reading.add(now, after, prefixes, lit, Side::proposed);
  for (const auto& [key, tally] : tallies) {
    for (int i = 0; i < tally.lost(); ++i) {
      Directive directive{path, key, tally.more, tally.text, tally.line, {}};
      if (const auto found = sources.find(key); found != sources.end()) directive.source = found->second;
      change.lost.push_back(std::move(directive));
    }
    if (tally.gained() > 0) change.gained[key] += tally.gained();
  }
  return {};
}

// Whose the directive is, by the whole files: what B has is both sides' and what the fork alone has is its
// own.
enum class Owner { fork, upstream, both };

Result<Owner> owner_of(PickView& view, const Directive& directive) {
  const std::string norm =
      core::strip_space(directive.source.empty() ? directive.text : directive.source.front());
  TRY_ASSIGN(const FileText* onto, view.file(Tree::onto, directive.path));
  TRY_ASSIGN(const FileText* upstream, view.file(Tree::upstream, directive.path));
  TRY_ASSIGN(const FileText* base, view.file(Tree::base, directive.path));
  const int ours = count_of(onto->counts, norm), theirs = count_of(upstream->counts, norm),
            before = count_of(base->counts, norm);
  if (ours > before && theirs <= before) return Owner::fork;
  if (theirs > before && ours <= before) return Owner::upstream;
  return Owner::both;
}

// Where the line stands in the tree of its owner; 0 when it is no single line of it.
Result<std::uint32_t> line_of(PickView& view, const Directive& directive, Owner owner) {
  TRY_ASSIGN(const FileText* file,
             view.file(owner == Owner::upstream ? Tree::upstream : Tree::onto, directive.path));
  const std::string& text = directive.source.empty() ? directive.text : directive.source.front();
  const auto found = std::find(file->lines.begin(), file->lines.end(), std::string_view(text));
  return found == file->lines.end() ? 0 : static_cast<std::uint32_t>(found - file->lines.begin()) + 1;
}

// Entries are shared with the rules that ask about the same lines (G21, G23), so none is used up; but they
// answer no more losses than they count.
class Answers {
 public:
  explicit Answers(PickScope& scope) : scope_(scope) {}

  // An entry for the joined text, or one for each line that it was joined from.
  Result<Lift> take(const Directive& directive) {
    TRY_ASSIGN(Lift lift, one(directive.path, directive.text));
    if (lift.found) return lift;
    for (const std::string& line : directive.source) {
      TRY_ASSIGN(const Lift part, one(directive.path, line));
      if (!part.found) return Lift{};
      if (!lift.found || lift.judgement < part.judgement) lift = part;
    }
    return lift;
  }

 private:
  Result<Lift> one(const std::string& path, const std::string& line) {
    const std::string sha = core::sha256_hex(core::strip_space(line));
    int counted = 0;
    for (const model::AccountEntry& entry : scope_.view.pick().account) {
      if (entry.path == path && entry.norm_sha256 == sha) counted += entry.count;
    }
    int& used = used_[path + "\n" + sha];
    if (used >= counted) return Lift{};
    ++used;
    return scope_.account.covering(path, line);
  }

  PickScope& scope_;
  std::map<std::string, int> used_;
};

Result<void> judge_lost(PickScope& scope, const Directive& directive, Answers& answers, Items& items) {
  TRY_ASSIGN(const Owner owner, owner_of(scope.view, directive));
  const std::string account = owner == Owner::upstream ? "upstream_added" : "downstream_lost";
  const std::string whose = owner == Owner::fork       ? "the fork's own"
                            : owner == Owner::upstream ? "upstream's"
                                                       : "both sides'";
  model::VerdictItem item =
      explainable_item(directive.path, directive.text, account,
                       fmt::format("a {} is gone ({}); upstream does not remove it", directive.what, whose),
                       owner == Owner::fork ? Judgement::escalate : Judgement::explain);
  TRY_ASSIGN(item.line, line_of(scope.view, directive, owner));
  if (owner == Owner::fork) item.origin = "fork";
  TRY_ASSIGN(const Lift lift, answers.take(directive));
  apply(lift, item);
  items.push_back(std::move(item));
  return {};
}

// What U takes out of a test itself, one item for a file and kind.
Result<void> listed(PickScope& scope, const std::string& path, Items& items) {
  PickView& view = scope.view;
  TRY_ASSIGN(const FileText* base, view.file(Tree::base, path));
  TRY_ASSIGN(const FileText* upstream, view.file(Tree::upstream, path));
  TRY_ASSIGN(const FileText* onto, view.file(Tree::onto, path));
  TRY_ASSIGN(const FileText* proposed, view.file(Tree::proposed, path));
  if (!base->present || base->binary || upstream->binary || onto->text == proposed->text) return {};
  const FileFacts before = file_facts(path, base->text), after = file_facts(path, upstream->text);
  std::set<std::string> prefixes = before.lit.prefixes;
  prefixes.insert(after.lit.prefixes.begin(), after.lit.prefixes.end());
  const bool lit = !before.lit.pipelines.empty() || !after.lit.pipelines.empty();
  Tallies tallies;
  std::map<std::string, std::vector<std::string>> sources;
  Reading reading(tallies, sources);
  for (const Side side : {Side::ours, Side::theirs, Side::base})
    reading.add(base->text, before, prefixes, lit, side);
  reading.add(upstream->text, after, prefixes, lit, Side::proposed);
  std::map<std::string, std::pair<int, const Tally*>> kinds;
  for (const auto& [key, tally] : tallies) {
    if (tally.lost() <= 0) continue;
    auto& [times, first] = kinds[tally.more];
    times += tally.lost();
    if (first == nullptr || tally.line < first->line) first = &tally;
  }
  for (const auto& [kind, found] : kinds) {
    model::VerdictItem item =
        make_item(path, found.second->text,
                  fmt::format("{} x {} removed or changed by the upstream commit itself", found.first, kind),
                  upstream_judgement(view.policy(), path));
    item.line = found.second->line;
    item.origin = "upstream";
    items.push_back(std::move(item));
  }
  return {};
}

Result<Items> judge(PickScope& scope) {
  Items items;
  PickView& view = scope.view;
  TRY_ASSIGN(const std::vector<git::TreeDelta>* deltas, view.changes(Tree::merge, Tree::proposed));
  Change change;
  for (const git::TreeDelta& delta : *deltas) {
    if (!is_test_path(view.policy(), delta.path)) continue;
    TRY_ASSIGN(const Lift dropped, scope.account.dropped(delta.path));
    if (dropped.found && dropped.judgement == Judgement::pass) continue;
    TRY(read_change(view, delta.path, change));
  }
  Answers answers(scope);
  // Pipelines first: they are few, and say more than the lines that they check.
  std::stable_sort(change.lost.begin(), change.lost.end(), [](const Directive& a, const Directive& b) {
    return !a.source.empty() && b.source.empty();
  });
  for (const Directive& directive : change.lost) {
    const auto elsewhere = change.gained.find(directive.key);  // moved
    if (elsewhere != change.gained.end() && elsewhere->second > 0) {
      --elsewhere->second;
      continue;
    }
    TRY(judge_lost(scope, directive, answers, items));
  }
  TRY_ASSIGN(const std::vector<git::TreeDelta>* upstream, view.changes(Tree::base, Tree::upstream));
  for (const git::TreeDelta& delta : *upstream) {
    if (!is_test_path(view.policy(), delta.path) || view.dropped(delta.path) != nullptr) continue;
    TRY(listed(scope, delta.path, items));
  }
  cap(items);
  return items;
}

}  // namespace

constinit const Rule g41{
    .id = "G41",
    .title = "directives are kept",
    .fail = "EXPLAIN, the fork's own ESCALATE",
    .passes =
        "RUN pipelines (as lit parses them), REQUIRES, UNSUPPORTED and XFAIL expressions, and CHECK, "
        "expected-error, assert "
        "and EXPECT lines of D and U are in P, less what U itself removes",
    .lift = "an entry of the three line kinds for each; the fork's own a person",
    .example =
        "facebookexperimental/triton 1e4c71e9b: three RUN pipelines cut before FileCheck, while every count "
        "of RUN, XFAIL and "
        "CHECK stays equal",
    .pick = judge,
};

}  // namespace sluice::guardrails
