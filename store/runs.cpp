// SPDX-License-Identifier: Apache-2.0
// Queries: runs and fetches.
#include <fmt/format.h>

#include "store/state.h"

namespace sluice::store {
namespace {

constexpr std::string_view outcomes[] = {"complete", "needs_person", "outside_failure", "stopped"};

bool is_outcome(std::string_view text) {
  for (const std::string_view outcome : outcomes)
    if (text == outcome) return true;
  return false;
}

RunRow read_run(const Statement& q) {
  return {q.integer(0), q.text(1), q.integer(2), q.integer(3), q.text(4), q.text(5)};
}

}  // namespace

Result<std::int64_t> Store::start_run(const std::string& command, std::int64_t at) {
  std::int64_t id = 0;
  Result<void> done = state_->write([&]() -> Result<void> {
    TRY(state_->db.run(
        "INSERT INTO runs (command, started, ended, outcome, detail) VALUES (?1, ?2, 0, '', x'')", command,
        at));
    id = state_->db.last_id();
    return {};
  });
  if (!done.ok()) return done.error();
  return id;
}

Result<void> Store::end_run(std::int64_t id, const std::string& outcome, const std::string& detail,
                            std::int64_t at) {
  if (!is_outcome(outcome))
    return make_error(ErrorKind::invalid,
                      fmt::format("run outcome '{}' is not one of complete, needs_person, "
                                  "outside_failure, stopped",
                                  outcome));
  return state_->write([&]() -> Result<void> {
    RunRow run;
    {
      TRY_ASSIGN(Statement q,
                 state_->db.query(
                     "SELECT id, command, started, ended, outcome, detail FROM runs WHERE id = ?1", id));
      TRY_ASSIGN(const bool row, q.step());
      if (!row) return make_error(ErrorKind::not_found, fmt::format("no run has the id {}", id));
      run = read_run(q);
    }
    if (run.outcome == outcome && run.detail == detail) return {};
    if (!run.outcome.empty())
      return make_error(ErrorKind::conflict, fmt::format("run {} has already ended as {}", id, run.outcome));
    TRY(state_->db.run("UPDATE runs SET ended = ?2, outcome = ?3, detail = ?4 WHERE id = ?1", id, at, outcome,
                       Bytes{detail}));
    core::Json body = core::Json::object({{"run", id}, {"started", run.started}});
    if (!detail.empty()) body.set("detail", detail);
    return state_->append_event(fmt::format("run.{}", outcome), run.command, body, at);
  });
}

Result<std::optional<RunRow>> Store::last_run(const std::string& command) {
  TRY_ASSIGN(Statement q,
             command.empty()
                 ? state_->db.query("SELECT id, command, started, ended, outcome, detail FROM runs "
                                    "ORDER BY id DESC LIMIT 1")
                 : state_->db.query("SELECT id, command, started, ended, outcome, detail FROM runs "
                                    "WHERE command = ?1 ORDER BY id DESC LIMIT 1",
                                    command));
  TRY_ASSIGN(const bool row, q.step());
  return row ? std::optional(read_run(q)) : std::nullopt;
}

Result<void> Store::put_fetch(const FetchRow& row) {
  return state_->write([&] {
    return state_->db.run(
        "INSERT INTO fetches (remote, tip, at, tried_at, error) VALUES (?1, ?2, ?3, ?4, ?5) "
        "ON CONFLICT (remote) DO UPDATE SET tip = ?2, at = ?3, tried_at = ?4, error = ?5",
        row.remote, row.tip, row.at, row.tried_at, Bytes{row.error});
  });
}

Result<std::optional<FetchRow>> Store::fetch(const std::string& remote) {
  TRY_ASSIGN(
      Statement q,
      state_->db.query("SELECT remote, tip, at, tried_at, error FROM fetches WHERE remote = ?1", remote));
  TRY_ASSIGN(const bool row, q.step());
  if (!row) return std::optional<FetchRow>();
  return std::optional(FetchRow{q.text(0), q.text(1), q.integer(2), q.integer(3), q.text(4)});
}

}  // namespace sluice::store
