// SPDX-License-Identifier: Apache-2.0
#include "service/alert_conditions.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/file.h"
#include "core/log.h"
#include "core/process.h"
#include "core/text.h"
#include "landing/landing.h"
#include "runners/runners.h"
#include "service/canary/cycle.h"
#include "service/handover.h"
#include "service/model/model_office.h"
#include "service/pause.h"
#include "service/unit_text.h"

namespace sluice::service {

using core::Json;

namespace {

constexpr const char* run_key = "alerts.run";                  // {push_refused, trunk_red, sandbox}
constexpr const char* complete_key = "alerts.complete_run";    // when the last complete run ended
constexpr const char* validations_key = "alerts.validations";  // {seq, counts: {unit: n}}
constexpr std::array kinds = {"trunk_rewound", "line_stopped", "stop_branch", "paused",      "fetch_failing",   "fetch_stale", "upstream_rewritten",
                              "run_interrupted", "no_run",     "take_stale",  "review_due",  "push_refused",    "trunk_red",   "validations",
                              "sandbox",         "disk_low",   "gate_cannot_fail", "model_stopped"};

class Conditions {
 public:
  explicit Conditions(App& app) : app_(app), now_(app.clock.now()) {}
  std::vector<Condition> out;

  void add(std::string key, std::string kind, std::string text, std::string command, bool notify = false) {
    out.push_back({{std::move(key), std::move(kind), std::move(text), std::move(command), now_, 0}, notify});
  }

  Result<void> brakes() {
    TRY_ASSIGN(const auto stopped, app_.store.value("line_stopped"));
    if (stopped && stopped->starts_with("TRUNK_REWOUND")) {
      TRY_ASSIGN(const auto known, app_.store.value("trunk_known"));
      add("line", "trunk_rewound", *stopped,
          fmt::format("git -C {} log --oneline --left-right {}...refs/sluice/fork", repo(), known.value_or("refs/sluice/fork")));
    } else if (stopped && !stopped->empty()) {
      add("line", "line_stopped", *stopped, fmt::format("git -C {} log -5 --oneline refs/sluice/fork", repo()));
    }
    TRY_ASSIGN(const auto branch, app_.store.value("stop_branch"));
    if (branch && !branch->empty())
      add("stop_branch", "stop_branch", *branch,
          fmt::format("git ls-remote {} refs/heads/{}", core::shell_quote({core::redact(app_.config.fork.url)}), landing::stop_branch));
    if (const auto pause = read_pause(app_.config.store_path, now_); pause && now_ - pause->at > alert_paused_s)
      add("paused", "paused", "nothing lands: " + pause_words(*pause), "sluice resume");
    return {};
  }

  Result<void> fetches() {
    for (const char* name : {"upstream", "fork"}) {
      TRY_ASSIGN(const auto row, app_.store.fetch(name));
      if (!row) continue;
      const std::string since = row->at > 0 ? core::format_utc(row->at) : "ever";
      if (row->error.find("upstream_rewritten") != std::string::npos) {
        add("upstream_rewritten", "upstream_rewritten", row->error,
            "sluice ledger rewritten");
      } else if (row->at > 0 && now_ - row->at > alert_fetch_stale_s) {
        add(fmt::format("fetch.stale {}", name), "fetch_stale",
            fmt::format("{} has not been fetched since {}, so every number about it is old{}{}", name, since, row->error.empty() ? "" : "; the last try: ", row->error),
            "sluice doctor");
      } else if (!row->error.empty()) {
        add(fmt::format("fetch.failing {}", name), "fetch_failing",
            fmt::format("{} could not be fetched (last good fetch: {}): {}", name, since, row->error), "sluice doctor");
      }
    }
    return {};
  }

  Result<void> runs(bool at_work) {
    TRY_ASSIGN(const auto last, app_.store.last_run(""));
    if (!at_work && last && last->ended == 0 && !somebody_works()) {
      add("run.interrupted", "run_interrupted",
          fmt::format("the {} of {} did not end: it was killed, or the machine went down; the next one goes on where it was", last->command,
                      core::format_utc(last->started)),
          "sluice sync");
    }
    TRY_ASSIGN(const auto complete, app_.store.value(complete_key));
    const auto at = complete ? core::parse_utc(*complete) : Result<core::UnixTime>(now_);
    if (!at_work && at.ok() && now_ - *at > alert_no_run_s)
      add("run.none", "no_run", fmt::format("no run has completed since {}", core::format_utc(*at)), "sluice sync");
    return {};
  }

  Result<void> people() {
    TRY_ASSIGN(const auto takes, app_.store.takes());
    for (const store::TakeRow& take : takes) {
      if (now_ - take.at <= take_stale_after_s) continue;
      add("take.stale " + take.unit, "take_stale",
          fmt::format("{} took {} on {} and has not handed it back", core::printable(take.owner), take.unit, core::format_utc(take.at).substr(0, 10)),
          take.work_tree.empty() ? fmt::format("git -C {} log -3 --oneline {}", repo(), core::shell_quote({take.branch}))
                                 : fmt::format("git -C {} status", core::shell_quote({take.work_tree})),
          true);
    }
    TRY_ASSIGN(const auto rows, app_.store.ledger_all());
    for (const model::LedgerRow& row : rows) {
      if (row.review_at == 0 || row.review_at > now_) continue;
      if (row.disposition != model::Disposition::backed_out && row.disposition != model::Disposition::deferred) continue;
      add("review.due " + row.upstream, "review_due",
          fmt::format("{} \"{}\" is {} since {} and its review day has come{}", model::short_oid(row.upstream), subject_of(app_, row.upstream, 60),
                      model::to_string(row.disposition), core::format_utc(row.at).substr(0, 10),
                      row.owner.empty() ? "" : fmt::format(" (owner: {})", core::printable(row.owner, 60))),
          fmt::format("sluice plan --no-fetch --explain {}", model::short_oid(row.upstream)), true);
    }
    return {};
  }

  // What the last run found out.
  Result<void> noted() {
    TRY_ASSIGN(const auto text, app_.store.value(run_key));
    const auto noted = text ? Json::parse(*text) : Result<Json>(Json());
    if (noted.ok()) {
      if (const auto& why = (*noted)["push_refused"].as_string(); !why.empty()) add("push_refused", "push_refused", why, "sluice doctor");
      if (const auto& why = (*noted)["trunk_red"].as_string(); !why.empty())
        add("trunk_red", "trunk_red", why, fmt::format("git -C {} log -5 --oneline refs/sluice/fork", repo()));
      if (const auto& why = (*noted)["sandbox"].as_string(); !why.empty()) add("sandbox", "sandbox", why, "sluice doctor");
    }
    TRY_ASSIGN(const std::string unproven, unproven_gates(app_));
    if (!unproven.empty()) add("canaries", "gate_cannot_fail", unproven, "sluice gate --canaries");
    TRY_ASSIGN(const auto breakers, StoredBreakers::all(app_.store));
    for (const auto& [name, state] : breakers) {
      add("model.breaker " + name, "model_stopped", fmt::format("the model endpoint {} is not asked since {}: {}; conflicts wait, everything else goes on", name,
                                                                core::format_utc(state.opened_at), core::printable(state.reason, 300)),
          fmt::format("sluice model reset {}", core::shell_quote({name})), true);
    }
    TRY_ASSIGN(const auto stored, app_.store.value(validations_key));
    const auto counts = stored ? Json::parse(*stored) : Result<Json>(Json());
    if (!counts.ok()) return {};
    for (const auto& [id, n] : (*counts)["counts"].members()) {
      if (n.as_int() <= alert_validations) continue;
      TRY_ASSIGN(const auto unit, app_.store.unit(id));
      using State = model::UnitState;
      if (!unit || unit->state == State::landed || unit->state == State::dropped || unit->state == State::parked || unit->commits.empty()) continue;
      add("unit.validations " + id, "validations",
          fmt::format("{} was validated {} times and has not ended; trunk moves faster than its suites run, or they die", id, n.as_int()),
          fmt::format("sluice plan --no-fetch --explain {}", model::short_oid(unit->commits.front())), true);
    }
    return {};
  }

  void disk() {
    struct statvfs fs {};
    if (::statvfs(app_.config.store_path.c_str(), &fs) != 0) return;
    const std::string words = disk_words(std::uint64_t{fs.f_bavail} * fs.f_frsize, std::uint64_t{fs.f_blocks} * fs.f_frsize);
    if (!words.empty()) add("disk", "disk_low", words, fmt::format("df -h {}", core::shell_quote({app_.config.store_path})), true);
  }

 private:
  std::string repo() const { return core::shell_quote({app_.repo.git_dir()}); }

  // The kernel's list of locks names the inode of ours while a process holds it. Asking the lock itself would
  // make a run that starts at this moment believe that another one is at work.
  bool somebody_works() const {
    struct stat file {};
    if (::stat(core::join_path(app_.config.store_path, "lock").c_str(), &file) != 0) return false;
    const auto locks = core::read_file("/proc/locks", 4u << 20);
    if (!locks.ok()) return true;  // not known: no alarm
    const std::string inode = fmt::format(":{} ", file.st_ino);
    for (const std::string_view line : core::split_lines(*locks)) {
      if (line.find("FLOCK") != std::string_view::npos && line.find(inode) != std::string_view::npos) return true;
    }
    return false;
  }

  App& app_;
  std::int64_t now_;
};

// How often the validation of each unit was begun, from the event log: the log is read on from where it was left.
Result<void> count_validations(App& app) {
  TRY_ASSIGN(const auto stored, app.store.value(validations_key));
  const auto parsed = stored ? Json::parse(*stored) : Result<Json>(Json());
  Json counts = parsed.ok() && (*parsed)["counts"].is_object() ? (*parsed)["counts"] : Json::object();
  std::int64_t seq = parsed.ok() ? (*parsed)["seq"].as_int() : 0;
  for (;;) {
    TRY_ASSIGN(const auto events, app.store.events(seq, 1000));
    if (events.empty()) break;
    for (const store::Event& event : events) {
      seq = event.seq;
      if (event.type == "unit.validating") counts.set(event.subject, counts[event.subject].as_int() + 1);
      if (event.type == "unit.landed" || event.type == "unit.dropped" || event.type == "unit.parked") counts.set(event.subject, 0);
    }
  }
  Json kept = Json::object();
  for (const auto& [unit, n] : counts.members()) {
    if (n.as_int() > 0) kept.set(unit, n);
  }
  return app.store.put_value(validations_key, Json::object({{"seq", seq}, {"counts", std::move(kept)}}).dump());
}

}  // namespace

std::vector<std::string> alert_kinds() { return {kinds.begin(), kinds.end()}; }

bool is_condition(const std::string& kind) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const char* known) { return kind == known; });
}

Result<std::vector<Condition>> present_conditions(App& app, bool at_work) {
  Conditions conditions(app);
  TRY(conditions.brakes());
  TRY(conditions.fetches());
  TRY(conditions.runs(at_work));
  TRY(conditions.people());
  TRY(conditions.noted());
  conditions.disk();
  return std::move(conditions.out);
}

Result<void> note_run(App& app, const RunFacts& run) {
  Json noted = Json::object();
  if (!run.push_refused.empty()) noted.set("push_refused", run.push_refused);
  if (!run.trunk_red.empty()) noted.set("trunk_red", run.trunk_red);
  if (!app.config.policy.suites.empty()) {
    const runners::SandboxProbe probe = runners::probe_sandbox();
    const std::string why = probe.problems.empty() ? "" : ": " + core::printable(probe.problems.front(), 200);
    const Json in_force = Json::object({{"backend", probe.backend}, {"uid", probe.uid}, {"limits", probe.limits}});
    TRY(app.store.put_value(sandbox_key, in_force.dump()));
    if (!probe.usable) noted.set("sandbox", "no sandbox is usable here" + why);
    else if (probe.backend != "A") noted.set("sandbox", fmt::format("suites run in sandbox {}, which contains less than A{}", probe.backend, why));
  }
  TRY(app.store.put_value(run_key, noted.dump()));
  if (!run.failed) TRY(app.store.put_value(complete_key, core::format_utc(app.clock.now())));
  return count_validations(app);
}

}  // namespace sluice::service
