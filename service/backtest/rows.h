// SPDX-License-Identifier: Apache-2.0
// Cases out of a file: one JSON object a line, packed with gzip or not. Hostile input: every field is checked, and every
// error names file, line and field.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "core/gzip.h"
#include "core/result.h"
#include "service/backtest/case.h"

namespace sluice::service::backtest {

struct RowLimits {
  std::size_t max_rows = 2'000'000;
  std::size_t max_text = 8u << 20;  // bytes of one of the texts
};

class RowReader {
 public:
  // Errors: not_found, invalid, as LineReader.
  static Result<RowReader> open(const std::string& path, RowLimits limits = {});
  // The next case; nullopt at the end. Needed: base, ours, theirs, resolved, path. What else is absent is told from
  // these; `id` then is "line N". Errors: invalid.
  Result<std::optional<Case>> next();

 private:
  RowReader(core::LineReader lines, std::string path, RowLimits limits) : lines_(std::move(lines)), path_(std::move(path)), limits_(limits) {}
  Error wrong(const std::string& what) const;
  core::LineReader lines_;
  std::string path_;
  RowLimits limits_;
  std::set<std::string> ids_;
};

// Ids of rows whose landed text is known to be wrong: the first column of a table with tabs and a head line `id ...`.
Result<std::set<std::string>> read_defects(const std::string& path);
// sha256 of the bytes of a file.
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace sluice::service::backtest
