// SPDX-License-Identifier: Apache-2.0
#include "service/ledger_writes.h"

#include <fmt/format.h>

#include "core/log.h"
#include "core/text.h"
#include "service/revert_unit.h"
#include "service/urgent.h"

namespace sluice::service {

namespace {

model::LedgerRow row_for(App& app, const model::UpstreamCommit& upstream, model::Disposition disposition) {
  model::LedgerRow row;
  row.upstream = upstream.oid;
  row.position = upstream.position;
  row.disposition = disposition;
  row.who = "sluice";
  row.at = app.clock.now();
  return row;
}

core::Json left_out_json(const LeftOut& out) {
  core::Json conflicts = core::Json::array();
  for (const model::Conflict& conflict : out.pick.conflicts) {
    core::Json stages = core::Json::array();
    for (const model::Stage& stage : conflict.stages) {
      stages.push(core::Json::object({{"stage", stage.stage}, {"mode", stage.mode}, {"oid", stage.oid}, {"path", stage.path}}));
    }
    conflicts.push(core::Json::object({{"path", conflict.path}, {"kind", conflict.kind}, {"regions", conflict.regions},
                                       {"stages", std::move(stages)}}));
  }
  core::Json drafts = core::Json::array();
  for (const model::Resolution& draft : out.drafts) {
    drafts.push(core::Json::object({{"path", draft.path}, {"region", draft.region_id},
                                    {"rung", model::to_string(draft.rung)}, {"rule", draft.rule}, {"reason", draft.reason}}));
  }
  return core::Json::object({{"upstream", out.upstream}, {"onto", out.pick.onto}, {"tree", out.pick.tree},
                             {"status", model::to_string(out.status)}, {"conflicts", std::move(conflicts)},
                             {"open", core::Json::array_of(out.open)}, {"drafts", std::move(drafts)}});
}

Result<void> revert_originals(App& app, const model::UpstreamCommit& upstream, const std::string& unit) {
  for (const model::RevertLink& link : upstream.reverts) {
    if (link.kind != model::RevertLink::Kind::revert || link.oid.empty()) continue;
    TRY_ASSIGN(auto original, app.store.ledger(link.oid));
    if (!original) continue;
    if (original->disposition != model::Disposition::picked && original->disposition != model::Disposition::adapted) continue;
    original->disposition = model::Disposition::reverted_upstream;
    original->by = upstream.oid;
    original->reason = fmt::format("upstream took it back in {}, landed with unit {}", model::short_oid(upstream.oid), unit);
    original->at = app.clock.now();
    TRY(app.store.put_ledger(*original));
  }
  return {};
}

}  // namespace

Result<void> record_landed(App& app, model::Unit& unit, const model::Proposal& proposal) {
  TRY_ASSIGN(auto transaction, app.store.begin());
  const bool reverts = unit.kind == model::UnitKind::revert;
  if (reverts) TRY(record_reverted(app, unit, proposal));
  TRY_ASSIGN(const std::string urgent, urgent_words(app, unit.id));
  for (const model::ProposalMember& member : proposal.members) {
    if (reverts) break;  // its members say what leaves the fork
    model::LedgerRow row = row_for(app, member.upstream, member.resolved ? model::Disposition::adapted : model::Disposition::picked);
    row.evidence = "landed";
    row.reason = member.resolved ? "conflicts resolved" : "clean";
    for (const model::DroppedPath& path : member.pick.dropped) {
      row.reason += fmt::format("; {} left as the fork has it ({}, [[path]] {})", core::printable(path.path, 120), path.why, path.policy);
    }
    if (!urgent.empty()) row.reason += "; " + urgent;
    row.unit = unit.id;
    row.downstream = member.commit;
    TRY(app.store.put_ledger(row));
    TRY(revert_originals(app, member.upstream, unit.id));
    TRY(agent::remember(app.repo, app.store, unit.id, member, app.clock.now()));
  }
  TRY(app.repo.set_ref("refs/sluice/fork", proposal.tip(), std::nullopt));
  unit.state = model::UnitState::landed;
  unit.landed = proposal.tip();
  unit.reason.clear();
  unit.rule.clear();
  TRY(app.store.put_unit(unit));
  TRY(forget_take(app, unit.id, "landed"));
  TRY(app.store.put_value("trunk_known", unit.landed));
  TRY_ASSIGN(const auto open, app.store.open_landings());
  for (const store::LandingRow& row : open) {
    if (row.unit == unit.id && row.commit == unit.landed) TRY(app.store.close_landing(row.id, "landed"));
  }
  // Trunk is where we just put it, read back: as good as a fetch.
  TRY_ASSIGN(auto fork, app.store.fetch("fork"));
  if (fork) {
    fork->tip = unit.landed;
    fork->at = fork->tried_at = app.clock.now();
    TRY(app.store.put_fetch(*fork));
  }
  return transaction.commit();
}

Result<void> record_parked(App& app, model::Unit& unit, const std::string& evidence, const std::vector<LeftOut>& left_out,
                           const Oid& trunk) {
  unit.state = model::UnitState::parked;
  unit.base = trunk;
  const bool reverts = unit.kind == model::UnitKind::revert;  // its commits stay landed until it does
  core::Json members = core::Json::array();
  for (const LeftOut& out : left_out) {
    members.push(left_out_json(out));
    if (out.status != model::PickStatus::conflict || out.pick.tree.empty()) continue;
    // The conflict as git left it, markers and all: a person can look at it with any git.
    git::CommitSpec spec;
    spec.tree = out.pick.tree;
    spec.parents = {trunk};
    spec.author = spec.committer = committer_of(app, unit);
    spec.message = fmt::format("Raw conflict of {}\n\nUnit {}; not for landing.\n", out.upstream, unit.id);
    TRY_ASSIGN(const Oid commit, app.repo.write_commit(spec));
    TRY(app.repo.set_ref(fmt::format("refs/sluice/units/{}/conflict", unit.id), commit, std::nullopt));
  }
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.put_unit(unit));
  TRY(app.store.put_proposal(unit.id, core::Json::object({{"unit", unit.id}, {"trunk", trunk}, {"reason", unit.reason},
                                                          {"rule", unit.rule}, {"left_out", std::move(members)}})));
  for (const Oid& oid : unit.commits) {
    TRY_ASSIGN(const auto facts, app.store.facts(oid));
    if (!facts || reverts) continue;
    model::LedgerRow row = row_for(app, *facts, model::Disposition::deferred);
    row.evidence = evidence;
    row.reason = unit.reason;
    row.unit = unit.id;
    row.task = unit.id;
    TRY(app.store.put_ledger(row));
  }
  return transaction.commit();
}

Result<void> record_already(App& app, const model::UpstreamCommit& upstream, const std::string& unit, const Oid& trunk) {
  const bool takes_back = !upstream.reverts.empty() && upstream.reverts.front().kind == model::RevertLink::Kind::revert;
  model::LedgerRow row = row_for(app, upstream, takes_back ? model::Disposition::superseded : model::Disposition::already);
  row.evidence = "tree";
  row.reason = takes_back ? "it takes back what the fork never had: the pick changes nothing"
                          : fmt::format("the three-way result equals the tree of trunk {}", model::short_oid(trunk));
  row.unit = unit;
  return app.store.put_ledger(row);
}

Result<std::vector<model::LedgerRow>> record_settled(App& app, std::vector<model::LedgerRow> rows) {
  std::vector<model::LedgerRow> fresh;
  TRY_ASSIGN(auto transaction, app.store.begin());
  for (model::LedgerRow& row : rows) {
    TRY_ASSIGN(const auto present, app.store.ledger(row.upstream));
    if (present && present->disposition == row.disposition) continue;
    row.at = app.clock.now();
    if (row.who.empty()) row.who = "sluice";
    TRY(app.store.put_ledger(row));
    fresh.push_back(row);
  }
  TRY(transaction.commit());
  return fresh;
}

}  // namespace sluice::service
