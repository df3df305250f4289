// SPDX-License-Identifier: Apache-2.0
#include "service/gate_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/text.h"
#include "ingest/history.h"
#include "service/gate_policy.h"

namespace sluice::service {

namespace {

constexpr std::size_t most_commits = 2'000'000;  // of upstream's history

// Facts made of trees have commits that nobody wrote: the same ones in every run.
model::Person nobody() { return {"sluice", "sluice@localhost", 0, 0}; }

Result<Oid> named_commit(const git::Reader& reader, const std::string& name, const char* flag) {
  auto oid = reader.resolve(name);
  if (!oid.ok()) return make_error(oid.error().kind, fmt::format("{} {}: {}", flag, core::printable(name), oid.error().message));
  return oid;
}

}  // namespace

model::Verdict unresolved_verdict(const std::string& why) {
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

GateSession::GateSession(git::Repo repo, git::Reader upstream, git::Reader fork, git::Picker picker, model::Config config,
                         ingest::TrailerRules trailers, ingest::SourceWords words, GateAccount account)
    : repo_(std::move(repo)),
      upstream_(std::move(upstream)),
      fork_(std::move(fork)),
      picker_(std::move(picker)),
      config_(std::move(config)),
      trailers_(std::move(trailers)),
      words_(std::move(words)),
      account_(std::move(account)) {}

Result<GateSession> GateSession::open(const GateOptions& options) {
  const std::string upstream_repo = options.upstream_repo.empty() ? options.fork_repo : options.upstream_repo;
  TRY_ASSIGN(git::Reader upstream, git::Reader::open(upstream_repo));
  TRY_ASSIGN(git::Reader fork, git::Reader::open(options.fork_repo));
  TRY_ASSIGN(GatePolicy policy, gate_policy(options, &fork));
  TRY_ASSIGN(GateAccount account, GateAccount::read(options.account_file, options.body_file));
  std::vector<std::string> patterns = policy.config.trailer_patterns;
  const auto& known = ingest::well_known_trailers();  // for a fork that nobody has configured
  patterns.insert(patterns.end(), known.begin(), known.end());
  TRY_ASSIGN(ingest::TrailerRules trailers, ingest::TrailerRules::compile(patterns));
  TRY_ASSIGN(ingest::SourceWords words, ingest::SourceWords::compile());
  const bool one = upstream.git_dir() == fork.git_dir();
  std::vector<std::string> stores{options.fork_repo};
  if (!one) stores.insert(stores.begin(), upstream_repo);
  TRY_ASSIGN(git::Repo repo, git::Repo::scratch_over(stores));
  TRY_ASSIGN(git::Picker picker, git::Picker::open(repo, policy.config.policy.paths));
  GateSession session(std::move(repo), std::move(upstream), std::move(fork), std::move(picker), std::move(policy.config),
                      std::move(trailers), std::move(words), std::move(account));
  session.policy_source_ = std::move(policy.source);
  session.filter_ = {options.rules, options.paths};
  session.one_repository_ = one;
  session.single_ = options.branch.empty();
  TRY(session.find_upstream_tip(options));
  return session;
}

Result<void> GateSession::find_upstream_tip(const GateOptions& options) {
  if (!options.upstream_tip.empty()) {
    TRY_ASSIGN(upstream_tip_, in_upstream(options.upstream_tip, "--upstream-tip"));
    return {};
  }
  std::vector<std::string> names;
  const std::string& branch = config_.upstream.branch;
  if (model::is_oid(branch)) {
    names.push_back(branch);
  } else if (!branch.empty()) {
    names.push_back("refs/remotes/upstream/" + branch);
    if (!one_repository_) names.push_back("refs/heads/" + branch);
    names.push_back("refs/sluice/upstream");
  }
  if (!one_repository_) names.push_back("HEAD");
  for (const std::string& name : names) {
    const auto tip = upstream_.resolve(name);
    if (!tip.ok()) continue;
    upstream_tip_ = *tip;
    return {};
  }
  return {};  // unknown: what its repository holds is upstream's
}

Result<Oid> GateSession::in_fork(const std::string& name, const char* flag) const { return named_commit(fork_, name, flag); }
Result<Oid> GateSession::in_upstream(const std::string& name, const char* flag) const { return named_commit(upstream_, name, flag); }

Result<Oid> GateSession::trunk() const {
  const std::string& branch = config_.fork.branch;
  if (branch.empty()) return make_error(ErrorKind::invalid, "--branch needs --onto BASE, or a --config that names the fork's branch");
  for (const std::string& name : {"refs/remotes/origin/" + branch, "refs/heads/" + branch}) {
    auto tip = fork_.resolve(name);
    if (tip.ok()) return tip;
  }
  return make_error(ErrorKind::not_found, fmt::format("the fork's repository has neither origin/{0} nor a branch {0}, which [fork] branch names; give --onto BASE", branch));
}

Result<bool> GateSession::is_upstreams(const Oid& commit) {
  if (upstream_tip_.empty()) return upstream_.has(commit);
  const auto known = upstreams_.find(commit);
  if (known != upstreams_.end()) return known->second;
  bool reachable = commit == upstream_tip_;
  if (!reachable) {
    TRY_ASSIGN(reachable, reader().is_ancestor(commit, upstream_tip_));
  }
  upstreams_.emplace(commit, reachable);
  return reachable;
}

Result<void> GateSession::to_upstream_order(std::vector<Oid>& commits) {
  if (commits.size() < 2) return {};
  if (!upstream_tip_.empty() && position_.empty()) {
    TRY_ASSIGN(const std::vector<Oid> log, upstream_.log(upstream_tip_, Oid{}, most_commits));
    for (std::size_t i = 0; i < log.size(); ++i) position_.emplace(log[i], log.size() - i);
  }
  // Where a commit is not on the line, the time that upstream took it says its place.
  std::vector<std::pair<std::pair<std::size_t, std::int64_t>, Oid>> keyed;
  for (const Oid& oid : commits) {
    TRY_ASSIGN(const git::Commit commit, reader().commit(oid));
    const auto at = position_.find(oid);
    keyed.push_back({{at == position_.end() ? 0 : at->second, commit.committer.time}, oid});
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < keyed.size(); ++i) commits[i] = keyed[i].second;
  return {};
}

Result<GateSession::Facts> GateSession::facts_between(const Oid& base_tree, const Oid& upstream_tree, const Oid& onto, const Oid& result) {
  const auto write = [&](const Oid& tree, std::vector<Oid> parents) {
    return repo_.write_commit({tree, std::move(parents), nobody(), nobody(), "one change of two trees\n"});
  };
  TRY_ASSIGN(const Oid before, write(base_tree, {}));
  TRY_ASSIGN(const Oid change, write(upstream_tree, {before}));
  return facts_of(change, onto, result);
}

Result<model::Verdict> GateSession::judge(const Facts& given, guardrails::Judged what, const std::string& message, const std::string& name,
                                          const guardrails::RuleFilter& filter) {
  if (!given.why.empty()) return unresolved_verdict(given.why);
  guardrails::PickFacts facts = given.facts;
  const auto theirs = reader().commit(facts.upstream);
  TRY_ASSIGN(facts.account, account_.of_commit(facts.upstream, theirs.ok() ? theirs->message : std::string(), message, "the message of " + name));
  const auto judged = [&] { return guardrails::judge_pick(reader(), facts, policy(), filter, what, &memory_); };
  model::Verdict verdict = judged();
  // Entries that name nobody go where they answer something. Of a single judgement they are all: a false one counts.
  const auto more = single_ ? account_.all_open(verdict) : account_.that_answer(verdict);
  if (more.empty()) return verdict;
  facts.account.insert(facts.account.end(), more.begin(), more.end());
  return judged();
}

std::string GateSession::some_path(const Oid& before, const Oid& after) const {
  const auto a = reader().tree_of(before), b = reader().tree_of(after);
  if (!a.ok() || !b.ok()) return {};
  const auto deltas = reader().diff_trees(*a, *b);
  return deltas.ok() && !deltas->empty() ? deltas->front().path : std::string();
}

}  // namespace sluice::service
