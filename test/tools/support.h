// SPDX-License-Identifier: Apache-2.0
// One conflicted pick of a small history, its buffer, and checks that a test can read.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "core/json.h"
#include "core/text.h"
#include "git/git.h"
#include "guardrails/guardrails.h"
#include "test/support/history.h"
#include "tools/tools.h"

namespace sluice::tools::testing {

using core::Json;
using model::Judgement;
using model::Rung;
using test_support::History;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}
inline void must(Result<void> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
}
template <class T>
std::string error_of(const Result<T>& result) {
  return result.ok() ? "(no error)" : result.error().message;
}

// Upstream commit U of repository `up` picked onto commit D of repository `down`.
class Pick {
 public:
  explicit Pick(std::string_view script)
      : history(script), repo(must(git::Repo::scratch_over({history.path("up"), history.path("down")}))) {
    auto picker = must(git::Picker::open(repo, {}));
    const git::Commit upstream = must(repo.reader().commit(history.id("U")));
    world.reader = &repo.reader();
    world.upstream.oid = upstream.oid;
    world.upstream.parent = upstream.parents.at(0);
    world.upstream.parents = upstream.parents;
    world.upstream.tree = upstream.tree;
    world.base_tree = must(repo.reader().tree_of(upstream.parents.at(0)));
    world.ours_tree = history.tree("D");
    world.theirs_tree = upstream.tree;
    world.onto_commit = history.id("D");
    const model::Pick pick = picker.pick(upstream.oid, history.tree("D"));
    if (pick.status != model::PickStatus::conflict) throw std::runtime_error("the pick has no conflict: " + pick.detail);
    world.merged_tree = pick.tree;
    world.conflicts = pick.conflicts;
  }

  Buffer& buffer() {
    if (!buffer_) buffer_.emplace(must(Buffer::open(world)));
    return *buffer_;
  }
  const Place& place(std::size_t k = 0) { return buffer().places().at(k); }
  std::string id(std::size_t k = 0) { return place(k).region.id; }
  std::string text(const Oid& tree, const std::string& path) { return must(repo.reader().file(tree, path)).value_or("(absent)"); }
  std::string proposed(const std::string& path) { return must(buffer().text(path)).value_or("(absent)"); }
  // What resolve() says of an answer; empty = it was taken.
  std::string resolve(std::string_view region, std::string text, const std::string& action) {
    const auto done = buffer().resolve(region, std::move(text), action, "because");
    return done.ok() ? std::string() : done.error().message;
  }
  std::string adapt(const std::string& path, std::string_view from, std::string_view to, const std::string& code = "SIGNATURE") {
    const auto done = buffer().adapt(path, from, to, code, "follows the commit");
    return done.ok() ? std::string() : done.error().message;
  }

  History history;
  git::Repo repo;
  World world;

 private:
  std::optional<Buffer> buffer_;
};

// Findings by a function of the draft; every draft is kept.
class ListedChecks : public Checks {
 public:
  using Find = std::function<std::vector<Finding>(Level, const Draft&)>;
  explicit ListedChecks(Find find = {}) : find_(std::move(find)) {}

  Result<std::vector<Finding>> findings(Level level, const Draft& draft) override {
    drafts.push_back(draft);
    if (fails) return *fails;
    return find_ ? find_(level, draft) : std::vector<Finding>();
  }
  Result<std::string> verify(const model::AccountEntry& entry, const Draft&) override {
    verified.push_back(entry);
    return entry.code == "ALREADY_PRESENT" ? std::string("the fork's file has the line 0 times") : std::string();
  }
  Result<std::optional<std::string>> run_driver(const model::ResolverConfig&, const DriverFiles&) override { return std::optional<std::string>(); }

  std::vector<Draft> drafts;
  std::vector<model::AccountEntry> verified;
  std::optional<Error> fails;

 private:
  Find find_;
};

// The guardrails themselves, on the tree that a draft amounts to.
class RuleChecks : public Checks {
 public:
  explicit RuleChecks(Pick& pick) : pick_(pick) {}

  model::Verdict judge(const Draft& draft) {
    std::vector<git::TreeUpdate> updates;
    for (const DraftFile& file : draft.files) {
      std::optional<git::TreeEntry> entry;
      if (file.text) entry = git::TreeEntry{file.mode, must(pick_.repo.write_blob(*file.text))};
      updates.push_back({file.path, entry});
    }
    guardrails::PickFacts facts;
    facts.upstream = pick_.world.upstream.oid;
    facts.upstream_parent = pick_.world.upstream.parent;
    facts.base_tree = pick_.world.base_tree;
    facts.upstream_tree = pick_.world.theirs_tree;
    facts.onto_tree = pick_.world.ours_tree;
    facts.merge_tree = pick_.world.merged_tree;
    facts.onto_commit = pick_.world.onto_commit;
    facts.conflicted = true;
    facts.conflicts = pick_.world.conflicts;
    facts.proposed_tree = updates.empty() ? draft.base : must(pick_.repo.write_tree(draft.base, updates));
    facts.resolutions = draft.resolutions;
    facts.account = draft.account;
    return guardrails::judge_pick(pick_.repo.reader(), facts, {}, {});
  }
  Judgement of(const std::string& rule, const Draft& draft) {
    for (const model::RuleResult& result : judge(draft).rules) {
      if (result.id == rule) return result.judgement;
    }
    throw std::runtime_error("no rule " + rule);
  }

  Result<std::vector<Finding>> findings(Level, const Draft& draft) override {
    std::vector<Finding> out;
    for (const model::RuleResult& rule : judge(draft).rules) {
      for (const model::VerdictItem& item : rule.items) {
        if (!rule.applicable || rule.observed || item.judgement == Judgement::pass) continue;
        out.push_back({rule.id, item.judgement, item.path, item.line, item.text, item.detail, item.norm_sha256, item.account, 1});
      }
    }
    return out;
  }
  Result<std::string> verify(const model::AccountEntry& entry, const Draft& draft) override {
    Draft with = draft;
    with.account.push_back(entry);
    TRY_ASSIGN(const auto found, findings(Level::static_rules, with));
    for (const Finding& finding : found) {
      if (finding.item_id == entry.norm_sha256 && finding.judgement == Judgement::block) return finding.detail;
    }
    return std::string();
  }
  Result<std::optional<std::string>> run_driver(const model::ResolverConfig&, const DriverFiles&) override { return std::optional<std::string>(); }

 private:
  Pick& pick_;
};

inline Descriptions descriptions() {
  Descriptions out;
  for (const char* name : {"list_conflicts", "get_region", "read_lines", "search", "why_line", "upstream_patch", "resolve_region",
                           "adapt_lines", "account", "run_checks", "submit", "give_up"})
    out.emplace_back(name, std::string("what ") + name + " is for");
  return out;
}

// A pick with all its tools.
template <class C>
class Bench {
 public:
  template <class... Arguments>
  explicit Bench(std::string_view script, Arguments&&... arguments)
      : pick(script), checks(make(pick, std::forward<Arguments>(arguments)...)), box(must(Toolbox::open(pick.world, pick.buffer(), checks, descriptions()))) {}

  Answer call(std::string_view name, const Json& arguments) { return must(box.call(name, arguments)); }
  Answer call(std::string_view name, const char* arguments) { return call(name, must(Json::parse(arguments))); }
  std::string error(std::string_view name, const char* arguments) { return error(name, must(Json::parse(arguments))); }
  std::string error(std::string_view name, const Json& arguments) {
    const Answer answer = call(name, arguments);
    return answer.is_error ? answer.body["error"].as_string() : "(no error) " + answer.body.dump();
  }
  Answer resolve(std::size_t k, const std::string& text, const std::string& action) {
    return call("resolve_region", Json::object({{"region_id", pick.id(k)}, {"text", text}, {"action", action}, {"reason", "r"}}));
  }

  Pick pick;
  C checks;
  Toolbox box;

 private:
  template <class... Arguments>
  static C make(Pick& pick, Arguments&&... arguments) {
    if constexpr (std::is_constructible_v<C, Pick&, Arguments...>)
      return C(pick, std::forward<Arguments>(arguments)...);
    else
      return C(std::forward<Arguments>(arguments)...);
  }
};

// f.cpp conflicts in line 10 and in line 30; g.cpp is the same everywhere.
inline constexpr const char* two_regions = R"(
  repo up; base40 f.cpp; put g.cpp "int g();\nint h();\nint g_user() { return g(); }\n"; commit B "b"
  fork up down; line f.cpp 10 "int ten_down;"; line f.cpp 30 "int thirty_down;"; commit D "fork: two lines"
  at up; line f.cpp 10 "int ten_up;"; line f.cpp 30 "int thirty_up;"; commit U "u"
)";

}  // namespace sluice::tools::testing

namespace sluice::model {
inline void PrintTo(Judgement judgement, std::ostream* out) { *out << to_string(judgement); }
}  // namespace sluice::model
