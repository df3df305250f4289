// SPDX-License-Identifier: Apache-2.0
// A fork and its upstream as bare repositories, a configuration with two tiny suites that really run in
// the sandbox, and a store: everything a sync needs, small enough to be judged in a second.
//
// Suite `build` copies /src to /build and fails when a file named `broken*` holds the word BROKEN; suite
// `unit` writes a JUnit report with one test per `*.test` file, which fails when that file says FAIL.
#pragma once

#include <memory>
#include <string>

#include "service/service.h"
#include "test/support/history.h"

namespace sluice::test {

class World {
 public:
  // `script` makes the repositories `up` and `down` with the verbs; both are pushed to up.git, down.git.
  // `more_config` is appended to the configuration.
  // `more_landing`: further lines of [landing].
  explicit World(std::string_view script, const std::string& more_config = "", const std::string& autonomy = "land",
                 const std::string& more_landing = "");

  // Further history: runs the script, then pushes both again.
  void more(std::string_view script);

  // Opens the App anew each time, as a new process would. Fails the test on error.
  service::SyncReport sync(const service::SyncOptions& options = {});
  core::Result<service::SyncReport> try_sync(const service::SyncOptions& options = {});
  core::Json plan();
  service::Plan look();
  std::unique_ptr<service::App> open(service::Access access = service::Access::write);

  model::Disposition disposition(std::string_view commit_name);
  // Content of a file on the fork's trunk; "<absent>" when it is not there.
  std::string trunk_file(const std::string& path) const;
  std::string trunk() const;  // commit id of the fork's main
  std::string id(std::string_view name) const { return history.id(name); }

  test_support::History history;
  std::string config_path;
};

// Empty when the suites can run contained here, else why not (for GTEST_SKIP).
std::string sandbox_missing();

#define REQUIRE_SANDBOX()                                                                          \
  if (const std::string sandbox_reason_ = ::sluice::test::sandbox_missing(); !sandbox_reason_.empty()) \
  GTEST_SKIP() << sandbox_reason_

}  // namespace sluice::test
