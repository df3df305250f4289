// SPDX-License-Identifier: Apache-2.0
// The text of a commit object: parsed with git's own tolerance, written in git's own form, re-encoded
// to UTF-8 as `git cherry-pick` does. Inner header of git/.
#pragma once

#include <string>
#include <string_view>

#include "git/git.h"

namespace sluice::git {

// Errors: invalid when there is no tree line.
Result<Commit> parse_commit(const Oid& oid, std::string_view text);
// Errors: invalid for a bad id or a NUL in the message.
Result<std::string> compose_commit(const CommitSpec& spec);
// Text in `encoding` (empty = none named) as UTF-8. Bytes that are not UTF-8 afterwards are read as
// Latin-1 one by one, which is what git does with a commit that names no encoding.
std::string reencode(std::string_view text, const std::string& encoding);

}  // namespace sluice::git
