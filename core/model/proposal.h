// SPDX-License-Identifier: Apache-2.0
// What an agent, a rule or a person proposes: trees and a record of how each conflict was answered.
// It has no power: only guardrails judge it, only landing moves trunk.
#pragma once

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
};

struct Proposal {
  std::string unit;
  Oid base;       // trunk commit D
  Oid base_tree;
  std::vector<ProposalMember> members;  // upstream order; never empty
  Oid tree;       // tree after the last member
  std::string branch;  // trunk ref it is meant for, e.g. refs/heads/main
};

}  // namespace sluice::model
