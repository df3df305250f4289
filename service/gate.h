// SPDX-License-Identifier: Apache-2.0
// `sluice gate`: a pick, a branch or a landed bundle judged by the policy rules alone, from object stores and nothing
// else: no store of sluice, no build, nothing fetched, nothing written outside a temporary directory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/model/config.h"
#include "core/model/oid.h"
#include "core/model/verdict.h"
#include "core/result.h"
#include "service/submission_account.h"

namespace sluice::service {

using model::Oid;

struct GateOptions {
  std::string upstream_repo;  // empty = the fork's
  std::vector<std::string> upstream;  // U, or the members of a bundle: names git resolves there; empty = what the message names
  std::string upstream_tip;   // upstream's branch: what is upstream's at all. Empty = by the configuration, else HEAD of
                              // a repository of its own
  std::string fork_repo = ".";
  std::string onto, result;   // D and P: commits of the fork; onto empty = the result's first parent
  std::string branch;         // form branch: each commit of onto..branch; onto empty = where it left the configured trunk
  std::string config;         // operator's file; empty = the built-in defaults
  std::string policy;         // REF:PATH in the fork, in place of `config`
  std::string account_file, body_file;  // accounting entries: a JSON list, the body of a request; - = stdin
  std::vector<std::string> drop_missing;  // globs: as [[path]] missing = "drop"
  std::vector<std::string> rules, paths;  // empty = all
};

// One judged commit, or member of a bundle.
struct JudgedCommit {
  // pick: an upstream commit on the fork. companion: what a person added to one. own: the fork's own work. merge: of
  // upstream's line. bundle: several upstream commits in one, judged folded. member: one of them, on the fold of those
  // before it. listed: not judged, see `note`.
  enum class Kind { pick, companion, own, merge, bundle, member, listed } kind = Kind::pick;
  Oid commit;                   // of the fork; empty for a member
  std::vector<Oid> upstream;
  std::string subject;
  std::string note;             // what is special about it, for people
  std::string some_path;        // one that the change touches: where a finding without a path is shown
  model::Verdict verdict;       // listed: pass without a rule
};
std::string_view to_string(JudgedCommit::Kind kind);

struct GateReport {
  std::string form;  // "pick" | "branch" | "bundle"
  Oid base, result;  // commits of the fork
  std::vector<JudgedCommit> commits;
  model::PolicyConfig policy;
  std::string policy_source;       // for people: where it came from
  std::vector<std::string> notes;  // e.g. entries of the account that answer nothing
  model::Judgement judgement() const;  // the worst
};

// Missing objects make a verdict `unresolved`, with the reason in it. Errors: invalid (options, configuration,
// account), not_found (repository, a name), transient (a policy that should be in a ref of the fork, and is not).
Result<GateReport> gate_all(const GateOptions& options);
// The same of one pick. REQUIRES: no branch; errors also where the message names several upstream commits.
Result<model::Verdict> gate(const GateOptions& options);

// sluice.verdict/1 of a pick, else sluice.gate/1.
core::Json gate_json(const GateReport& report);
// The entries that are missing, as `--account FILE` takes them once they are filled in.
core::Json gate_template(const GateReport& report);

enum class Detail { brief, full };  // brief: long lists are cut, with their count
std::string gate_text(const GateReport& report, Detail detail = Detail::brief);
std::string verdict_text(const model::Verdict& verdict, Detail detail = Detail::brief);

// The rules, their modes under this policy and their numbers: `sluice gate --rules` without a list.
Result<std::string> gate_rules_text(const GateOptions& options);
Result<core::Json> gate_rules_json(const GateOptions& options);

// By which it would judge.
Result<model::PolicyConfig> gate_policy_of(const GateOptions& options);

// SARIF 2.1.0, for the annotations of a code host.
core::Json gate_sarif(const GateReport& report, std::string_view version);

}  // namespace sluice::service
