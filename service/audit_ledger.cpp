// SPDX-License-Identifier: Apache-2.0
// The ledger against trunk, and the log outside the store against the event log.
#include <fmt/format.h>

#include "core/text.h"
#include "service/audit_parts.h"
#include "service/ledger_log.h"

namespace sluice::service {

namespace {

constexpr const char* rebuild = "`sluice ledger rebuild --replace` makes the ledger again from the log and the fork's history";

}  // namespace

Result<void> Auditor::ledger() {
  if (!rows_) {
    TRY_ASSIGN(rows_, app_.store.ledger_all());
  }
  TRY_ASSIGN(const Oid tip, trunk());
  if (tip.empty() && !rows_->empty()) {
    unchecked("ledger", "all rows", "no trunk has been fetched to compare them with", "run `sluice plan`, which fetches");
    return {};
  }
  for (const model::LedgerRow& each : *rows_) {
    if (each.disposition == model::Disposition::picked || each.disposition == model::Disposition::adapted) TRY(row(each));
  }
  return {};
}

Result<void> Auditor::row(const model::LedgerRow& row) {
  ++audit_.rows;
  const std::string where = fmt::format("ledger row of {}", row.upstream);
  if (!model::is_oid(row.downstream)) {
    wrong("ledger", where, "it names no commit that carries it", rebuild);
    return {};
  }
  const git::Reader& reader = app_.repo.reader();
  bool there = false;
  if (reader.has(row.downstream)) {
    TRY_ASSIGN(there, on_trunk(row.downstream));
  }
  if (!there) {
    wrong("ledger", where, fmt::format("it is {} as {}, which trunk does not contain", model::to_string(row.disposition), row.downstream), rebuild);
    return {};
  }
  TRY_ASSIGN(const git::Commit commit, reader.commit(row.downstream));
  const std::string& message = commit.message;
  if (row.evidence == "landed") {
    if (message.find("Upstream-Commit: " + row.upstream) == std::string::npos) wrong("ledger", where, fmt::format("{} has no trailer Upstream-Commit that says so", row.downstream), rebuild);
  } else if (row.evidence == "trailer" && message.find(row.upstream.substr(0, 7)) == std::string::npos &&
             message.find("This reverts commit") == std::string::npos) {
    // A side commit is named where its merge is meant; a pick that came back is named by the revert of its revert.
    TRY_ASSIGN(const auto facts, app_.store.facts(row.upstream));
    if (!facts || facts->parents.size() < 2) wrong("ledger", where, fmt::format("{} does not name it", row.downstream), rebuild);
  }
  return {};
}

Result<void> Auditor::log() {
  TRY_ASSIGN(const std::string identity, store_identity(app_));
  TRY_ASSIGN(const auto tip, app_.repo.ref(ledger_ref));
  std::int64_t covered = 0;
  bool own = false;
  if (tip) {
    const auto read = read_log(app_.repo.reader(), *tip, [&](LogCommit&& commit) -> Result<void> {
      own = commit.store == identity;
      if (!own) return {};
      covered = commit.to;
      for (const LogLine& line : commit.lines) {
        ++audit_.log_lines;
        TRY_ASSIGN(const auto events, app_.store.events(line.seq - 1, 1));
        const bool same = !events.empty() && events.front().seq == line.seq && events.front().at == line.at &&
                          events.front().type == line.type && events.front().subject == line.subject;
        bool body = same;
        if (same) {
          for (const auto& [key, value] : events.front().body.members()) body = body && line.body[key] == value;
        }
        if (!body)
          wrong("log", fmt::format("commit {} of {}, event {}", model::short_oid(commit.oid), ledger_ref, line.seq),
                "it says something else than the event log", "compare with the fork's copy of the ref, then `sluice ledger rebuild --replace`");
      }
      return {};
    });
    if (!read.ok() && read.error().kind == ErrorKind::internal) return read.error();
    if (!read.ok()) {
      wrong("log", ledger_ref, read.error().message, fmt::format("`git --git-dir {} fetch {} +{}:{}` takes the fork's copy", app_.repo.git_dir(),
                                                                 core::printable(app_.config.fork.url, 200), ledger_ref, ledger_ref));
      return {};
    }
  }
  if (tip && !own) return {};  // a rebuilt store that has changed nothing since
  if (tip) {
    // What `take`, `plan` or a run that is at work has stored since waits for the end of the next run. A log that
    // was cut behind what the fork was given is another matter.
    TRY_ASSIGN(const Oid pushed, pushed_log(app_));
    bool whole = pushed.empty() || pushed == *tip;
    if (!whole && app_.repo.reader().has(pushed)) {
      TRY_ASSIGN(whole, app_.repo.reader().is_ancestor(pushed, *tip));
    }
    if (whole) return {};
  }
  for (std::int64_t seen = covered;;) {
    TRY_ASSIGN(const auto events, app_.store.events(seen, 1000));
    if (events.empty()) return {};
    seen = events.back().seq;
    for (const store::Event& event : events) {
      TRY_ASSIGN(const auto line, log_line(app_, event));
      if (!line) continue;
      wrong("log", ledger_ref, tip ? fmt::format("event {} ({} {}) and what follows are not in it", event.seq, event.type, event.subject)
                                   : std::string("it is gone, and the event log has changes of the ledger"),
            "`sluice sync` writes what it lacks");
      return {};
    }
  }
}

}  // namespace sluice::service
