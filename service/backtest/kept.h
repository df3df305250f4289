// SPDX-License-Identifier: Apache-2.0
// Results of earlier runs, and of one that was cut short: a file of lines, each a value with its key.
#pragma once

#include <string>
#include <unordered_map>

#include "core/fd.h"
#include "core/json.h"
#include "core/result.h"

namespace sluice::service::backtest {

class KeptLines {
 public:
  // `dir` empty: nothing is kept. A line that was not written whole counts as not there.
  // Errors: conflict where another process has the file; those of reading and writing it.
  static Result<KeptLines> open(const std::string& dir);

  const core::Json* find(const std::string& key) const;  // null = not there; valid until the next add
  // Survives the end of this process, however it ends. One thread at a time.
  Result<void> add(const std::string& key, core::Json value);
  const std::string& path() const { return path_; }  // empty = nothing is kept

 private:
  Result<void> append(std::string_view bytes);
  core::Fd file_;
  std::string path_;
  std::unordered_map<std::string, core::Json> lines_;
};

}  // namespace sluice::service::backtest
