// SPDX-License-Identifier: Apache-2.0
// What decides whether the tests of a file count: marks, pipelines, tests by name, on the sides and in the
// result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guardrails/file_facts.h"

namespace sluice::guardrails {

struct PipelineSums {
  Tally runs, file_checks, or_true, allow_empty, allow_unused_prefixes, nots;
  int nots_of_lost = 0, nots_of_gained = 0;  // of pipelines that changed
};

struct TestMarks {
  bool file_gone = false;   // the sides want it and the result lacks it
  bool file_fresh = false;  // no side has it
  Tallies marks;            // `more`: "conditional" when it holds under a condition only
  Tallies configuration;    // of lit
  Tallies pipelines;
  Tallies tests;  // by name; `more`: digest of the body
  PipelineSums sums;
};

// The sides at `path` against the result at `now`, which is another path when the file moved.
Result<void> read_marks(PickView& view, const std::string& path, const std::string& now, TestMarks& marks);

// A key of TestMarks::marks in words.
std::string named(std::string_view key);

// What in a line, outside of lit's own directives, makes a failure pass: `|| true`, --allow-empty, `if:
// false`. Empty: nothing.
std::string_view weakening_text(std::string_view path, std::string_view line);

// Marks that U adds and tests or pipelines that it removes against B, where P follows it and D had not.
struct UpstreamMark {
  std::string text, what;
  std::uint32_t line = 0;
};
Result<std::vector<UpstreamMark>> upstream_marks(PickView& view, const std::string& path);

}  // namespace sluice::guardrails
