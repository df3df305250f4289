// SPDX-License-Identifier: Apache-2.0
// What a result depends on beside the tree.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "core/model/config.h"
#include "core/result.h"

namespace sluice::runners {

// sha256 over: format name, machine architecture, sandbox (backend; of A the version of bwrap), the extra environment
// variables, and the identity of the root:
//   - a Debian root: name, version and architecture of every installed package (var/lib/dpkg/status), and
//     path, size, mode and link target of everything below usr/local, which no package owns;
//   - any other root: path, size, mode and link target of everything below usr, bin, sbin, lib, lib64.
// Equal on two machines with the same packages; independent of time stamps, inode numbers, host name and
// kernel. Not seen: a file replaced by another of the same size outside the package manager.
// The identity of a root is kept in memory until its package list changes; that of a root without one is
// computed once for the life of this object. Thread-safe.
class EnvironmentDigests {
 public:
  // Errors: not_found (the root or its usr/ does not exist), denied.
  Result<std::string> digest(const model::EnvironmentConfig& environment, const std::string& sandbox);

 private:
  Result<std::string> identity(const std::string& root);

  struct Known {
    std::string stamp, identity;
  };
  std::mutex mutex_;  // guards what follows
  std::map<std::string, Known> known_;
  std::string bwrap_version_;
};

}  // namespace sluice::runners
