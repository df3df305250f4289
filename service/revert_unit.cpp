// SPDX-License-Identifier: Apache-2.0
#include "service/revert_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "guardrails/guardrails.h"
#include "ingest/ingest.h"

namespace sluice::service {

namespace {

using core::Json;
using D = model::Disposition;

std::string key_of(const std::string& unit) { return "revert " + unit; }

// Trunk commits that wrote `ours`, the lines of trunk inside one conflict region of `path`.
std::string writers(App& app, const Oid& base, const std::string& path, const std::string& text, const std::string& ours,
                    const std::set<Oid>& taken) {
  const std::size_t at = ours.empty() ? std::string::npos : text.find(ours);
  if (at == std::string::npos) return "trunk has changed or removed those lines since";
  const auto first = static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
  const auto count = static_cast<std::uint32_t>(core::split_lines(ours).size());
  const auto blame = app.repo.reader().blame(base, path, first, count);
  std::string out = fmt::format("lines {} to {}", first, first + count - 1);
  if (!blame.ok()) return out;
  std::set<Oid> named;
  for (const git::BlameLine& line : *blame) {
    if (taken.contains(line.commit) || !named.insert(line.commit).second) continue;
    out += fmt::format("{} {} \"{}\"", named.size() == 1 ? ", written by" : ",", model::short_oid(line.commit), core::printable(line.subject, 60));
  }
  return out;
}

// One line a conflicted path: where, and whose lines stand in the way.
Result<std::vector<std::string>> in_the_way(App& app, const git::Reader& objects, const model::Pick& pick, const Oid& base,
                                            const std::set<Oid>& taken) {
  std::vector<std::string> out;
  for (const model::Conflict& conflict : pick.conflicts) {
    std::string words = fmt::format("{} ({})", core::printable(conflict.path, 120), conflict.kind);
    TRY_ASSIGN(const auto merged, objects.file(pick.tree, conflict.path));
    TRY_ASSIGN(const Oid trunk_tree, app.repo.reader().tree_of(base));
    TRY_ASSIGN(const auto ours, app.repo.reader().file(trunk_tree, conflict.path));
    if (merged && ours && conflict.regions > 0) {
      const auto cut = git::cut_regions(conflict.path, *merged);
      for (std::size_t k = 0; cut.ok() && k < cut->regions.size() && k < 4; ++k) {
        words += fmt::format("{} {}", k == 0 ? ":" : ";", writers(app, base, conflict.path, *ours, cut->regions[k].ours, taken));
      }
    }
    out.push_back(std::move(words));
  }
  return out;
}

// The commit that upstream's own revert had closed is in the fork again.
Result<void> reopen_originals(App& app, const Oid& revert, const std::string& unit) {
  TRY_ASSIGN(const auto facts, app.store.facts(revert));
  if (!facts) return {};
  for (const model::RevertLink& link : facts->reverts) {
    if (link.kind != model::RevertLink::Kind::revert || link.oid.empty()) continue;
    TRY_ASSIGN(auto original, app.store.ledger(link.oid));
    if (!original || original->disposition != D::reverted_upstream || original->by != revert) continue;
    original->disposition = D::picked;
    original->by.clear();
    original->reason = fmt::format("in the fork again: {} took back its revert {}", unit, model::short_oid(revert));
    original->at = app.clock.now();
    TRY(app.store.put_ledger(*original));
  }
  return {};
}

Result<model::Pins> pins_now(App& app) {
  TRY_ASSIGN(const auto line, app.store.fact_oids());
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  std::map<Oid, model::LedgerRow> ledger;
  for (const auto& row : rows) ledger.emplace(row.upstream, row);
  return ingest::pins(line, ledger);
}

}  // namespace

bool is_in_fork(const model::LedgerRow& row) {
  return (row.disposition == D::picked || row.disposition == D::adapted) && !row.downstream.empty();
}

Result<void> put_revert_record(App& app, const std::string& unit, const RevertRecord& record) {
  Json items = Json::array();
  for (const RevertItem& item : record.items) {
    items.push(Json::object({{"landed", item.landed}, {"upstream", Json::array_of(item.upstream)}}));
  }
  const Json json = Json::object({{"reason", record.reason}, {"owner", record.owner}, {"task", record.task}, {"who", record.who},
                                  {"review_at", record.review_at}, {"items", std::move(items)}});
  return app.store.put_value(key_of(unit), json.dump());
}

Result<RevertRecord> revert_record(App& app, const std::string& unit) {
  TRY_ASSIGN(const auto text, app.store.value(key_of(unit)));
  if (!text || text->empty()) return make_error(ErrorKind::internal, fmt::format("nothing is stored of what unit {} takes back", unit));
  TRY_ASSIGN(const Json json, Json::parse(*text));
  RevertRecord out;
  out.reason = json["reason"].as_string();
  out.owner = json["owner"].as_string();
  out.task = json["task"].as_string();
  out.who = json["who"].as_string();
  out.review_at = json["review_at"].as_int();
  for (const Json& item : json["items"].items()) {
    RevertItem& to = out.items.emplace_back();
    to.landed = item["landed"].as_string();
    for (const Json& oid : item["upstream"].items()) to.upstream.push_back(oid.as_string());
    if (to.upstream.empty()) return make_error(ErrorKind::internal, fmt::format("the record of unit {} names no upstream commit of {}", unit, to.landed));
  }
  return out;
}

Result<Fold> fold_reverts(App& app, const git::Reader& objects, git::Picker& picker, const std::string& unit,
                          const RevertRecord& record, const Oid& base) {
  Fold fold;
  model::Proposal& proposal = fold.proposal;
  proposal.unit = unit;
  proposal.base = base;
  proposal.branch = "refs/heads/" + app.config.fork.branch;
  TRY_ASSIGN(proposal.base_tree, app.repo.reader().tree_of(base));
  Oid onto = proposal.base_tree;
  std::set<Oid> taken;
  for (const RevertItem& item : record.items) taken.insert(item.landed);
  for (const RevertItem& item : record.items) {
    if (app.cancelled()) return make_error(ErrorKind::transient, "cancelled");
    TRY_ASSIGN(auto facts, app.store.facts(item.upstream.front()));
    if (!facts) return make_error(ErrorKind::internal, fmt::format("no facts are stored for upstream commit {}", item.upstream.front()));
    TRY_ASSIGN(const git::Commit landed, app.repo.reader().commit(item.landed));
    model::ProposalMember member;
    member.upstream = std::move(*facts);
    member.reverts = item.landed;
    member.onto = onto;
    member.pick = picker.unpick(item.landed, onto);
    member.tree = member.pick.tree;
    if (member.pick.status != model::PickStatus::clean) {
      LeftOut out{item.upstream.front(), member.pick, member.pick.status, {}, {}};
      if (out.status == model::PickStatus::conflict) {
        TRY_ASSIGN(out.open, in_the_way(app, objects, member.pick, base, taken));
      }
      const bool stop = out.status != model::PickStatus::empty;
      fold.left_out.push_back(std::move(out));
      if (stop) break;
      continue;
    }
    for (const model::DroppedPath& path : member.pick.dropped) {
      if (path.why == "missing") continue;
      member.account.push_back({"proven", path.path, "", 0, "DROPPED_BY_POLICY", path.policy,
                                fmt::format("[[path]] glob = \"{}\" keeps what the fork has ({})", path.policy, path.why)});
    }
    member.message = guardrails::revert_message(landed, record.reason, unit, app.config.subject_prefix);
    onto = member.tree;
    proposal.members.push_back(std::move(member));
  }
  proposal.tree = onto;
  set_shape(app, proposal);
  return fold;
}

Result<Fold> fold_revert(App& app, git::Picker& picker, const model::Unit& unit, const Oid& base) {
  TRY_ASSIGN(const RevertRecord record, revert_record(app, unit.id));
  return fold_reverts(app, app.repo.reader(), picker, unit.id, record, base);
}

Result<void> record_reverted(App& app, const model::Unit& unit, const model::Proposal& proposal) {
  TRY_ASSIGN(const RevertRecord record, revert_record(app, unit.id));
  std::map<Oid, Oid> undone_by;  // trunk commit -> its revert
  for (const model::ProposalMember& member : proposal.members) undone_by[member.reverts] = member.commit;
  TRY_ASSIGN(const model::Pins before, pins_now(app));
  for (const RevertItem& item : record.items) {
    for (const Oid& upstream : item.upstream) {
      TRY_ASSIGN(auto row, app.store.ledger(upstream));
      // What somebody reverted by hand meanwhile was recognised on trunk, without what the operator said of it.
      const bool by_hand = row && row->disposition == D::backed_out && row->who == "import" && row->owner.empty();
      if (!row || row->downstream != item.landed || !(is_in_fork(*row) || by_hand)) continue;
      row->disposition = D::backed_out;
      row->evidence = undone_by.contains(item.landed) ? "landed" : "tree";
      row->reason = record.reason;
      row->owner = record.owner;
      row->review_at = record.review_at;
      row->task = record.task;
      row->who = record.who;
      row->unit = unit.id;
      if (const auto by = undone_by.find(item.landed); by != undone_by.end()) row->by = by->second;
      row->at = app.clock.now();
      TRY(app.store.put_ledger(*row));
      TRY(reopen_originals(app, upstream, unit.id));
    }
  }
  TRY_ASSIGN(const model::Pins after, pins_now(app));
  if (after.contiguous >= before.contiguous) return {};
  return app.store.append_event("pins.contiguous_back", unit.id,
                                Json::object({{"from", before.contiguous}, {"to", after.contiguous}, {"who", record.who}, {"reason", record.reason}}),
                                app.clock.now());
}

}  // namespace sluice::service
