// SPDX-License-Identifier: Apache-2.0
// Front door of runners/: executes, never judges.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/model/evidence.h"
#include "core/result.h"

namespace sluice::runners {

// What contains untrusted code, strongest first: A, B, and nothing.
enum class Backend { bubblewrap, landlock, none };

// What this machine can do to contain untrusted code, probed by running a trivial sandboxed command. Never a
// silent downgrade: the backend in force stands on every record.
struct SandboxProbe {
  bool usable = false;         // backend A or B works here
  std::string backend;         // "A", "B" or "none"
  std::string uid;             // "sluice-build" | "caller"
  std::string limits;          // "cgroup-v2 ...", "cgroup-v1 pids,memory,cpu", "rlimits"
  std::vector<std::string> problems;  // each with what to do about it
};
// The strongest backend that works, or only the given one.
SandboxProbe probe_sandbox(std::optional<Backend> only = std::nullopt);

class Runner {
 public:
  virtual ~Runner() = default;
  // One suite on one tree. Trouble of the suite (time-out, missing results, command not found) is
  // stated in the Evidence; an Error means that nothing could be run at all.
  virtual Result<model::Evidence> run(const model::RunRequest& request, const std::atomic<bool>* cancel) = 0;
  // Digest over what the environment contains that a result depends on: tool versions, root, sandbox.
  virtual Result<std::string> environment_digest(const model::EnvironmentConfig& environment) = 0;
};

struct LocalOptions {
  bool allow_unsandboxed = false;  // run without containment when the probe fails; said on every record
  std::size_t log_cap = 8u << 20;
  std::int64_t jobs = 0;  // what {jobs} in a step means; 0 = number of cores
  // This backend or an error, instead of the strongest that works: for tests and diagnosis.
  std::optional<Backend> force = std::nullopt;
  std::optional<int> landlock_abi = std::nullopt;  // as on a kernel of this version of Landlock: for the same purpose
};
// Errors: denied when no sandbox is usable and allow_unsandboxed is not set, or the forced one is not.
Result<std::unique_ptr<Runner>> make_local_runner(const LocalOptions& options, const core::Clock& clock);

// Result parsers, text -> records. Errors: invalid, naming the line or element; never a partial list.
Result<std::vector<model::TestRecord>> parse_lit_json(std::string_view text);
Result<std::vector<model::TestRecord>> parse_junit_xml(std::string_view text);   // pytest, generic
Result<std::vector<model::TestRecord>> parse_gtest_xml(std::string_view text);
Result<std::vector<model::TestRecord>> parse_ctest_junit(std::string_view text);
// Distinct compiler warnings in a build log (gcc, clang, nvcc, MSVC style).
int count_warnings(std::string_view log);

}  // namespace sluice::runners
