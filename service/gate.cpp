// SPDX-License-Identifier: Apache-2.0
#include "service/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/gate_policy.h"
#include "service/gate_session.h"

namespace sluice::service {

namespace {

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

Result<void> check_options(const GateOptions& options) {
  TRY(check_rules(options.rules));
  if (options.branch.empty() == options.result.empty()) {
    return make_error(ErrorKind::invalid, options.branch.empty() ? "give --result COMMIT (one pick, or a landed bundle) or --branch REF"
                                                                 : "--result and --branch cannot both be given");
  }
  if (!options.branch.empty() && !options.upstream.empty()) {
    return make_error(ErrorKind::invalid, "--upstream goes with --result; in a branch each commit's message names its own");
  }
  return {};
}

Result<void> judged_at_all(const GateReport& report) {
  for (const JudgedCommit& commit : report.commits) {
    if (commit.kind == JudgedCommit::Kind::listed || commit.kind == JudgedCommit::Kind::own) return {};
    const auto& rules = commit.verdict.rules;
    if (std::any_of(rules.begin(), rules.end(), [](const auto& rule) { return rule.applicable; })) return {};
  }
  if (report.commits.empty()) return {};
  return make_error(ErrorKind::invalid, "--rules names only rules that a single pick cannot be judged by (they need a unit and its suites); nothing was judged");
}

// What the result's message says; `--upstream` was not given.
Result<std::vector<Oid>> named_by(GateSession& session, const git::Commit& result) {
  TRY_ASSIGN(GateSession::Named named, session.named(result));
  if (!named.upstream.empty()) return std::move(named.upstream);
  if (!named.absent.empty()) {
    return make_error(ErrorKind::not_found, fmt::format("the message of {} names {}, and no commit of --upstream-repo is called so", result.oid,
                                                        core::join(named.absent, ", ")));
  }
  return make_error(ErrorKind::invalid, fmt::format("the message of {} names no commit of upstream; give --upstream", result.oid));
}

Result<void> judge_result(GateSession& session, const GateOptions& options, GateReport& report) {
  TRY_ASSIGN(report.result, session.in_fork(options.result, "--result"));
  git::Commit result;
  result.oid = report.result;
  auto read = session.reader().commit(report.result);
  if (read.ok()) result = std::move(*read);
  else if (options.onto.empty() || options.upstream.empty()) return read.error();  // it was to say what it is
  if (!options.onto.empty()) {
    TRY_ASSIGN(report.base, session.in_fork(options.onto, "--onto"));
  } else if (!result.parents.empty()) {
    report.base = result.parents.front();
  } else {
    return make_error(ErrorKind::invalid, fmt::format("{} has no parent; give --onto", report.result));
  }
  std::vector<Oid> members;
  for (const std::string& name : options.upstream) {
    TRY_ASSIGN(Oid oid, session.in_upstream(name, "--upstream"));
    if (std::find(members.begin(), members.end(), oid) == members.end()) members.push_back(std::move(oid));
  }
  if (members.empty()) {
    TRY_ASSIGN(members, named_by(session, result));
  } else {
    TRY(session.to_upstream_order(members));
  }
  if (members.size() == 1) return judge_one(session, members.front(), report.base, result, JudgedCommit::Kind::pick, report);
  report.form = "bundle";
  return judge_bundle(session, members, report.base, result, report);
}

}  // namespace

std::string_view to_string(JudgedCommit::Kind kind) {
  switch (kind) {
    case JudgedCommit::Kind::pick:
      return "pick";
    case JudgedCommit::Kind::companion:
      return "companion";
    case JudgedCommit::Kind::own:
      return "own change";
    case JudgedCommit::Kind::merge:
      return "merge of upstream";
    case JudgedCommit::Kind::bundle:
      return "bundle";
    case JudgedCommit::Kind::member:
      return "member";
    case JudgedCommit::Kind::listed:
      return "listed";
  }
  return "?";
}

model::Judgement GateReport::judgement() const {
  model::Judgement out = model::Judgement::pass;
  for (const JudgedCommit& commit : commits) out = model::worse(out, commit.verdict.judgement);
  return out;
}

Result<void> judge_one(GateSession& session, const Oid& upstream, const Oid& onto, const git::Commit& result, JudgedCommit::Kind kind,
                       GateReport& report) {
  JudgedCommit judged;
  judged.kind = kind;
  judged.commit = result.oid;
  judged.upstream = {upstream};
  judged.subject = std::string(ingest::subject_line(result.message));
  const GateSession::Facts facts = session.facts_of(upstream, onto, result.oid);
  TRY_ASSIGN(judged.verdict, session.judge(facts, guardrails::Judged::pick, result.message, result.oid, session.filter()));
  judged.some_path = session.some_path(onto, result.oid);
  report.commits.push_back(std::move(judged));
  return {};
}

Result<GateReport> gate_all(const GateOptions& options) {
  TRY(check_options(options));
  TRY_ASSIGN(GateSession session, GateSession::open(options));
  GateReport report;
  report.form = options.branch.empty() ? "pick" : "branch";
  report.policy = session.policy();
  report.policy_source = session.policy_source();
  if (options.branch.empty()) {
    TRY(judge_result(session, options, report));
  } else {
    TRY(judge_branch(session, options, report));
  }
  TRY(judged_at_all(report));
  for (std::string& note : session.account().unused()) report.notes.push_back(std::move(note));
  return report;
}

Result<model::PolicyConfig> gate_policy_of(const GateOptions& options) {
  TRY_ASSIGN(GatePolicy policy, gate_policy(options, nullptr));
  return std::move(policy.config.policy);
}

Result<model::Verdict> gate(const GateOptions& options) {
  TRY_ASSIGN(GateReport report, gate_all(options));
  if (report.form == "pick") return std::move(report.commits.front().verdict);
  return make_error(ErrorKind::invalid, fmt::format("{} upstream commits are a {}, not a pick", report.commits.size(), report.form));
}

}  // namespace sluice::service
