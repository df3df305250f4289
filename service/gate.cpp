// SPDX-License-Identifier: Apache-2.0
#include "service/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/config.h"
#include "core/file.h"
#include "core/text.h"
#include "git/git.h"
#include "guardrails/guardrails.h"

namespace sluice::service {

namespace {

Result<model::PolicyConfig> gate_policy(const GateOptions& options) {
  model::PolicyConfig policy;
  if (!options.config.empty()) {
    TRY_ASSIGN(const model::Config config, config::load(options.config));
    policy = config.policy;
  }
  for (const std::string& glob : options.drop_missing) {
    model::PathConfig path;
    path.glob = glob;
    path.missing = model::MissingSay::drop;
    policy.paths.insert(policy.paths.begin(), path);
  }
  return policy;
}

model::Verdict unresolved(const std::string& why) {
  model::Verdict verdict;
  verdict.mode = "pick";
  verdict.judgement = model::Judgement::unresolved;
  model::RuleResult rule;
  rule.id = "merge";
  rule.title = "the machine merge could not be made";
  rule.judgement = model::Judgement::unresolved;
  model::VerdictItem item;
  item.detail = why;
  item.judgement = model::Judgement::unresolved;
  rule.items.push_back(item);
  verdict.rules.push_back(rule);
  return verdict;
}

// A name that is no rule, or rules none of which can judge here, would read as "pass".
Result<void> check_rules(const std::vector<std::string>& names) {
  const auto catalogue = guardrails::catalogue();
  for (const std::string& name : names) {
    const bool known = std::any_of(catalogue.begin(), catalogue.end(), [&](const auto& rule) { return rule.id == name; });
    if (known) continue;
    std::string ids;
    for (const auto& rule : catalogue) ids += " " + rule.id;
    return make_error(ErrorKind::invalid, fmt::format("--rules: '{}' is not a rule; the rules are{}", core::printable(name), ids));
  }
  return {};
}

Result<model::Verdict> judged_at_all(model::Verdict verdict) {
  if (std::any_of(verdict.rules.begin(), verdict.rules.end(), [](const auto& rule) { return rule.applicable; })) return verdict;
  return make_error(ErrorKind::invalid, "--rules names only rules that a single pick cannot be judged by (they need a unit and its suites); nothing was judged");
}

}  // namespace

Result<model::Verdict> gate(const GateOptions& options) {
  TRY(check_rules(options.rules));
  TRY_ASSIGN(const model::PolicyConfig policy, gate_policy(options));
  std::vector<model::AccountEntry> account;
  if (!options.account_file.empty()) {
    TRY_ASSIGN(const std::string text, core::read_file(options.account_file, 4u << 20));
    auto json = core::Json::parse(text);
    if (!json.ok()) return make_error(ErrorKind::invalid, fmt::format("{}: {}", options.account_file, json.error().message));
    auto parsed = model::parse_account(*json);
    if (!parsed.ok()) return make_error(ErrorKind::invalid, fmt::format("{}: {}", options.account_file, parsed.error().message));
    account = std::move(*parsed);
  }
  // Names are resolved where they were given: `main` of the fork is not `main` of upstream.
  TRY_ASSIGN(const git::Reader upstream, git::Reader::open(options.upstream_repo));
  TRY_ASSIGN(const git::Reader fork, git::Reader::open(options.fork_repo));
  const auto resolve = [](const git::Reader& reader, const std::string& name, const char* flag) -> Result<Oid> {
    auto oid = reader.resolve(name);
    if (!oid.ok()) return make_error(oid.error().kind, fmt::format("{} {}: {}", flag, name, oid.error().message));
    return oid;
  };
  TRY_ASSIGN(const Oid u, resolve(upstream, options.upstream, "--upstream"));
  TRY_ASSIGN(const Oid d, resolve(fork, options.onto, "--onto"));
  TRY_ASSIGN(const Oid p, resolve(fork, options.result, "--result"));

  TRY_ASSIGN(git::Repo repo, git::Repo::scratch_over({options.upstream_repo, options.fork_repo}));
  const git::Reader& reader = repo.reader();
  guardrails::PickFacts facts;
  facts.upstream = u;
  facts.onto_commit = d;
  const auto commit = reader.commit(u);
  const auto onto = reader.tree_of(d), result = reader.tree_of(p);
  if (!commit.ok() || !onto.ok() || !result.ok()) {
    return unresolved(!commit.ok() ? commit.error().message : !onto.ok() ? onto.error().message : result.error().message);
  }
  facts.upstream_tree = commit->tree;
  facts.onto_tree = *onto;
  facts.proposed_tree = *result;
  facts.base_tree = std::string(model::empty_tree);
  if (!commit->parents.empty()) {
    facts.upstream_parent = commit->parents[0];
    const auto base = reader.tree_of(facts.upstream_parent);
    if (!base.ok()) return unresolved(base.error().message);
    facts.base_tree = *base;
  }
  TRY_ASSIGN(git::Picker picker, git::Picker::open(repo, policy.paths));
  const model::Pick pick = picker.pick(u, facts.onto_tree);
  if (pick.status == model::PickStatus::error || pick.status == model::PickStatus::unknown) {
    return unresolved(fmt::format("{}: {}", pick.cause, pick.detail));
  }
  facts.merge_tree = pick.tree;
  facts.conflicted = pick.status == model::PickStatus::conflict;
  facts.conflicts = pick.conflicts;
  facts.dropped = pick.dropped;
  facts.renames_skipped = pick.renames_skipped;
  facts.account = std::move(account);
  return judged_at_all(guardrails::judge_pick(reader, facts, policy, {options.rules, options.paths}));
}

std::string verdict_text(const model::Verdict& verdict) {
  std::string out = fmt::format("verdict: {}\n", model::to_string(verdict.judgement));
  std::string not_applicable;
  for (const model::RuleResult& rule : verdict.rules) {
    if (!rule.applicable) {
      not_applicable += " " + rule.id;
      continue;
    }
    if (rule.judgement == model::Judgement::pass && rule.items.empty()) continue;
    out += fmt::format("{} {} ({})\n", rule.id, rule.title, model::to_string(rule.judgement));
    for (const model::VerdictItem& item : rule.items) {
      out += fmt::format("  {}{}{}{}\n", core::printable(item.path), item.line > 0 ? fmt::format(":{}", item.line) : "",
                         item.text.empty() ? "" : "  " + core::printable(item.text),
                         item.judgement == model::Judgement::pass ? "" : fmt::format("  [{}]", model::item_id(rule.id, item)));
      std::string more = core::printable(item.detail, 400);
      if (!item.introduced_by.empty()) more += fmt::format(" (introduced by {})", item.introduced_by);
      if (!item.lifted_by.empty()) more += fmt::format(" (lifted by {})", core::printable(item.lifted_by));
      if (item.origin == "upstream" && item.judgement == model::Judgement::pass && item.lifted_by.empty()) more += " (upstream's own, listed only)";
      if (!more.empty()) out += fmt::format("      {}\n", more);
    }
  }
  for (const model::SuiteResult& suite : verdict.suites) {
    out += fmt::format("suite {} {}{}\n", suite.id, model::to_string(suite.outcome), suite.reason.empty() ? "" : ": " + suite.reason);
  }
  if (!not_applicable.empty()) out += fmt::format("not applicable:{}\n", not_applicable);
  if (verdict.judgement != model::Judgement::pass) {
    out += "docs/guardrails.md says what each rule means and what lifts it; an entry of `--account FILE` explains a difference.\n";
  }
  return out;
}

}  // namespace sluice::service
