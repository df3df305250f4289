// SPDX-License-Identifier: Apache-2.0
// The state that the ledger's log tells, and whether trunk bears it out. Inner header of the rebuild.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "service/ledger_log.h"
#include "service/planning.h"

namespace sluice::service {

class LogReplay {
 public:
  Result<void> apply(const LogCommit& commit);
  // Positions from upstream's line. Errors: invalid, naming commit and line of a row that is not on it.
  Result<void> place(const std::vector<Oid>& line);

  std::map<Oid, model::LedgerRow> rows;  // also those that are pending again
  std::vector<model::Unit> units;        // in the order in which they first appeared; taken ones are parked
  std::string import_state;
  std::int64_t commits = 0, lines = 0;

 private:
  Result<void> apply_unit(const LogLine& line, const std::string& where);
  std::map<std::string, std::size_t> unit_at_;
  std::map<Oid, std::string> said_in_;  // row -> commit and line that said it last
};

// Why trunk contradicts what the log says of one commit; empty when it does not. `history`: what trunk alone says.
Result<std::string> contradiction(App& app, const model::LedgerRow& row, const std::map<Oid, model::LedgerRow>& history, const Oid& fork_tip);

}  // namespace sluice::service
