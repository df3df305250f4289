// SPDX-License-Identifier: Apache-2.0
// One pick of a small history, with a result that a test edits, and its verdict.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/hash.h"
#include "core/text.h"
#include "git/git.h"
#include "guardrails/guardrails.h"
#include "test/support/history.h"

namespace sluice::guardrails::testing {

using model::Judgement;
using test_support::History;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

// `text` with the first `from` as `to`, which must be there.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no such text: " + std::string(from));
  return text.replace(at, from.size(), to);
}

// One change of a file, for a table of them.
struct Edit {
  const char* name;
  const char* path;
  const char* from;
  const char* to;
};

// Upstream commit U of repository `up` picked onto commit D of repository `down`.
class Pick {
 public:
  explicit Pick(std::string_view script, std::vector<model::PathConfig> paths = {})
      : history(script), repo(must(git::Repo::scratch_over({history.path("up"), history.path("down")}))) {
    policy.paths = paths;
    auto picker = must(git::Picker::open(repo, paths));
    facts.upstream = history.id("U");
    facts.onto_commit = history.id("D");
    facts.onto_tree = history.tree("D");
    facts.upstream_tree = history.tree("U");
    const git::Commit upstream = must(repo.reader().commit(facts.upstream));
    facts.upstream_parent = upstream.parents.at(0);
    facts.base_tree = must(repo.reader().tree_of(facts.upstream_parent));
    pick = picker.pick(facts.upstream, facts.onto_tree);
    facts.merge_tree = facts.proposed_tree = pick.tree;
    facts.conflicted = pick.status == model::PickStatus::conflict;
    facts.conflicts = pick.conflicts;
    facts.dropped = pick.dropped;
  }

  std::string text(const Oid& tree, const std::string& path) {
    return must(repo.reader().file(tree, path)).value_or("");
  }
  void put(const std::string& path, std::string_view content, std::uint32_t mode = 0100644) {
    const Oid blob = must(repo.write_blob(content));
    facts.proposed_tree = must(repo.write_tree(facts.proposed_tree, {{path, git::TreeEntry{mode, blob}}}));
  }
  void edit(const std::string& path, std::string_view from, std::string_view to) {
    put(path, replaced(text(facts.proposed_tree, path), from, to));
  }
  void link(const std::string& path, std::uint32_t mode, const Oid& oid) {
    facts.proposed_tree = must(repo.write_tree(facts.proposed_tree, {{path, git::TreeEntry{mode, oid}}}));
  }
  void drop(const std::string& path) {
    facts.proposed_tree = must(repo.write_tree(facts.proposed_tree, {{path, std::nullopt}}));
  }
  void account(std::string kind, std::string path, std::string_view line, std::string code,
               std::string arg = "", int count = 1) {
    facts.account.push_back({std::move(kind), std::move(path), core::sha256_hex(core::strip_space(line)),
                             count, std::move(code), std::move(arg), "why"});
  }

  model::Verdict judge(std::vector<std::string> rules = {}, std::vector<std::string> paths = {}) {
    return judge_pick(repo.reader(), facts, policy, {std::move(rules), std::move(paths)});
  }
  model::RuleResult rule(const std::string& id) {
    for (model::RuleResult& result : judge().rules) {
      if (result.id == id) return result;
    }
    throw std::runtime_error("no rule " + id);
  }
  Judgement of(const std::string& id) { return rule(id).judgement; }

  History history;
  git::Repo repo;
  model::Pick pick;
  PickFacts facts;
  model::PolicyConfig policy;
};

// `check` after each edit by itself.
template <class Edits, class Check>
void each(Pick& pick, const Edits& edits, Check check) {
  const Oid start = pick.facts.proposed_tree;
  for (const Edit& edit : edits) {
    pick.facts.proposed_tree = start;
    pick.edit(edit.path, edit.from, edit.to);
    check(edit);
  }
}

inline std::vector<std::string> texts(const model::RuleResult& rule) {
  std::vector<std::string> out;
  for (const model::VerdictItem& item : rule.items)
    out.push_back(item.path + ": " + std::string(core::trim(item.text)));
  return out;
}

inline model::PathConfig path_config(const std::string& glob, model::PathClass klass,
                                     model::UpstreamSay upstream = model::UpstreamSay::list) {
  model::PathConfig out;
  out.glob = glob;
  out.klass = klass;
  out.upstream = upstream;
  return out;
}

// The verdict as words, for readable failures.
inline std::string describe(const model::Verdict& verdict) {
  std::string out(model::to_string(verdict.judgement));
  for (const model::RuleResult& rule : verdict.rules) {
    if (!rule.applicable || rule.judgement == Judgement::pass) continue;
    out += "\n  " + rule.id + " " + std::string(model::to_string(rule.judgement));
    for (const model::VerdictItem& item : rule.items)
      out += "\n    " + item.path + " [" + item.text + "] " + item.detail;
  }
  return out;
}

}  // namespace sluice::guardrails::testing

namespace sluice::model {
inline void PrintTo(Judgement judgement, std::ostream* out) { *out << to_string(judgement); }
}  // namespace sluice::model
