// SPDX-License-Identifier: Apache-2.0
// Results of earlier runs, and of one that was cut short: a file of lines, each a RowResult with its key.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/fd.h"
#include "core/result.h"
#include "service/calibrate/sample.h"

namespace sluice::service::calibrate {

class Kept {
 public:
  // `dir` empty: nothing is kept. `context`: what every result of this run depends on besides its commits; results of
  // another one stay until there are many. A line that was not written whole counts as not there.
  // Errors: conflict where another process has the file; those of reading and writing it.
  static Result<Kept> open(const std::string& dir, const std::string& context);

  std::optional<RowResult> find(const Row& row) const;
  // Survives the end of this process, however it ends.
  Result<void> add(const Row& row, const RowResult& result);
  const std::string& path() const { return path_; }  // empty = nothing is kept

 private:
  Result<void> load(std::string text);
  Result<void> append(std::string_view bytes);
  std::string key_of(const Row& row) const;

  std::string path_, context_;
  core::Fd file_;
  std::map<std::string, RowResult> results_;
};

}  // namespace sluice::service::calibrate
