// SPDX-License-Identifier: Apache-2.0
// What an agent, a rule or a person proposes: trees and a record of how each conflict was answered.
// It has no power: only guardrails judge it, only landing moves trunk.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/accounting.h"
#include "core/model/oid.h"
#include "core/model/pick.h"
#include "core/model/upstream_commit.h"

namespace sluice::model {

enum class Rung { machine, remembered, proven, candidate, external, model, person };
std::string_view to_string(Rung);

// How one conflict region (or one whole path without regions) was answered.
struct Resolution {
  std::string path;
  std::string region_id;  // 12 hex digits of sha256 over path, ordinal, base, ours, theirs; empty = whole path
  Rung rung = Rung::machine;
  std::string rule;    // A1s, EOL, EOF, keep-deleted, ...
  std::string action;  // ours, theirs, both, mixed, deleted
  std::string reason;
  std::string transcript = {};  // rung model: the run that gave it; shown, not judged
};

// What a person adds to a pick that merged cleanly: a local adaptation, a regression test. A commit of its
// own right after the pick, so that the pick itself stays the machine merge (G02).
struct Companion {
  Oid tree;
  Person author;
  std::string message;  // with every trailer but Sluice-Evidence
  Oid commit;           // set once written
};

struct ProposalMember {
  UpstreamCommit upstream;  // U, its parent B
  Oid onto;                 // tree D the member is applied to
  Pick pick;                // machine merge M with conflicts C
  Oid tree;                 // P: equals pick.tree when clean
  bool resolved = false;    // C was not empty
  std::vector<Resolution> resolutions;
  std::vector<AccountEntry> account;
  std::string message;      // commit message with every trailer but Sluice-Evidence
  Oid commit;               // set once written
  // Lane revert: the trunk commit L that the member takes back. The machine merge is then the one with base
  // tree L, theirs tree L^1: pick.upstream is L, and `upstream` says which upstream commit leaves the fork.
  Oid reverts;
  std::optional<Companion> companion;  // stands on `tree`; what follows stands on it
  const Oid& end_tree() const { return companion ? companion->tree : tree; }
  const Oid& end_commit() const { return companion ? companion->commit : commit; }
};

struct Proposal {
  std::string unit;
  Oid base;       // trunk commit D
  Oid base_tree;
  std::vector<ProposalMember> members;  // upstream order; never empty
  Oid tree;       // tree after the last member
  std::string branch;  // trunk ref it is meant for, e.g. refs/heads/main
  // Shape merge: one two-parent commit (base, last member) with the tree of the last member. Its message,
  // without Sluice-Evidence; empty = linear, trunk moves to the last member.
  std::string merge_message;
  Oid merge_commit;  // set once written
  // Where trunk moves to. REQUIRES: members not empty and written.
  const Oid& tip() const { return merge_message.empty() ? members.back().end_commit() : merge_commit; }
};

}  // namespace sluice::model
