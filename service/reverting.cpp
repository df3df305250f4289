// SPDX-License-Identifier: Apache-2.0
#include "service/reverting.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "service/depending.h"
#include "service/unit_text.h"

namespace sluice::service {

namespace {

using core::Json;
using D = model::Disposition;

constexpr std::size_t most_trunk_commits = 2'000'000;
constexpr std::size_t most_reason_bytes = 4000;

// Trunk since the fork base, newest first: what may be taken back, and in which order.
struct Trunk {
  std::vector<Oid> commits;
  std::map<Oid, std::size_t> rank;
};

Result<Trunk> read_trunk(App& app, const Plan& plan) {
  Trunk trunk;
  TRY_ASSIGN(trunk.commits, app.repo.reader().log(plan.remotes.fork_tip, plan.line.base, most_trunk_commits));
  for (std::size_t k = 0; k < trunk.commits.size(); ++k) trunk.rank.emplace(trunk.commits[k], k);
  return trunk;
}

Result<void> check_words(const RevertRequest& request, std::int64_t now) {
  const auto needed = [](const char* option, const char* why) {
    return make_error(ErrorKind::invalid, fmt::format("{} is needed: {}", option, why));
  };
  if (request.what.empty()) return make_error(ErrorKind::invalid, "name a landed unit or commit; `sluice ledger` lists them");
  if (core::trim(request.reason).empty()) return needed("--reason TEXT", "it stands in the revert's message and in the ledger");
  if (core::trim(request.owner).empty()) return needed("--owner NAME", "somebody has to bring it back or decide that it stays out");
  if (request.review_at == 0) return needed("--review DATE", "a revert without a day to look again stays for months");
  if (request.review_at <= now) return make_error(ErrorKind::invalid, fmt::format("--review {} is over", core::format_utc(request.review_at)));
  if (request.reason.size() > most_reason_bytes) {
    return make_error(ErrorKind::invalid, fmt::format("the reason has {} bytes, at most {}", request.reason.size(), most_reason_bytes));
  }
  const bool text = core::is_utf8(request.reason) && std::none_of(request.reason.begin(), request.reason.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
  });
  if (!text) return make_error(ErrorKind::invalid, "the reason must be UTF-8 text without control characters");
  return {};
}

Error not_in_fork(const Oid& oid, const model::LedgerRow* row) {
  if (row == nullptr) return make_error(ErrorKind::conflict, fmt::format("{} is pending: the fork has nothing of it to take back", oid));
  return make_error(ErrorKind::conflict, fmt::format("{} is {}, and no commit of trunk carries it ({})", oid, model::to_string(row->disposition),
                                                     core::printable(row->reason, 200)));
}

// The upstream commits that one word of the command names.
Result<std::vector<Oid>> named_by(App& app, const Plan& plan, const std::string& word) {
  std::vector<Oid> out;
  TRY_ASSIGN(const auto unit, app.store.unit(word));
  if (unit) {
    if (unit->kind == model::UnitKind::revert) {
      return make_error(ErrorKind::conflict, fmt::format("{} is a revert itself; `sluice pick OID` brings a commit back", word));
    }
    for (const auto& [oid, row] : plan.ledger) {
      if (row.unit == word && is_in_fork(row)) out.push_back(oid);
    }
    if (out.empty()) {
      return make_error(ErrorKind::conflict, fmt::format("unit {} is {}, and trunk carries nothing of it{}{}", word, model::to_string(unit->state),
                                                         unit->reason.empty() ? "" : ": ", core::printable(unit->reason, 200)));
    }
    return out;
  }
  const auto oid = app.repo.reader().resolve(word);
  if (!oid.ok()) return make_error(ErrorKind::not_found, fmt::format("{} is neither a unit nor a commit that is known here", core::printable(word)));
  if (const auto row = plan.ledger.find(*oid); row != plan.ledger.end()) {
    if (!is_in_fork(row->second)) return not_in_fork(*oid, &row->second);
    out.push_back(*oid);
  }
  for (const auto& [upstream, row] : plan.ledger) {
    if (is_in_fork(row) && row.downstream == *oid) out.push_back(upstream);
  }
  if (!out.empty()) return out;
  TRY_ASSIGN(const auto facts, app.store.facts(*oid));
  if (facts) return not_in_fork(*oid, nullptr);
  return make_error(ErrorKind::not_found, fmt::format("{} is no upstream commit, and no pick of one by the ledger; revert the fork's own "
                                                      "commits with git", *oid));
}

// What builds on the commits of `taken`, all of it, in upstream order.
Result<std::vector<Dependent>> dependents_of(App& app, const Plan& plan, const Trunk& trunk, std::set<Oid> taken) {
  const auto landed = [&](const Oid& oid) -> const model::LedgerRow* {
    const auto row = plan.ledger.find(oid);
    return row != plan.ledger.end() && is_in_fork(row->second) && trunk.rank.contains(row->second.downstream) ? &row->second : nullptr;
  };
  std::int64_t first = 0;
  for (const Oid& oid : taken) {
    const std::int64_t position = plan.ledger.at(oid).position;
    first = first == 0 ? position : std::min(first, position);
  }
  TRY_ASSIGN(auto needs, dependencies_from(app, first, [&](const Oid& oid) { return landed(oid) != nullptr; }));
  // By the order of its chain: a chain is picked one commit on the other.
  std::map<std::string, std::vector<const model::LedgerRow*>> chains;
  for (const auto& [oid, row] : plan.ledger) {
    if (row.unit.starts_with("c-") && landed(oid) != nullptr) chains[row.unit].push_back(&row);
  }
  for (auto& [unit, rows] : chains) {
    std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->position < b->position; });
    for (std::size_t k = 1; k < rows.size(); ++k) {
      needs.push_back({rows[k]->upstream, rows[k - 1]->upstream, "stands right after it in the chain " + unit});
    }
  }
  std::map<Oid, Dependent> found;
  for (bool grown = true; grown;) {
    grown = false;
    for (const Dependency& need : needs) {
      if (!taken.contains(need.earlier) || taken.contains(need.later)) continue;
      const model::LedgerRow* later = landed(need.later);
      const model::LedgerRow* earlier = landed(need.earlier);
      // Only what came onto trunk after it: what was there before did without.
      if (later == nullptr || earlier == nullptr || trunk.rank.at(later->downstream) >= trunk.rank.at(earlier->downstream)) continue;
      taken.insert(need.later);
      found.emplace(need.later, Dependent{need.later, later->downstream, later->unit,
                                          fmt::format("{} ({})", need.why, model::short_oid(need.earlier))});
      grown = true;
    }
  }
  std::vector<Dependent> out;
  for (auto& [oid, dependent] : found) out.push_back(std::move(dependent));
  std::sort(out.begin(), out.end(), [&](const Dependent& a, const Dependent& b) {
    return plan.ledger.at(a.upstream).position < plan.ledger.at(b.upstream).position;
  });
  return out;
}

std::string dependent_lines(App& app, const std::vector<Dependent>& dependents) {
  std::string out;
  for (const Dependent& d : dependents) {
    out += fmt::format("\n  {} {}{}: {}", model::short_oid(d.upstream), subject_of(app, d.upstream), d.unit.empty() ? "" : " (" + d.unit + ")", d.why);
  }
  return out;
}

// Trunk commits of `taken`, newest first, each with what a person added right after it before it.
Result<std::vector<RevertItem>> items_of(App& app, const Plan& plan, const Trunk& trunk, const std::set<Oid>& taken) {
  std::map<std::size_t, RevertItem> by_rank;
  for (const Oid& upstream : taken) {
    const Oid& landed = plan.ledger.at(upstream).downstream;
    const auto rank = trunk.rank.find(landed);
    if (rank == trunk.rank.end()) return make_error(ErrorKind::conflict, fmt::format("{} carries {}, and trunk does not contain it", landed, upstream));
    RevertItem& item = by_rank[rank->second];
    item.landed = landed;
    item.upstream.push_back(upstream);
  }
  for (const auto& [rank, item] : by_rank) {
    TRY_ASSIGN(const git::Commit commit, app.repo.reader().commit(item.landed));
    if (commit.parents.size() != 1) {
      return make_error(ErrorKind::conflict, fmt::format("{} has {} parents: a merge that a person made is not taken back by sluice", item.landed,
                                                         commit.parents.size()));
    }
  }
  std::map<Oid, std::vector<Oid>> picks;
  for (const auto& [rank, item] : by_rank) picks.emplace(item.landed, item.upstream);
  const std::size_t oldest = by_rank.rbegin()->first;
  for (std::size_t k = 0; k < oldest; ++k) {
    TRY_ASSIGN(const git::Commit commit, app.repo.reader().commit(trunk.commits[k]));
    if (commit.parents.size() != 1) continue;
    const auto pick = picks.find(commit.parents.front());
    if (pick == picks.end() || picks.contains(commit.oid) || commit.message.find("\nSluice-Companion-Of: ") == std::string::npos) continue;
    by_rank.emplace(k, RevertItem{commit.oid, pick->second});
  }
  std::vector<RevertItem> out;
  for (auto& [rank, item] : by_rank) out.push_back(std::move(item));
  return out;
}

// The reverse picks, tried aside: an answer now instead of a parked unit later.
Result<void> try_reverts(App& app, const Plan& plan, const RevertPlan& revert) {
  TRY_ASSIGN(const git::Repo scratch, app.repo.scratch());
  TRY_ASSIGN(git::Picker picker, git::Picker::open(scratch, app.config.policy.paths));
  TRY_ASSIGN(const Fold fold, fold_reverts(app, scratch.reader(), picker, revert.unit.id, revert.record, plan.remotes.fork_tip));
  for (const LeftOut& out : fold.left_out) {
    if (out.status == model::PickStatus::empty) continue;
    if (out.status == model::PickStatus::error) {
      return make_error(ErrorKind::transient, fmt::format("the revert of {} could not be tried: {} ({})", out.pick.upstream, out.pick.cause, out.pick.detail));
    }
    return make_error(ErrorKind::conflict,
                      fmt::format("{} cannot be taken back on the present trunk: {}; take that back first, or revert by hand and push: the next "
                                  "sync recognises it", out.pick.upstream, core::join(out.open, "; ")));
  }
  if (fold.proposal.members.empty()) return make_error(ErrorKind::conflict, "trunk holds nothing of it any more; `sluice ledger back-out` records that");
  return {};
}

}  // namespace

Result<RevertPlan> plan_revert(App& app, const Plan& plan, const RevertRequest& request) {
  TRY(check_words(request, app.clock.now()));
  TRY_ASSIGN(const Trunk trunk, read_trunk(app, plan));
  std::set<Oid> taken;
  for (const std::string& word : request.what) {
    TRY_ASSIGN(const auto oids, named_by(app, plan, word));
    taken.insert(oids.begin(), oids.end());
  }
  // Where a person squashed several, one commit of trunk carries them all.
  std::set<Oid> carriers;
  for (const Oid& oid : taken) carriers.insert(plan.ledger.at(oid).downstream);
  for (const auto& [oid, row] : plan.ledger) {
    if (is_in_fork(row) && carriers.contains(row.downstream)) taken.insert(oid);
  }
  RevertPlan out;
  TRY_ASSIGN(out.dependents, dependents_of(app, plan, trunk, taken));
  if (!out.dependents.empty() && !request.with_dependents) {
    return make_error(ErrorKind::conflict, fmt::format("what you take back has {} in the fork; --with-dependents takes what builds on it back as well, "
                                                       "before it:{}", counted(out.dependents.size(), "dependent commit"), dependent_lines(app, out.dependents)));
  }
  for (const Dependent& dependent : out.dependents) taken.insert(dependent.upstream);
  out.unit.kind = model::UnitKind::revert;
  out.unit.commits.assign(taken.begin(), taken.end());
  std::sort(out.unit.commits.begin(), out.unit.commits.end(), [&](const Oid& a, const Oid& b) {
    return plan.ledger.at(a).position < plan.ledger.at(b).position;
  });
  out.unit.id = model::unit_id(out.unit.kind, out.unit.commits);
  TRY_ASSIGN(out.record.items, items_of(app, plan, trunk, taken));
  out.record.reason = std::string(core::trim(request.reason));
  out.record.owner = request.owner;
  out.record.task = request.task;
  out.record.who = request.who;
  out.record.review_at = request.review_at;
  TRY(try_reverts(app, plan, out));
  return out;
}

Result<SyncReport> revert(App& app, const RevertRequest& request) {
  TRY(check_words(request, app.clock.now()));
  return run_units(app, "revert", [&](App& a, const Plan& plan) -> Result<std::vector<model::Unit>> {
    TRY_ASSIGN(RevertPlan revert, plan_revert(a, plan, request));
    TRY_ASSIGN(auto transaction, a.store.begin());
    TRY_ASSIGN(const auto known, a.store.unit(revert.unit.id));
    const bool open = known && known->state != model::UnitState::landed && known->state != model::UnitState::dropped;
    // The same commits may have been taken back and brought back before: that was another fold.
    revert.unit.created_at = open ? known->created_at : a.clock.now();
    revert.unit.base = plan.remotes.fork_tip;
    revert.unit.reason = revert.record.reason;
    TRY(put_revert_record(a, revert.unit.id, revert.record));
    TRY(a.store.put_unit(revert.unit));
    TRY(transaction.commit());
    return std::vector<model::Unit>{revert.unit};
  });
}

Result<void> abandon_revert(App& app, const std::string& id, const std::string& who) {
  TRY_ASSIGN(auto unit, app.store.unit(id));
  const bool open = unit && unit->kind == model::UnitKind::revert && unit->state == model::UnitState::parked;
  if (!open) return make_error(ErrorKind::not_found, fmt::format("no revert called {} is parked", core::printable(id)));
  unit->state = model::UnitState::dropped;
  unit->reason = fmt::format("given up by {}; its commits stay in the fork", who);
  return app.store.put_unit(*unit);
}

Json revert_plan_json(App&, const RevertPlan& plan) {
  Json items = Json::array(), dependents = Json::array();
  for (const RevertItem& item : plan.record.items) {
    items.push(Json::object({{"landed", item.landed}, {"upstream", Json::array_of(item.upstream)}}));
  }
  for (const Dependent& d : plan.dependents) {
    dependents.push(Json::object({{"upstream", d.upstream}, {"landed", d.landed}, {"unit", d.unit}, {"why", d.why}}));
  }
  return Json::object({{"schema", "sluice.revert/1"}, {"unit", plan.unit.id}, {"commits", Json::array_of(plan.unit.commits)},
                       {"items", std::move(items)}, {"dependents", std::move(dependents)}, {"reason", plan.record.reason},
                       {"owner", plan.record.owner}, {"task", plan.record.task}, {"review_at", core::format_utc(plan.record.review_at)}});
}

std::string revert_plan_text(App& app, const RevertPlan& plan) {
  std::string out = fmt::format("would take back, as {}, newest first:\n", plan.unit.id);
  for (const RevertItem& item : plan.record.items) {
    out += fmt::format("  {} {}\n", model::short_oid(item.landed), subject_of(app, item.upstream.front()));
  }
  if (!plan.dependents.empty()) out += fmt::format("of these, because they build on what you named:{}\n", dependent_lines(app, plan.dependents));
  return out + fmt::format("owner {}, review on {}\n", core::printable(plan.record.owner), core::format_utc(plan.record.review_at));
}

}  // namespace sluice::service
