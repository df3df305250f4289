// SPDX-License-Identifier: Apache-2.0
// Blame through the git binary: libgit2 needs five times as long for one source file.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "core/text.h"
#include "git/commit_text.h"
#include "git/isolation.h"
#include "git/reader_state.h"

namespace sluice::git {

Result<std::vector<BlameLine>> Reader::blame(const Oid& commit_oid, const std::string& path, std::uint32_t start,
                                             std::uint32_t count) const {
  return blame_ranges(commit_oid, path, {{start, count}});
}

Result<std::vector<BlameLine>> Reader::blame_ranges(const Oid& commit_oid, const std::string& path,
                                                    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranges) const {
  std::vector<BlameLine> out;
  TRY_ASSIGN(const Commit at, commit(commit_oid));
  std::vector<std::string> args = {"blame", "--porcelain", "--no-progress", "-w"};
  const std::size_t fixed = args.size();
  for (const auto& [start, count] : ranges) {
    if (count == 0) continue;
    if (start == 0) return make_error(ErrorKind::invalid, "lines are counted from 1");
    args.insert(args.end(), {"-L", fmt::format("{},+{}", start, count)});
  }
  if (args.size() == fixed) return out;
  TRY_ASSIGN(const auto found, entry(at.tree, path));
  if (!found) return make_error(ErrorKind::not_found, fmt::format("{} has no path {}", commit_oid, core::printable(path)));
  // -w: who wrote the line, not who moved it to another indentation. The guardrails compare lines
  // without whitespace, and model-fork commit 92469a531 only indented what d1e77f6f8 had written.
  args.insert(args.end(), {commit_oid, "--", path});
  TRY_ASSIGN(const auto run, run_git({.git_dir = git_dir(), .args = std::move(args), .settings = {"i18n.logOutputEncoding=UTF-8"}}));
  if (!run.ok()) {
    const std::string why = core::printable(core::trim(run.err), 300);
    if (run.err.find("unable to read") != std::string::npos)
      return make_error(ErrorKind::not_found, "object_missing: " + why);
    return make_error(run.timed_out ? ErrorKind::transient : ErrorKind::invalid,
                      fmt::format("git blame of {} at {} failed: {}", core::printable(path), commit_oid, why));
  }
  // "<oid> <line there> <line here> [<group size>]", headers (only the first time an id is met), TAB text.
  std::map<Oid, std::string> subjects;
  BlameLine line;
  for (const auto text : core::split_lines(run.out)) {
    if (text.starts_with('\t')) {
      line.subject = subjects[line.commit];
      out.push_back(line);
      continue;
    }
    if (text.starts_with("summary ")) {
      subjects[line.commit] = reencode(text.substr(8), {});
      continue;
    }
    const auto words = core::split(text, ' ');
    if (words.size() < 3 || !core::is_hex(words[0], 40)) continue;
    line.commit = words[0];
    std::from_chars(words[2].data(), words[2].data() + words[2].size(), line.line);
  }
  return out;
}

}  // namespace sluice::git
