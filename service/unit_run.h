// SPDX-License-Identifier: Apache-2.0
// One unit from `routed` to its end: landed, parked, or set aside because trunk moved.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/judge_context.h"
#include "core/model/verdict.h"
#include "landing/landing.h"
#include "service/folding.h"
#include "service/round.h"
#include "service/validating.h"

namespace sluice::service {

struct UnitEnd {
  enum class Kind {
    done,     // every commit of the unit has an end: landed, parked, already, or cleared in observe
    moved,    // trunk moved: plan again
    stopped,  // the line is stopped
    outside,  // an outside failure: nothing was decided
    halted,   // an operator's brake is on: nothing was decided, and the next run goes on here
    refused,  // a person's answer was judged red, or does not fit on trunk: it is theirs again
  } kind = Kind::done;
  std::string detail;
};

// Upstream commits of the members, in order.
std::vector<Oid> member_oids(const model::Proposal& proposal);

class UnitRun {
 public:
  // `round` is the open one: what changes on the way is stored in it. Not owned.
  UnitRun(App& app, Folder& folder, Validator& validator, landing::Queue& queue, Round& round);

  // Works what is left of `unit` on trunk `trunk_`, which advances with each landing. Units that were formed,
  // parked or landed on the way are appended to `changed`. A killed run is continued by calling it again.
  Result<UnitEnd> run(model::Unit unit, std::vector<model::Unit>& changed);
  const Oid& trunk() const { return trunk_; }
  std::vector<std::string>& errors() { return errors_; }
  // The fork would not take a push; trunk itself is red: the sentence, empty when it was not so.
  const std::string& push_refused() const { return push_refused_; }
  const std::string& trunk_red() const { return trunk_red_; }

 private:
  // A person's answer does not land: nothing is parked or ejected, the unit is `taken` again with the reason.
  Result<UnitEnd> refuse(model::Unit& unit, const std::string& why, const model::Verdict* verdict, std::vector<model::Unit>& changed);
  // A rule could not look at it: the answer stays as it is, the unit `taken`, and the next run judges it again.
  Result<UnitEnd> keep_answer(model::Unit& unit, const std::string& why);
  // Stores `unit` in `state`, unless it has come that far on this trunk before.
  Result<void> advance(model::Unit& unit, model::UnitState state);
  // For a person, now; part of the round, so that a restart tells it as well.
  Result<void> notice(std::string text);
  Result<void> drop(model::Unit unit, std::string reason);
  // A brake that is on, with a look at the fork's remote where `outside` says so; nothing = go on.
  Result<std::optional<UnitEnd>> brake(bool outside);
  // Ends without a verdict: a brake, or an outside failure. Any other error stays one.
  Result<UnitEnd> without_verdict(const Error& error);
  // What of a revert can not be taken back. Nothing: go on with the fold.
  Result<std::optional<UnitEnd>> settle_revert(model::Unit& unit, const Fold& fold, std::vector<model::Unit>& changed);
  Result<bool> settle_left_out(model::Unit& unit, Fold& fold, std::vector<model::Unit>& changed);
  // Why commits are parked, for the ledger and for people.
  struct Why {
    std::string evidence, rule, reason;
    const model::Verdict* verdict = nullptr;  // stored with the parked unit; may be null
  };
  Result<void> park(model::Unit unit, const std::vector<Oid>& commits, const Why& why,
                    const std::vector<LeftOut>& left_out, std::vector<model::Unit>& changed);
  // Takes `indices` out of the unit's members and parks them; the unit is re-formed from the rest.
  Result<void> eject(model::Unit& unit, const model::Proposal& proposal, const std::vector<std::size_t>& indices,
                     const Why& why, std::vector<model::Unit>& changed);
  // Takes `indices` out without an end: they stay pending, and the run names why.
  Result<void> set_aside(model::Unit& unit, const model::Proposal& proposal, const std::vector<std::size_t>& indices,
                         const std::string& reason);
  std::vector<std::size_t> fallout(const model::Unit& unit, const model::Proposal& proposal, std::size_t culprit) const;
  // Results of `suites` on the proposal's tree, with the repetitions that the rules ask for (G44, G47) and, in `context`,
  // those on the base. A flake must not be searched for: this comes before every judgement. `context.now` moves on.
  Result<std::vector<model::Evidence>> results_of(const model::Unit& unit, const model::Proposal& proposal, const std::set<std::string>& suites,
                                                  const std::string& label, model::JudgeContext& context);
  // Where the policy asks for it: do the tests that upstream adds fail without the change? (G49)
  Result<void> try_new_tests(const model::Unit& unit, const model::Proposal& proposal, const std::vector<model::Evidence>& evidence,
                             model::JudgeContext& context);
  // Nothing but flakes is red: a search would find noise.
  Result<bool> is_noise(const model::Proposal& proposal, const std::vector<std::string>& red, const std::vector<model::Evidence>& evidence,
                        const model::JudgeContext& context, const std::string& rule);
  Result<bool> trunk_is_red(const model::Unit& unit, const std::vector<model::Evidence>& base);
  // The culprit inside a red fold, or nothing when the budget ends without one. `red` empty: every suite
  // passes, and a rule about the whole unit objects.
  Result<std::optional<std::size_t>> find_culprit(const model::Unit& unit, const model::Proposal& proposal,
                                                  const std::vector<std::string>& red, const model::JudgeContext& context);
  Result<UnitEnd> land(model::Unit& unit, model::Proposal& proposal, const model::Verdict& verdict,
                       std::vector<model::Unit>& changed);
  Result<UnitEnd> one_by_one(const model::Unit& unit, const model::Proposal& proposal, std::vector<model::Unit>& changed);

  App& app_;
  Folder& folder_;
  Validator& validator_;
  landing::Queue& queue_;
  Round& round_;
  Oid trunk_;
  std::vector<std::string> errors_;
  std::string push_refused_, trunk_red_;
};

}  // namespace sluice::service
