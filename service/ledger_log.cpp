// SPDX-License-Identifier: Apache-2.0
#include "service/ledger_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/log.h"
#include "core/text.h"
#include "ingest/ingest.h"

namespace sluice::service {

namespace {

constexpr const char* file_name = "events.jsonl";
constexpr const char* continued_key = "ledger_log.continued";  // "<tip> <seq>" of a rebuilt store
constexpr const char* pushed_key = "ledger_log.pushed";        // tip that the remote is known to have
constexpr std::size_t events_at_once = 5000;
constexpr std::size_t lines_of_one_commit = 20'000;

bool is_kept(std::string_view type) {
  constexpr std::string_view ledger = "ledger.";
  if (type.starts_with(ledger)) return model::parse_disposition(type.substr(ledger.size())).has_value();
  return type == "unit.parked" || type == "unit.taken" || type == "unit.landed" || type == "unit.dropped";
}

core::Json line_json(const LogLine& line) {
  return core::Json::object({{"seq", line.seq}, {"at", line.at}, {"type", line.type}, {"subject", line.subject}, {"body", line.body}});
}

// Behind which event the log goes on. Errors: conflict when `tip` is the log of another store.
Result<std::int64_t> covered(App& app, const Oid& tip, const std::string& identity) {
  if (tip.empty()) return std::int64_t{0};
  TRY_ASSIGN(const LogCommit last, read_log_commit(app.repo.reader(), tip));
  if (last.store == identity) return last.to;
  TRY_ASSIGN(const auto continued, app.store.value(continued_key));
  if (continued) {
    const auto parts = core::split(*continued, ' ');
    if (parts.size() == 2 && parts[0] == tip) return static_cast<std::int64_t>(std::atoll(std::string(parts[1]).c_str()));
  }
  return make_error(ErrorKind::conflict, fmt::format("{} at {} is the log of another store; `sluice ledger rebuild` reads it, or delete "
                                                     "the ref in {} to begin a new one", ledger_ref, model::short_oid(tip), app.repo.git_dir()));
}

// One commit of what lies behind `after`. Empty: nothing does.
Result<std::optional<Oid>> write_next(App& app, const Oid& tip, std::int64_t after, const std::string& identity) {
  std::vector<LogLine> lines;
  for (std::int64_t seen = after; lines.size() < lines_of_one_commit;) {
    TRY_ASSIGN(const auto events, app.store.events(seen, events_at_once));
    if (events.empty()) break;
    seen = events.back().seq;
    for (const store::Event& event : events) {
      TRY_ASSIGN(auto line, log_line(app, event));
      if (line) lines.push_back(std::move(*line));
    }
  }
  if (lines.empty()) return std::optional<Oid>();
  const std::int64_t to = lines.back().seq;
  core::Json header = core::Json::object({{"schema", ledger_schema}, {"store", identity}, {"from", after + 1}, {"to", to}});
  TRY_ASSIGN(const auto imported, app.store.value(ingest::import_state_key));
  if (imported) header.set("import", *imported);
  std::string text = header.dump() + "\n";
  for (const LogLine& line : lines) text += line_json(line).dump() + "\n";
  git::CommitSpec spec;
  TRY_ASSIGN(const Oid blob, app.repo.write_blob(text));
  TRY_ASSIGN(spec.tree, app.repo.write_tree({}, {{file_name, git::TreeEntry{0100644, blob}}}));
  if (!tip.empty()) spec.parents = {tip};
  // The time of its last event, not of this process: written again after a crash it is the same commit.
  spec.author = spec.committer = {app.config.committer_name, app.config.committer_email, lines.back().at, 0};
  spec.message = fmt::format("Ledger: {} change{}\n\nSluice-Store: {}\nSluice-Events: {}..{}\n", lines.size(), lines.size() == 1 ? "" : "s",
                             identity, after + 1, to);
  TRY_ASSIGN(const Oid commit, app.repo.write_commit(spec));
  TRY(app.repo.set_ref(ledger_ref, commit, tip));
  return std::optional<Oid>(commit);
}

Result<void> not_pushed(App& app, const std::string& why) {
  store::AlertRow alert;
  alert.key = ledger_not_pushed;
  alert.kind = ledger_not_pushed;
  alert.text = fmt::format("the ledger's log is not on the fork: {}", core::printable(core::redact(why), 400));
  alert.command = "sluice doctor";
  alert.opened_at = app.clock.now();
  TRY_ASSIGN(const bool news, app.store.raise_alert(alert));
  if (news) core::log_warning(alert.text);
  return {};
}

Result<void> is_pushed(App& app, const Oid& tip) {
  TRY(app.store.put_value(pushed_key, tip));
  TRY(app.store.close_alert(ledger_not_pushed, app.clock.now()));
  return {};
}

// What the remote has, when that is part of our log; empty = nothing. Errors: conflict (another log).
Result<Oid> part_of_ours(App& app, const Oid& tip) {
  auto theirs = app.repo.remote_tip(app.config.fork.url, ledger_ref);
  if (!theirs.ok()) {
    if (theirs.error().kind == ErrorKind::not_found) return Oid();
    return theirs.error();
  }
  bool ours = false;
  if (app.repo.reader().has(*theirs)) {
    TRY_ASSIGN(ours, app.repo.reader().is_ancestor(*theirs, tip));
  }
  if (ours) return *theirs;
  return make_error(ErrorKind::conflict, fmt::format("{} of the fork is at {}, which this store did not write; it is left as it is "
                                                     "(`sluice ledger rebuild` takes it over)", ledger_ref, model::short_oid(*theirs)));
}

Result<void> push_log(App& app, const Oid& tip, Flush when) {
  if (tip.empty() || !app.config.push_ledger || app.config.autonomy != model::Autonomy::land) return {};
  TRY_ASSIGN(const auto known, app.store.value(pushed_key));
  if (known && *known == tip) return {};
  if (when == Flush::after_landing) {
    TRY_ASSIGN(const auto alerts, app.store.alerts(true));
    if (std::any_of(alerts.begin(), alerts.end(), [](const auto& alert) { return alert.key == ledger_not_pushed; })) return {};
  }
  Oid expected = known.value_or("");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto pushed = app.repo.push(app.config.fork.url, tip, ledger_ref, expected);
    if (pushed.ok() && pushed->kind == git::PushOutcome::Kind::landed) return is_pushed(app, tip);
    if (pushed.ok() && pushed->kind == git::PushOutcome::Kind::rejected) return not_pushed(app, pushed->detail);
    const bool elsewhere = pushed.ok() ? pushed->kind == git::PushOutcome::Kind::moved : pushed.error().kind == ErrorKind::conflict;
    if (!elsewhere) {  // no answer: said, and tried again with the next flush
      core::log_warning(fmt::format("the ledger's log could not be pushed now: {}", pushed.ok() ? pushed->detail : pushed.error().message));
      return {};
    }
    // Not where it was left: a push whose answer was lost, or another store.
    auto theirs = part_of_ours(app, tip);
    if (!theirs.ok()) return not_pushed(app, theirs.error().message);
    if (*theirs == tip) return is_pushed(app, tip);
    expected = *theirs;
  }
  return not_pushed(app, "the ref moves with every attempt");
}

}  // namespace

Result<std::string> store_identity(App& app) {
  TRY_ASSIGN(const auto first, app.store.events(0, 1));
  return first.empty() ? std::string() : first.front().hash.substr(0, 16);
}

Result<std::optional<LogLine>> log_line(App& app, const store::Event& event) {
  if (!is_kept(event.type)) return std::optional<LogLine>();
  LogLine line{event.seq, event.at, event.type, event.subject, event.body};
  if (event.type.starts_with("unit.")) {
    // The event says what changed; whoever reads the log alone needs the members and the time of the fold, too.
    TRY_ASSIGN(const auto unit, app.store.unit(event.subject));
    if (unit) {
      line.body.set("commits", core::Json::array_of(unit->commits));
      line.body.set("created_at", unit->created_at);
    }
  }
  return std::optional(std::move(line));
}

Result<Oid> pushed_log(App& app) {
  TRY_ASSIGN(const auto known, app.store.value(pushed_key));
  return known.value_or("");
}

Result<void> continue_log(App& app, const Oid& tip, std::int64_t seq) {
  TRY(app.store.put_value(pushed_key, tip));
  return app.store.put_value(continued_key, fmt::format("{} {}", tip, seq));
}

Result<void> flush_ledger(App& app, Flush when) {
  if (app.lock == nullptr) return {};
  TRY_ASSIGN(const std::string identity, store_identity(app));
  TRY_ASSIGN(const auto before, app.repo.ref(ledger_ref));
  Oid tip = before.value_or("");
  auto after = covered(app, tip, identity);
  if (!after.ok()) {
    if (after.error().kind != ErrorKind::conflict) return after.error();
    return not_pushed(app, after.error().message);
  }
  for (std::int64_t at = *after;;) {
    TRY_ASSIGN(const auto written, write_next(app, tip, at, identity));
    if (!written) break;
    tip = *written;
    TRY_ASSIGN(at, covered(app, tip, identity));
  }
  return push_log(app, tip, when);
}

}  // namespace sluice::service
