// SPDX-License-Identifier: Apache-2.0
// One conflict hunk with the text that landed in its place, and how an answer compares with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/format.h"

namespace sluice::service::backtest {

// Whole lines, each with its LF; empty = no lines.
struct Case {
  std::string id, path;
  std::string repo;              // owner/name; empty = unknown
  std::string landed, upstream;  // commits; `upstream` empty for a two-parent merge
  std::string lang, klass;       // empty = not said: told from the name and the texts
  std::string before, after;     // clean lines next to the hunk
  std::string base, ours, theirs, resolved;
  std::int64_t date = 0;         // committer time of `landed`; 0 = unknown
  std::string region;            // region id; history only
  bool located = true;           // history only; false: what landed in its place cannot be told, `resolved` says nothing

  bool pick() const { return !upstream.empty(); }
  core::Language language() const { return core::language_of(path); }
  // Hunks of one landed commit stand and fall together; of data without commits each stands alone.
  const std::string& commit() const { return landed.empty() ? id : landed; }
};

// First that holds. exact: equal line by line without whitespace and blank lines. format: equal in the loose form.
enum class Outcome { exact, format, refused, different };
std::string_view to_string(Outcome outcome);
bool parse_outcome(std::string_view word, Outcome& out);
Outcome compare(std::string_view answer, std::string_view resolved);
inline bool right(Outcome outcome) { return outcome == Outcome::exact || outcome == Outcome::format; }

// What landed, as it stands to the sides: `class` of a row. "ours", "theirs", "ours=theirs", "base", "deleted",
// "ours+theirs", "theirs+ours", "mixed" (lines of the three) or "new-lines".
std::string class_of(const Case& one);
// By file name: "c++", "python", "mlir", ...
std::string lang_of(std::string_view path);
// Lines of the largest of base, ours and theirs: "<=3", "<=12", "<=50" or ">50".
std::string size_of(const Case& one);

}  // namespace sluice::service::backtest
