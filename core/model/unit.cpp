// SPDX-License-Identifier: Apache-2.0
#include "core/model/unit.h"

#include "core/hash.h"
#include "core/model/names.h"

namespace sluice::model {
namespace {

constexpr NameTable<Route, 4> routes = {
    {{Route::bundle, "bundle"}, {Route::chain, "chain"}, {Route::pin, "pin"}, {Route::none, "none"}}};
constexpr NameTable<Handling, 4> handlings = {{{Handling::code, "code"},
                                               {Handling::semantic_adapt, "semantic_adapt"},
                                               {Handling::toolchain, "toolchain"},
                                               {Handling::workflow_provenance, "workflow_provenance"}}};
constexpr NameTable<UnitKind, 4> kinds = {{{UnitKind::bundle, "bundle"},
                                           {UnitKind::chain, "chain"},
                                           {UnitKind::pin, "pin"},
                                           {UnitKind::revert, "revert"}}};
constexpr NameTable<UnitState, 10> states = {{{UnitState::routed, "routed"},
                                              {UnitState::picked, "picked"},
                                              {UnitState::proposed, "proposed"},
                                              {UnitState::validating, "validating"},
                                              {UnitState::cleared, "cleared"},
                                              {UnitState::in_review, "in_review"},
                                              {UnitState::landed, "landed"},
                                              {UnitState::parked, "parked"},
                                              {UnitState::taken, "taken"},
                                              {UnitState::dropped, "dropped"}}};

}  // namespace

std::string_view to_string(Route r) { return name_in(routes, r); }
std::string_view to_string(Handling h) { return name_in(handlings, h); }
std::string_view to_string(UnitKind k) { return name_in(kinds, k); }
std::string_view suite_lane(UnitKind k) { return to_string(k == UnitKind::revert ? UnitKind::chain : k); }
std::string_view to_string(UnitState s) { return name_in(states, s); }
std::optional<UnitKind> parse_unit_kind(std::string_view text) { return value_in(kinds, text); }
std::optional<UnitState> parse_unit_state(std::string_view text) { return value_in(states, text); }

// Hashed text: the kind and one full oid a line, in the order of the members.
std::string unit_id(UnitKind kind, const std::vector<Oid>& commits) {
  core::Sha256 hash;
  hash.add(to_string(kind));
  hash.add("\n");
  for (const Oid& oid : commits) {
    hash.add(oid);
    hash.add("\n");
  }
  return std::string(to_string(kind).substr(0, 1)) + "-" + hash.hex().substr(0, 10);
}

}  // namespace sluice::model
