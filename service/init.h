// SPDX-License-Identifier: Apache-2.0
// `sluice init`: a working configuration after looking at both repositories.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/result.h"
#include "service/app.h"

namespace sluice::service {

struct InitOptions {
  std::string upstream, fork;                  // URLs or paths
  std::string upstream_branch, fork_branch;    // empty = the remote's default branch
  std::string config_path;                     // the file to write
  std::string store_path;                      // empty = `sluice-store` beside the file
  bool force = false;                          // overwrite an existing file
};

struct InitOutcome {
  std::string config_path;
  std::vector<std::string> findings;  // what was seen and how it was set, a sentence each
};

// Fetches both into the store, so that the first `plan` starts from there. Errors: conflict (the file
// exists), not_found (repository, branch), invalid.
Result<InitOutcome> init(const InitOptions& options, const Progress& progress, const std::atomic<bool>* cancel);

}  // namespace sluice::service
