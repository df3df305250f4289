// SPDX-License-Identifier: Apache-2.0
// Everything a judgement needs to know that is neither a tree nor evidence, by value: guardrails open
// no store. `service` fills it; its hash goes into the verdict.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/model/config.h"
#include "core/model/evidence.h"
#include "core/model/oid.h"
#include "core/model/upstream_commit.h"

namespace sluice::model {

struct JudgeContext {
  Oid upstream_tip;                   // of the recorded upstream ref
  std::set<Oid> landed;               // upstream commits already in the fork, by the ledger
  std::set<std::string> open_deferrals;
  // Lane revert: the trunk commit that carries each upstream commit of the unit, by the ledger, and why the
  // operator takes them back.
  std::map<Oid, Oid> landed_as;
  std::string revert_reason;
  // For each suite id: what the same suite reported on the base tree D (G43, G50).
  std::map<std::string, Evidence> base_evidence;
  // suite id -> "test id" -> reason: new skips that are allowed, not expired at `now`.
  std::map<std::string, std::map<std::string, std::string>> allowed_skips;
  std::vector<std::string> required_suites;      // ids that must have evidence
  std::set<std::string> accepted_environments;   // digests
  std::vector<std::string> nonces;               // of this judgement's runs
  PolicyConfig policy;
  std::map<std::string, std::string> tools;   // name -> version of what judged: sluice, git, libgit2
  // Of repetitions of suites on the base tree, beside base_evidence (G47, G48).
  std::vector<Evidence> base_repetitions;
  // Suite id -> what the suite reported on D with the test files of U laid over it (G49).
  std::map<std::string, Evidence> failing_first;
  std::vector<std::string> held_secrets;      // exact values, never hashed, stored or printed (G61)
  std::string upstream_repo;  // owner/repo or "" (message rewriting, G05)
  std::string subject_prefix; // [message] subject_prefix (G05)
  std::string trunk_ref;      // refs/heads/<fork branch>: the only ref a proposal may be meant for (G06)
  Person committer;           // name and e-mail of sluice; time = committer date of the fold
  std::int64_t now = 0;       // unix seconds
  std::int64_t max_evidence_age_s = 7 * 86400;
  std::string hash() const;   // sha256 of the canonical form, without `now`
};

}  // namespace sluice::model
