// SPDX-License-Identifier: Apache-2.0
// What the guardrails found, and the proof that everything passed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/model/evidence.h"
#include "core/model/oid.h"

namespace sluice::guardrails {
class Minter;  // the only friend of Clearance; defined in guardrails/
}

namespace sluice::model {

// PASS < EXPLAIN < ESCALATE < unresolved < BLOCK. unresolved: the judge could not judge.
enum class Judgement { pass, explain, escalate, unresolved, block };
std::string_view to_string(Judgement);
std::optional<Judgement> parse_judgement(std::string_view);
inline Judgement worse(Judgement a, Judgement b) { return a < b ? b : a; }
// gate, numerics, audit verify: pass 0, explain 1, block 1, unresolved 3, escalate 4. Which one decides
// when several hold: block, unresolved, escalate, explain.
int exit_status(Judgement);

struct VerdictItem {
  std::string path;
  std::int64_t line = 0;  // 1-based in the tree where the text stands; 0 = none
  std::string text;       // the offending line or name, at most 300 bytes
  std::string detail;     // what is wrong and what would lift it
  std::string origin;     // "proposal" | "upstream" (listed only) | "fork"
  Oid introduced_by;      // fork commit that wrote the line (G23)
  std::string lifted_by;  // the accounting entry that lifted it, as "CODE arg"
  Judgement judgement = Judgement::pass;  // of this item after accounting
  Oid member;             // upstream commit of the member concerned; empty = whole unit
  std::string norm_sha256;  // of the whole line without whitespace: what an accounting entry names; empty = no line
  std::string account;    // kind of the accounting entry that answers it, e.g. downstream_lost; empty = none can
  bool companion = false;  // about what a person added to the pick, not the pick
  std::string proposes;   // an entry of the configuration that would keep the line from now on (G23); shown, not hashed
};

// 12 hex digits over rule, kind, path, line without whitespace, and member: the same finding has the same id in
// every run, so that people and programs can speak of it.
std::string item_id(std::string_view rule, const VerdictItem& item);

struct RuleResult {
  std::string id;     // "G23"
  std::string title;  // a few words
  int version = 1;
  bool applicable = true;
  bool observed = false;  // [rules] mode = "observe": judged and listed, not counted in the verdict
  std::string mode = {};  // what the policy makes of the rule: "enforce", "observe", "off"; shown, not hashed
  Judgement judgement = Judgement::pass;
  std::int64_t elapsed_us = 0;  // timings_json()
  std::vector<VerdictItem> items;
};

// What a verdict was computed from, member by member: commit U, trees B, U, D, M, P.
struct VerdictInput {
  Oid upstream, base_tree, upstream_tree, onto_tree, merge_tree, proposed_tree;
  std::string account_sha256;  // of its accounting record; empty = none
};

struct SuiteResult {
  std::string id, tier, runner, grade, evidence;
  Outcome outcome = Outcome::unresolved;
  std::string reason;  // why not pass
  std::map<std::string, int> counts;  // by TestState
};

struct Verdict {
  std::string mode;  // "pick" | "unit"
  Oid base, tree;
  Judgement judgement = Judgement::unresolved;
  std::vector<RuleResult> rules;
  std::vector<SuiteResult> suites;
  std::vector<VerdictInput> inputs;
  std::string policy_sha256;
  std::string policy_blob;  // where the policy stands in a ref of the fork: the blob in force
  std::string context_sha256;
  std::map<std::string, std::string> tools;  // name -> version
  // sha256 of the record without times, hosts and paths: the trailer Sluice-Evidence.
  std::string digest() const;
};

core::Json to_json(const Verdict&);  // schema sluice.verdict/1
// How long each rule took, by id, in microseconds: kept beside a stored record as `timings_us`. No part of to_json(),
// so that the same inputs give the same bytes.
core::Json timings_json(const Verdict&);
// The digest of a record as to_json() wrote it, with or without its timings.
std::string record_digest(const core::Json& record);

// Proof that every guardrail passed for one tree on one base. Never stored: after a restart it is
// judged again. Only guardrails can make one; landing demands it.
class Clearance {
 public:
  const std::string& unit() const { return unit_; }
  const Oid& base() const { return base_; }  // trunk commit D
  const Oid& tree() const { return tree_; }  // tree P that was judged
  const std::string& verdict_digest() const { return verdict_digest_; }
  const std::vector<std::string>& evidence() const { return evidence_; }

 private:
  friend class guardrails::Minter;
  Clearance() = default;
  std::string unit_;
  Oid base_, tree_;
  std::string verdict_digest_;
  std::vector<std::string> evidence_;
};

}  // namespace sluice::model
