// SPDX-License-Identifier: Apache-2.0
// What a commit message says of what it brings, besides trailers. Pure text; no repository is asked. Of a message the
// first megabyte is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/regex.h"
#include "core/result.h"

namespace sluice::ingest {

// A team's bundle. Titles are cut by the hosts, and early bundles carry one trailer for their last member only: the
// list in the body is then all there is.
struct BundleWords {
  std::int64_t declared = 0;  // "Cherry-pick 62 upstream", "Picked (40)"; 0 = no such words
  bool several = false;       // `[BUNDLE]`, "backport bundle", "and 13 more": more than one, nobody says how many
  // Lines `- [k] ... #N (sha) ...`: pull request and sha, which must agree.
  std::vector<std::pair<std::int64_t, std::string>> lines;
  // Numbers of `Picked (n): #a, #b` (or of the line below it), or of the title: upstream's. Filled only when there are exactly `declared` of them.
  std::vector<std::int64_t> numbers;
};

class SourceWords {
 public:
  static Result<SourceWords> compile();

  BundleWords bundle(std::string_view message) const;
  // `Backport of #N`, `Cherry-pick of https://host/owner/name/pull/N`, `(Originally: #N)`: distinct, in the order of
  // the text. A `(#N)` that stands alone is no such number: it may be the fork's own.
  std::vector<std::int64_t> numbers(std::string_view message) const;
  // "Partial pick of ...", "Backport part of ...".
  bool partial(std::string_view subject) const;

 private:
  SourceWords(core::Regex title, core::Regex picked, core::Regex member, core::Regex source, core::Regex partial,
              core::Regex several);
  core::Regex title_, picked_, member_, source_, partial_, several_;
};

// "Revert "..."", "Back out "...": the subject that these words stand in front of is what leaves.
bool speaks_of_undoing(std::string_view words);
std::string_view subject_line(std::string_view message);  // trimmed
std::string_view without_last_number(std::string_view subject);
std::string_view without_numbers(std::string_view subject);  // all that stand at its end
// The titles that a subject may stand for: without numbers, as tags `[...]`, the word Backport or Cherry-pick and quotes
// around the rest go one by one. Spelled as title_key() does. Longest first.
std::vector<std::string> titles(std::string_view subject);
// For comparisons: no numbers at the end, no backticks, one blank for many.
std::string title_key(std::string_view subject);

}  // namespace sluice::ingest
