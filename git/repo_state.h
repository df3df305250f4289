// SPDX-License-Identifier: Apache-2.0
// What a Repo holds. Inner header of git/.
#pragma once

#include <optional>

#include "core/file.h"
#include "git/git.h"
#include "git/objects.h"

namespace sluice::git {

struct Repo::State {
  // Declared first: the directory of a scratch repository goes after every handle on it.
  std::optional<core::TempDir> scratch;
  std::string git_dir;  // absolute
  Objects objects;      // for writing
  Reader reader;        // for reading, with a libgit2 handle of its own
};

// An empty bare repository with our attributes line and these object directories as alternates.
Result<void> create_bare(const std::string& git_dir, const std::vector<std::string>& alternates);
// Adds object directories to objects/info/alternates, each once.
Result<void> add_alternates(const std::string& git_dir, const std::vector<std::string>& object_dirs);

}  // namespace sluice::git
