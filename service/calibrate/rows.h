// SPDX-License-Identifier: Apache-2.0
// Which landed commits are looked at: from a list, or mined from the fork's history.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "git/read.h"
#include "ingest/history.h"
#include "service/app.h"
#include "service/calibrate/sample.h"

namespace sluice::service::calibrate {

struct Rows {
  std::vector<Row> rows;  // oldest first as far as the source says
  std::int64_t scanned = 0;
  std::map<std::string, std::int64_t> left_out;  // reason -> commits
};

// A table with a line of names, tab separated: downstream_sha, downstream_parent_sha, upstream_shas (comma separated,
// in upstream order), and if it is there date (YYYY-MM-DD). Errors: invalid, naming the line.
Result<Rows> rows_of_table(const std::string& path, std::int64_t since, std::size_t limit);

// Without commits that repeat what the fork had already.
Result<Rows> rows_of_history(const git::Reader& reader, const ingest::HistoryOptions& options, const Progress& progress, const std::atomic<bool>* cancel);

}  // namespace sluice::service::calibrate
