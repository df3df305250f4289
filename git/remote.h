// SPDX-License-Identifier: Apache-2.0
// Where a fetch or push goes, and what git's failure there means. Inner header of git/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/process.h"
#include "core/result.h"

namespace sluice::git {

struct Remote {
  std::string url;                       // for git: a URL, or an absolute path
  std::string shown;                     // for people: without user or password
  std::optional<std::string> directory;  // of a repository on this machine
};

// Errors: denied (a protocol other than https, ssh, file), invalid (holds credentials, odd bytes),
// not_found (a path that does not exist).
Result<Remote> parse_remote(const std::string& url);

// `-c` settings of every transfer: allowed protocols, object checks, no submodules, no bundles.
const std::vector<std::string>& transfer_settings();

// The full name of a branch: `refs/heads/NAME`, or NAME itself when it is a full ref or a commit id.
// Errors: invalid.
Result<std::string> remote_ref(const std::string& branch);

// What git wrote to stderr, on one line and printable; lines are joined by "; ".
std::string git_words(const core::ProcessResult& run, std::size_t max_bytes);
// git's failure as an error that names the remote and the branch.
Error transfer_error(const core::ProcessResult& run, const Remote& remote, const std::string& branch);
// Did the other side fail because it lacks objects of its own history?
bool source_lacks_objects(const core::ProcessResult& run);

}  // namespace sluice::git
