// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text.h"
#include "git/git.h"
#include "git/isolation.h"
#include "git/remote.h"

namespace sluice::git {

Result<std::string> Repo::default_branch(const std::string& url) const {
  GitCall call;
  call.args = {"ls-remote", "--symref", "--", url, "HEAD"};
  call.network = true;
  call.timeout_ms = 120'000;
  TRY_ASSIGN(const core::ProcessResult result, run_git(call));
  if (!result.ok()) {
    return make_error(ErrorKind::not_found, fmt::format("cannot read {}: {}", url, git_words(result, 400)));
  }
  constexpr std::string_view head = "ref: refs/heads/";
  for (const std::string_view line : core::split_lines(result.out)) {
    const auto tab = line.find('\t');
    if (line.starts_with(head) && tab != std::string_view::npos) return std::string(line.substr(head.size(), tab - head.size()));
  }
  return make_error(ErrorKind::not_found, fmt::format("{} names no default branch (its HEAD is absent or detached); name the branch", url));
}

}  // namespace sluice::git
