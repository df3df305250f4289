// SPDX-License-Identifier: Apache-2.0
// The ledger outside the store: every change that matters for the future is also a line in a commit on
// refs/sluice/ledger, so that a lost store can be rebuilt.
//
// The event log is the queue. A commit names the events that it covers, so whatever ends a run, the next one goes on
// behind them: no line is written twice, none is left out. Its tree holds one file of JSON lines, a header first:
//
//   {"schema":"sluice.ledger-log/1","store":ID,"from":A,"to":B,"import":STATE}
//   {"seq":N,"at":SECONDS,"type":"ledger.picked","subject":OID,"body":{..}}
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "service/app.h"

namespace sluice::service {

inline constexpr const char* ledger_ref = "refs/sluice/ledger";
inline constexpr const char* ledger_schema = "sluice.ledger-log/1";
inline constexpr const char* ledger_not_pushed = "ledger_not_pushed";  // key of the alert

struct LogLine {
  std::int64_t seq = 0, at = 0;
  std::string type;     // ledger.<disposition>, unit.parked | taken | landed | dropped
  std::string subject;  // upstream commit, or unit
  core::Json body;
};

struct LogCommit {
  Oid oid;
  std::string store;            // which store's events: a rebuilt store counts from 1 again
  std::int64_t from = 0, to = 0;
  std::string import_state;     // up to where the fork's history had been read; may be empty
  std::vector<LogLine> lines;
};

// A push that was refused is not tried again after every landing, only at the end of a run.
enum class Flush { after_landing, at_end };
// Writes what the ref lacks, and with autonomy = land pushes it (lease: the tip that was pushed last). A refused
// push, and a remote ref that holds another store's log, are an alert (`ledger_not_pushed`), not an error; nothing
// is ever overwritten. Errors: the local write failed; the next call repeats it.
Result<void> flush_ledger(App& app, Flush when = Flush::at_end);

// The line of an event; nullopt when the log does not keep its kind.
Result<std::optional<LogLine>> log_line(App& app, const store::Event& event);
// Identity of this store's event log: the hash of its first event. Empty without events.
Result<std::string> store_identity(App& app);
// The tip that the fork is known to have; empty before the first push.
Result<Oid> pushed_log(App& app);
// A rebuilt store goes on behind `tip`: events up to `seq` say what `tip` says.
Result<void> continue_log(App& app, const Oid& tip, std::int64_t seq);

// Every commit of the log up to `tip`, oldest first. Hostile input. Errors: invalid, naming commit and line.
Result<void> read_log(const git::Reader& reader, const Oid& tip, const std::function<Result<void>(LogCommit&&)>& visit);
// The newest one alone.
Result<LogCommit> read_log_commit(const git::Reader& reader, const Oid& oid);

}  // namespace sluice::service
