// SPDX-License-Identifier: Apache-2.0
// What is picked, judged and landed as one: a bundle, a risky chain, or a pin move.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/oid.h"
#include "core/model/pick.h"

namespace sluice::model {

// The lane of a commit. none = settled without a pick (won't-port, cancelled pair).
enum class Route { bundle, chain, pin, none };
// What kind of work it is; reports print it in capitals.
enum class Handling { code, semantic_adapt, toolchain, workflow_provenance };
// revert: takes back what landed; its `commits` are the upstream commits that leave the fork.
enum class UnitKind { bundle, chain, pin, revert };
enum class UnitState { routed, picked, proposed, validating, cleared, in_review, landed, parked, taken, dropped };

std::string_view to_string(Route);
std::string_view to_string(Handling);
std::string_view to_string(UnitKind);
std::string_view to_string(UnitState);
// The word in `required_for` of a suite: a revert must pass what a chain must pass.
std::string_view suite_lane(UnitKind);
std::optional<UnitKind> parse_unit_kind(std::string_view);
std::optional<UnitState> parse_unit_state(std::string_view);

struct Unit {
  std::string id;  // "b-", "c-", "p-" or "r-" and 10 hex digits of sha256(kind, members): equal inputs, equal id
  UnitKind kind = UnitKind::bundle;
  UnitState state = UnitState::routed;
  std::vector<Oid> commits;     // upstream order
  std::string reason;           // why parked / ejected / set apart, for people
  std::string rule;             // the rule or suite that stopped it, e.g. "G26", "lit"; empty = none
  Oid base;                     // trunk commit it was last judged on
  Oid landed;                   // trunk commit after landing
  std::int64_t created_at = 0;  // also the committer date of its fold (G05)
  int validations = 0;          // times that its suites were run to an end
};

std::string unit_id(UnitKind kind, const std::vector<Oid>& commits);

// One commit of a plan: where it goes and why.
struct Routing {
  Oid oid;
  Route route = Route::none;
  Handling handling = Handling::code;
  std::string unit;                  // empty for route none
  std::vector<std::string> reasons;  // sentences for people, most important first
  std::vector<Oid> depends_on;       // pending commits it needs, upstream order
  Pick pick;                         // on the tree its unit would be applied to
  PickStatus pick_trunk = PickStatus::unknown;  // on the trunk tip alone
};

}  // namespace sluice::model
