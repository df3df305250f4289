// SPDX-License-Identifier: Apache-2.0
// The ends of a unit that does not land, and of members that leave it: parked, ejected, set aside, given back.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "service/ledger_writes.h"
#include "service/revert_unit.h"
#include "service/unit_run.h"
#include "service/unit_text.h"

namespace sluice::service {

std::vector<Oid> member_oids(const model::Proposal& proposal) {
  std::vector<Oid> out;
  for (const model::ProposalMember& member : proposal.members) out.push_back(member.upstream.oid);
  return out;
}

Result<void> UnitRun::drop(model::Unit unit, std::string reason) {
  unit.state = model::UnitState::dropped;
  unit.reason = std::move(reason);
  return app_.store.put_unit(unit);
}

Result<void> UnitRun::park(model::Unit unit, const std::vector<Oid>& commits, const Why& why,
                           const std::vector<LeftOut>& left_out, std::vector<model::Unit>& changed) {
  if (commits != unit.commits || unit.kind == model::UnitKind::bundle) {
    // What leaves a bundle is a chain from now on, with an id of its own.
    unit.kind = unit.kind == model::UnitKind::pin ? model::UnitKind::pin : model::UnitKind::chain;
    unit.commits = commits;
    unit.id = model::unit_id(unit.kind, commits);
    unit.created_at = app_.clock.now();
    unit.validations = 0;
  }
  unit.rule = why.rule;
  unit.reason = why.reason;
  TRY_ASSIGN(auto transaction, app_.store.begin());
  TRY(record_parked(app_, unit, why.evidence, left_out, trunk_));
  if (why.verdict != nullptr) TRY(app_.store.put_verdict(unit.id, why.verdict->digest(), model::to_json(*why.verdict)));
  TRY(notice(fmt::format("{} parked ({}): {}", unit.id, why.rule, why.reason)));
  TRY(transaction.commit());
  changed.push_back(unit);
  return {};
}

std::vector<std::size_t> UnitRun::fallout(const model::Unit& unit, const model::Proposal& proposal, std::size_t culprit) const {
  const std::vector<Oid> members = member_oids(proposal);
  if (unit.kind != model::UnitKind::bundle) {
    // A chain is ordered: what stands after the culprit builds on it.
    std::vector<std::size_t> rest;
    for (std::size_t i = culprit; i < members.size(); ++i) rest.push_back(i);
    return rest;
  }
  std::vector<std::vector<Oid>> needs;
  for (const Oid& oid : members) {
    const auto found = round_.depends_on.find(oid);
    needs.push_back(found == round_.depends_on.end() ? std::vector<Oid>{} : found->second);
  }
  return landing::with_dependents(members, needs, culprit);
}

Result<void> UnitRun::eject(model::Unit& unit, const model::Proposal& proposal, const std::vector<std::size_t>& indices,
                            const Why& why, std::vector<model::Unit>& changed) {
  const std::vector<Oid> members = member_oids(proposal);
  std::vector<Oid> out, rest;
  for (std::size_t i = 0; i < members.size(); ++i) {
    (std::find(indices.begin(), indices.end(), i) != indices.end() ? out : rest).push_back(members[i]);
  }
  const model::Unit before = unit;
  TRY_ASSIGN(auto transaction, app_.store.begin());
  TRY(park(unit, out, why, {}, changed));
  // The first ejected unit of a one-member chain keeps the unit's id: then nothing is left of it.
  unit.commits = rest;
  if (rest.empty()) return transaction.commit();
  unit.id = model::unit_id(unit.kind, rest);
  if (before.id != unit.id && before.id != changed.back().id) {
    TRY(drop(before, fmt::format("re-formed as {} without {}", unit.id, counted(out.size(), "commit"))));
  }
  unit.state = model::UnitState::picked;
  TRY(app_.store.put_unit(unit));
  return transaction.commit();
}

Result<void> UnitRun::set_aside(model::Unit& unit, const model::Proposal& proposal, const std::vector<std::size_t>& indices,
                                const std::string& reason) {
  const std::vector<Oid> members = member_oids(proposal);
  std::vector<Oid> rest;
  TRY_ASSIGN(const auto first, app_.store.ledger(unit.commits.front()));
  if (first && first->disposition == model::Disposition::deferred && first->unit == unit.id) {
    // Tried again by hand, and its commits wait in it: it stays parked, or no command would find it.
    errors_.push_back(fmt::format("{} stays parked: {}", unit.id, reason));
    unit.state = model::UnitState::parked;
    TRY(app_.store.put_unit(std::exchange(unit, {})));
    return {};
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (std::find(indices.begin(), indices.end(), i) == indices.end()) {
      rest.push_back(members[i]);
    } else {
      errors_.push_back(fmt::format("{} stays pending: {}", members[i], reason));
    }
  }
  TRY(drop(unit, reason));
  unit.commits = rest;
  if (!rest.empty()) unit.id = model::unit_id(unit.kind, rest);
  return {};
}

Result<std::optional<UnitEnd>> UnitRun::settle_revert(model::Unit& unit, const Fold& fold, std::vector<model::Unit>& changed) {
  const std::optional<UnitEnd> go_on;
  for (const LeftOut& out : fold.left_out) {
    if (out.status == model::PickStatus::empty) continue;  // somebody took it back by hand
    if (out.status != model::PickStatus::conflict) {
      return std::optional(UnitEnd{UnitEnd::Kind::outside, fmt::format("{} stays open: {} ({})", unit.id, out.pick.cause, out.pick.detail)});
    }
    const std::string reason = fmt::format("{} cannot be taken back on trunk {}: {}", out.pick.upstream, model::short_oid(trunk_), core::join(out.open, "; "));
    TRY(park(unit, unit.commits, {"dead-end", "conflict", reason, nullptr}, {out}, changed));
    return std::optional(UnitEnd{});
  }
  if (!fold.proposal.members.empty()) return go_on;
  TRY_ASSIGN(auto transaction, app_.store.begin());
  TRY(record_reverted(app_, unit, fold.proposal));
  TRY(drop(unit, "trunk holds nothing of it any more"));
  TRY(transaction.commit());
  return std::optional(UnitEnd{});
}

// Members that the fold left out: settled when empty, parked when conflicted. True: the unit changed.
Result<bool> UnitRun::settle_left_out(model::Unit& unit, Fold& fold, std::vector<model::Unit>& changed) {
  if (fold.left_out.empty()) return false;
  std::vector<Oid> rest = member_oids(fold.proposal);
  const std::vector<Oid> all = unit.commits;
  TRY_ASSIGN(auto transaction, app_.store.begin());
  for (LeftOut& out : fold.left_out) {
    TRY_ASSIGN(const auto facts, app_.store.facts(out.upstream));
    if (out.status == model::PickStatus::empty) {
      TRY(record_already(app_, *facts, unit.id, trunk_));
    } else if (!out.later.empty()) {
      const std::string why = fmt::format("{} \"{}\" waits for the model: {}", model::short_oid(out.upstream), core::printable(facts->subject, 80), core::printable(out.later, 300));
      errors_.push_back(why);
      // Tried again by hand, and its commits wait in this unit: parked as before, or no command would find them.
      TRY_ASSIGN(const auto row, app_.store.ledger(out.upstream));
      if (row && row->disposition == model::Disposition::deferred && row->unit == unit.id) {
        const std::vector<Oid> stuck(std::find(all.begin(), all.end(), out.upstream), all.end());
        TRY(park(unit, stuck, {row->evidence, "conflict", why, nullptr}, {out}, changed));
      }
    } else if (out.status == model::PickStatus::conflict) {
      std::vector<Oid> stuck{out.upstream};
      if (unit.kind != model::UnitKind::bundle) {
        // The rest of a chain stands on the conflict.
        const auto from = std::find(all.begin(), all.end(), out.upstream);
        stuck.assign(from, all.end());
      }
      std::string reason = fmt::format("{} \"{}\" conflicts", model::short_oid(out.upstream), core::printable(facts->subject, 80));
      for (const std::string& line : out.open) reason += fmt::format("{}{}", &line == &out.open.front() ? ": " : "; ", core::printable(line));
      std::string evidence = "dead-end";
      if (const auto needs = round_.depends_on.find(out.upstream); needs != round_.depends_on.end()) {
        // Only what is still missing: a prerequisite that has landed does not hold it back.
        std::vector<std::string> missing;
        for (const Oid& oid : needs->second) {
          TRY_ASSIGN(const auto row, app_.store.ledger(oid));
          if (!row || !model::is_settled(row->disposition)) missing.push_back(oid);
        }
        if (!missing.empty()) evidence = fmt::format("dep-blocked({})", core::join(missing, ", "));
      }
      TRY(park(unit, stuck, {evidence, "conflict", reason, nullptr}, {out}, changed));
    } else {
      errors_.push_back(fmt::format("{} stays pending: {} ({})", out.upstream, out.pick.cause, out.pick.detail));
    }
  }
  const bool parked_as_is = !changed.empty() && changed.back().id == unit.id;
  if (!parked_as_is && rest != unit.commits) {
    TRY(drop(unit, fmt::format("re-formed from {} to {} commits", unit.commits.size(), rest.size())));
  }
  TRY(transaction.commit());
  unit.commits = rest;
  if (!rest.empty()) unit.id = model::unit_id(unit.kind, rest);
  return true;
}

Result<UnitEnd> UnitRun::refuse(model::Unit& unit, const std::string& why, const model::Verdict* verdict, std::vector<model::Unit>& changed) {
  TRY_ASSIGN(auto transaction, app_.store.begin());
  if (verdict != nullptr) TRY(app_.store.put_verdict(unit.id, verdict->digest(), model::to_json(*verdict)));
  TRY(close_submission(app_, unit.id, "refused", why, verdict == nullptr ? "" : verdict->digest()));
  TRY(notice(fmt::format("the answer to {} is refused: {}", unit.id, why)));
  TRY(transaction.commit());
  unit.state = model::UnitState::taken;
  changed.push_back(unit);
  return UnitEnd{UnitEnd::Kind::refused, why};
}

Result<UnitEnd> UnitRun::keep_answer(model::Unit& unit, const std::string& why) {
  unit.state = model::UnitState::taken;
  TRY(app_.store.put_unit(unit));
  errors_.push_back(fmt::format("the answer to {} waits: {}", unit.id, why));
  return UnitEnd{UnitEnd::Kind::refused, why};  // the others go on
}

// No single culprit: each member on its own, in order, as a unit of one.
Result<UnitEnd> UnitRun::one_by_one(const model::Unit& unit, const model::Proposal& proposal,
                                    std::vector<model::Unit>& changed) {
  std::vector<model::Unit> singles;
  for (const Oid& oid : member_oids(proposal)) {
    model::Unit& single = singles.emplace_back();
    single.kind = unit.kind;
    single.commits = {oid};
    single.id = model::unit_id(single.kind, single.commits);
  }
  TRY_ASSIGN(auto transaction, app_.store.begin());
  TRY(drop(unit, "no single culprit within the budget: its commits go one by one"));
  // In the place of the unit that they come from; it has other commits by now than the planned one.
  const auto planned = std::find_if(round_.units.begin(), round_.units.end(), [&](const model::Unit& other) {
    return std::find(other.commits.begin(), other.commits.end(), singles.front().commits.front()) != other.commits.end();
  });
  round_.units.insert(planned, singles.begin(), singles.end());
  TRY(put_round(app_, round_));
  TRY(transaction.commit());
  for (const model::Unit& single : singles) {
    TRY_ASSIGN(const UnitEnd end, run(single, changed));
    if (end.kind != UnitEnd::Kind::done) return end;
  }
  return UnitEnd{};
}

}  // namespace sluice::service
