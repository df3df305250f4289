// SPDX-License-Identifier: Apache-2.0
// Result files: removed before a run, collected after it, merged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/evidence.h"
#include "core/result.h"

namespace sluice::runners {

inline constexpr std::size_t results_cap = 64u << 20;    // of one file
inline constexpr std::size_t results_files_cap = 4096;   // of one glob

// `results` without a leading "/build/". Errors: invalid (absolute elsewhere, "..", empty).
Result<std::string> results_pattern(const std::string& results);

// Removes what matches, so that last night's file cannot speak for tonight. Never follows a link.
// Errors: denied.
Result<void> remove_old_results(const std::string& build_dir, const std::string& pattern);

// Nanoseconds since 1970 by the clock of the file system that holds `build_dir`: the time stamp of a file
// made just now. Errors: denied.
Result<std::int64_t> file_time_now(const std::string& build_dir);

struct Collected {
  std::string trouble, detail;  // results_missing, results_stale, results_unreadable
  std::vector<model::TestRecord> tests;  // sorted by id, empty with trouble
};
// Parses with the parser of `kind` (lit, junit, gtest, ctest). An id found in several files gets its file
// in front. Call it only when no process of the run is alive.
Collected collect_results(const std::string& build_dir, const std::string& pattern, std::string_view kind, std::int64_t started_ns);

// What one step's harness wrote into its pipe.
struct Piped {
  std::string text;
  bool too_large = false;
  bool observed = false;  // by a harness that the tests could not bend
};
// The same for texts that did not come from files; an id found in several gets its step in front.
Collected parse_piped(const std::vector<Piped>& texts, std::string_view kind);

}  // namespace sluice::runners
