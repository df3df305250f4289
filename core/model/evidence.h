// SPDX-License-Identifier: Apache-2.0
// What a runner was asked for and what came back. A runner judges nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/model/config.h"
#include "core/model/oid.h"

namespace sluice::model {

// Finer states that parsers keep; one table maps them to outcomes (STYLE section 3).
enum class TestState { pass, fail, xfail, xpass, flakypass, timeout, unresolved, crash, skip, unsupported, notrun, missing };
// Closed list, from lit. Only pass clears.
enum class Outcome { pass, fail, timeout, unsupported, unresolved };
std::string_view to_string(TestState);
std::string_view to_string(Outcome);
std::optional<TestState> parse_test_state(std::string_view);
Outcome outcome_of(TestState);

struct TestRecord {
  std::string id;  // stable identity within the suite, e.g. "TILE :: lower/tile.mlir", "Suite.Case"
  TestState state = TestState::unresolved;
  std::string detail;  // first lines of the failure, capped
};

struct RunRequest {
  SuiteConfig suite;
  EnvironmentConfig environment;
  Oid tree;
  std::string source_dir;  // exported tree; bound read-only at /src
  std::string build_dir;   // shared by the suites of one (tree, build suite); bound at /build
  std::string suites_dir;  // trusted files, bound read-only at /suites; empty = none
  std::string nonce;       // comes back in the evidence
};

// Why the run itself is in doubt; empty means the runner finished normally. Closed list:
// timeout, output_cap (never alone), command_not_found, sandbox_unavailable, runner_lost, cancelled,
// disk_full, disk_limit, results_missing, results_unreadable, results_stale
struct Evidence {
  std::string suite;  // suite id
  std::string kind;   // build, lit, junit, gtest, ctest
  std::string tier;
  Oid tree;
  std::string environment;  // digest
  std::string runner;       // "local"
  std::string sandbox;      // "A bwrap uid:sluice-build", "none (allow_unsandboxed)"
  std::string limits;       // which limit mechanism was in force: "cgroup-v1 pids,memory" ...
  std::string nonce;
  std::string grade;  // observed | self-reported
  int exit_code = -1;
  std::string trouble;         // see above
  std::string trouble_detail;  // a sentence
  std::vector<TestRecord> tests;  // sorted by id; empty for a build
  std::vector<std::string> selected;  // a repetition: the only tests that it was asked for; empty = the whole suite
  int warnings = 0;               // build only: distinct compiler warnings
  std::string artefact_digest;    // build only
  std::string log;                // head + tail, capped
  std::uint64_t log_bytes = 0;
  std::int64_t started_at = 0, wall_ms = 0;
  std::string id() const;  // sha256 of the canonical JSON without times, host names and machine paths
};

core::Json to_json(const Evidence&);
Result<Evidence> parse_evidence(const core::Json&);
std::map<std::string, int> count_states(const std::vector<TestRecord>&);

}  // namespace sluice::model
