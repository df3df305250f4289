// SPDX-License-Identifier: Apache-2.0
#include "service/remotes.h"

#include <fmt/format.h>

#include <string_view>

#include "core/log.h"
#include "landing/landing.h"
#include "service/pause.h"
#include "service/policy_ref.h"

namespace sluice::service {

namespace {

constexpr const char* upstream_ref = "refs/sluice/upstream";
constexpr const char* fork_ref = "refs/sluice/fork";
constexpr const char* stop_key = "line_stopped";
constexpr const char* stop_branch_key = "stop_branch";
constexpr const char* trunk_key = "trunk_known";

Result<git::FetchOutcome> fetch_one(App& app, const char* name, const model::RemoteConfig& remote, const char* ref) {
  app.progress(fmt::format("fetching {}", name), 0, 0);
  store::FetchRow row;
  TRY_ASSIGN(const auto before, app.store.fetch(name));
  if (before) row = *before;
  row.remote = name;
  row.tried_at = app.clock.now();
  auto outcome = app.repo.fetch(remote.url, remote.branch, ref, git::FetchLimits{}, app.cancel);
  if (outcome.ok()) {
    // Upstream's tip counts as known when its line could be read (note_upstream): after a force-push status
    // and ledger go on showing what was known.
    if (std::string_view(ref) != upstream_ref) row.tip = outcome->tip;
    row.at = row.tried_at;
    row.error.clear();
  } else {
    row.error = outcome.error().message;
  }
  TRY(app.store.put_fetch(row));
  return outcome;
}

}  // namespace

Result<Remotes> fetch_remotes(App& app) {
  Remotes out;
  auto upstream = fetch_one(app, "upstream", app.config.upstream, upstream_ref);
  if (upstream.ok()) {
    out.upstream_tip = upstream->tip;
    out.note = upstream->note;
  } else {
    TRY_ASSIGN(const auto known, app.store.fetch("upstream"));
    if (!known || known->tip.empty() || !app.repo.reader().has(known->tip)) return upstream.error();
    out.upstream_tip = known->tip;
    out.upstream_stale = true;
    out.upstream_error = upstream.error().message;
    core::log_warning(fmt::format("upstream could not be fetched, working with {} of {}: {}",
                                  model::short_oid(known->tip), core::format_utc(known->at), out.upstream_error));
  }
  TRY_ASSIGN(const auto fork, fetch_one(app, "fork", app.config.fork, fork_ref));
  out.fork_tip = fork.tip;
  if (!fork.note.empty()) out.note += (out.note.empty() ? "" : "; ") + fork.note;
  TRY(fetch_policy(app));
  return out;
}

Result<void> note_upstream(App& app, const Oid& tip, const std::string& error) {
  TRY_ASSIGN(auto row, app.store.fetch("upstream"));
  if (!row || (row->tip == tip && row->error == error) || app.lock == nullptr) return {};
  if (error.empty()) row->tip = tip;
  row->error = error;
  return app.store.put_fetch(*row);
}

Result<Remotes> known_remotes(App& app) {
  TRY_ASSIGN(const auto upstream, app.store.fetch("upstream"));
  TRY_ASSIGN(const auto fork, app.store.fetch("fork"));
  if (!upstream || !fork || upstream->tip.empty() || fork->tip.empty()) {
    return make_error(ErrorKind::not_found, "nothing has been fetched yet; run `sluice plan` first");
  }
  Remotes out;
  out.upstream_tip = upstream->tip;
  out.fork_tip = fork->tip;
  out.upstream_stale = !upstream->error.empty();
  out.upstream_error = upstream->error;
  return out;
}

Result<std::string> line_stopped(App& app) {
  if (const auto pause = read_pause(app.config.store_path, app.clock.now())) return pause_words(*pause);
  TRY_ASSIGN(const auto reason, app.store.value(stop_key));
  if (reason && !reason->empty()) return *reason;
  TRY_ASSIGN(const auto branch, app.store.value(stop_branch_key));
  return branch.value_or("");
}

Result<std::string> alarm_raised(App& app) {
  TRY_ASSIGN(const auto reason, app.store.value(stop_key));
  return reason.value_or("");
}

Result<void> look_for_stop_branch(App& app) {
  std::string reason;
  if (app.config.autonomy == model::Autonomy::land) {
    const auto tip = app.repo.remote_tip(app.config.fork.url, landing::stop_branch);
    if (tip.ok()) {
      reason = fmt::format("the branch {} exists on the fork (at {}): nothing lands until somebody deletes it",
                           landing::stop_branch, model::short_oid(*tip));
    } else if (tip.error().kind != ErrorKind::not_found) {
      return tip.error();  // who cannot look must not land
    }
  }
  TRY_ASSIGN(const auto before, app.store.value(stop_branch_key));
  if (before.value_or("") == reason) return {};
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.put_value(stop_branch_key, reason));
  TRY(app.store.append_event(reason.empty() ? "line.resumed" : "line.stopped", app.config.fork.branch,
                             core::Json::object({{"reason", reason}, {"branch", landing::stop_branch}}), app.clock.now()));
  return transaction.commit();
}

Result<void> stop_line(App& app, const std::string& reason) {
  TRY_ASSIGN(const auto present, app.store.value(stop_key));
  if (present.value_or("") == reason) return {};
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.put_value(stop_key, reason));
  TRY(app.store.append_event("line.stopped", app.config.fork.branch, core::Json::object({{"reason", reason}}),
                             app.clock.now()));
  TRY(transaction.commit());
  core::log_error("landing is stopped: " + reason);
  return {};
}

Result<std::string> check_trunk(App& app, const Oid& fork_tip) {
  TRY_ASSIGN(const std::string stopped, halted(app));
  if (!stopped.empty()) return stopped;
  TRY_ASSIGN(const auto known, app.store.value(trunk_key));
  if (known && !known->empty() && *known != fork_tip) {
    bool forward = false;
    if (app.repo.reader().has(*known)) {
      TRY_ASSIGN(forward, app.repo.reader().is_ancestor(*known, fork_tip));
    }
    if (!forward) {
      const std::string reason = fmt::format(
          "TRUNK_REWOUND: {} of the fork was at {} and is now at {}, which does not contain it; nothing lands until an "
          "operator has looked (`sluice sync --accept-trunk {}` continues from there)",
          app.config.fork.branch, *known, fork_tip, fork_tip);
      TRY(stop_line(app, reason));
      return reason;
    }
  }
  TRY(app.store.put_value(trunk_key, fork_tip));
  return std::string();
}

Result<std::int64_t> accept_trunk(App& app, const Oid& fork_tip, const std::string& who) {
  TRY_ASSIGN(const auto rows, app.store.ledger_all());
  TRY_ASSIGN(auto transaction, app.store.begin());
  std::int64_t dropped = 0;
  for (model::LedgerRow row : rows) {
    if (row.downstream.empty()) continue;
    bool there = false;
    if (app.repo.reader().has(row.downstream)) {
      TRY_ASSIGN(there, app.repo.reader().is_ancestor(row.downstream, fork_tip));
    }
    if (there) continue;
    row.disposition = model::Disposition::backed_out;
    row.evidence = "trunk";
    row.reason = fmt::format("trunk was rewound: it no longer carries {}", model::short_oid(row.downstream));
    row.who = who;
    row.at = app.clock.now();
    TRY(app.store.put_ledger(row));
    ++dropped;
  }
  TRY(app.store.put_value(stop_key, ""));
  TRY(app.store.put_value(trunk_key, fork_tip));
  TRY(app.store.append_event("line.resumed", app.config.fork.branch,
                             core::Json::object({{"trunk", fork_tip}, {"who", who}, {"backed_out", dropped}}),
                             app.clock.now()));
  TRY(transaction.commit());
  return dropped;
}

}  // namespace sluice::service
