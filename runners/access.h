// SPDX-License-Identifier: Apache-2.0
// Under which identity untrusted code runs, and its access to the directories of a run.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/result.h"

namespace sluice::runners {

inline constexpr const char* build_user = "sluice-build";

struct Identity {
  bool dedicated = false;  // build_user; false: ours
  uid_t uid = 0;
  gid_t gid = 0;
  const char* name() const { return dedicated ? build_user : "caller"; }
};

// The superuser drops to build_user, everybody else runs as themselves.
// Errors: denied when we are the superuser and build_user does not exist.
Result<Identity> find_identity();

// Gives a dedicated identity what it needs, and no one else anything: the build directory becomes its own;
// a directory above it, and everything below a source or suites directory, that others may not read is
// opened to its group. Does nothing for the caller's own identity.
// Errors: denied, naming the directory that must not be opened (a home directory, another group's).
Result<void> own_build_directory(const Identity& identity, const std::string& directory);
Result<void> open_for_reading(const Identity& identity, const std::string& directory);

}  // namespace sluice::runners
