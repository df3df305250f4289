// SPDX-License-Identifier: Apache-2.0
#include "runners/results.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "core/fd.h"
#include "core/file.h"
#include "core/glob.h"
#include "core/text.h"
#include "runners/runners.h"
#include "runners/walk.h"

namespace sluice::runners {
namespace {

std::int64_t nanoseconds(const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

struct Found {
  std::string path;
  std::int64_t modified_ns = 0;
  bool one_name = true;
};

// `reports/*.xml` must not match by last component alone, as a pattern without '/' would.
bool matches(const std::string& pattern, const std::string& path) {
  if (pattern.find('/') == std::string::npos && path.find('/') != std::string::npos) return false;
  return path == pattern || core::glob_match(pattern, path);
}

Result<std::vector<Found>> find_results(const std::string& build_dir, const std::string& pattern) {
  std::vector<Found> found;
  TRY_ASSIGN(const bool whole, walk_tree(build_dir, [&](const Entry& entry) {
               if (S_ISDIR(entry.info.st_mode) && entry.path != pattern) return Walk::go_on;
               if (matches(pattern, entry.path)) found.push_back({entry.path, nanoseconds(entry.info.st_mtim), S_ISDIR(entry.info.st_mode) || entry.info.st_nlink == 1});
               return found.size() > results_files_cap ? Walk::stop : Walk::go_on;
             }));
  if (found.size() > results_files_cap)
    return make_error(ErrorKind::invalid, fmt::format("more than {} files match results '{}'", results_files_cap, pattern));
  if (!whole && pattern.find("**") != std::string::npos)
    return make_error(ErrorKind::invalid, fmt::format("the build directory is nested deeper than {} directories", max_walk_depth));
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.path < b.path; });
  return found;
}

Result<std::vector<model::TestRecord>> parse(std::string_view text, std::string_view kind) {
  if (kind == "lit") return parse_lit_json(text);
  if (kind == "junit") return parse_junit_xml(text);
  if (kind == "gtest") return parse_gtest_xml(text);
  if (kind == "ctest") return parse_ctest_junit(text);
  return make_error(ErrorKind::invalid, fmt::format("no parser for results of kind '{}': lit, junit, gtest or ctest", kind));
}

void sort_by_id(std::vector<model::TestRecord>& tests) {
  std::sort(tests.begin(), tests.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

Collected in_doubt(std::string trouble, std::string detail) { return {std::move(trouble), std::move(detail), {}}; }

using PerFile = std::vector<std::pair<std::string, std::vector<model::TestRecord>>>;

std::vector<model::TestRecord> merge(PerFile files) {
  std::map<std::string, int> seen_in;
  for (const auto& [path, tests] : files)
    for (const auto& test : tests) ++seen_in[test.id];
  std::vector<model::TestRecord> all;
  for (auto& [path, tests] : files) {
    for (auto& test : tests) {
      if (seen_in[test.id] > 1) test.id = fmt::format("{}: {}", path, test.id);
      all.push_back(std::move(test));
    }
  }
  sort_by_id(all);
  return all;
}

}  // namespace

Result<std::string> results_pattern(const std::string& results) {
  std::string pattern = results;
  if (pattern.starts_with("/build/")) pattern.erase(0, std::string_view("/build/").size());
  while (pattern.starts_with("./")) pattern.erase(0, 2);
  bool bad = pattern.empty() || pattern.starts_with('/');
  for (const auto part : core::split(pattern, '/')) bad |= part == ".." || part.empty();
  if (bad)
    return make_error(ErrorKind::invalid, fmt::format("results '{}' does not name a file below the build directory", core::printable(results)));
  return pattern;
}

Result<void> remove_old_results(const std::string& build_dir, const std::string& pattern) {
  std::string failed;
  // Unlinking through the walk's own descriptor: a directory above that is a link was never entered.
  TRY(walk_tree(build_dir, [&](const Entry& entry) {
    if (!matches(pattern, entry.path)) return Walk::go_on;
    if (S_ISDIR(entry.info.st_mode)) {
      if (entry.path == pattern) failed = fmt::format("'{}' is a directory", entry.path);
    } else if (unlinkat(entry.parent_fd, entry.name, 0) != 0) {
      failed = fmt::format("'{}' cannot be removed: {}", entry.path, std::strerror(errno));
    }
    return failed.empty() ? Walk::go_on : Walk::stop;
  }));
  if (!failed.empty()) return make_error(ErrorKind::denied, "old results " + core::printable(failed, 500));
  return {};
}

Result<std::int64_t> file_time_now(const std::string& build_dir) {
  const core::Fd directory(open(build_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  constexpr const char* name = ".sluice-started";
  struct stat info {};
  if (directory) unlinkat(directory.get(), name, 0);
  const core::Fd file(directory ? openat(directory.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1);
  if (!file || fstat(file.get(), &info) != 0)
    return make_error(ErrorKind::denied, fmt::format("cannot write into build directory '{}': {}", build_dir, std::strerror(errno)));
  unlinkat(directory.get(), name, 0);
  return nanoseconds(info.st_mtim);
}

Collected collect_results(const std::string& build_dir, const std::string& pattern, std::string_view kind, std::int64_t started_ns) {
  const auto found = find_results(build_dir, pattern);
  if (!found.ok()) return in_doubt("results_unreadable", found.error().message);
  if (found->empty()) return in_doubt("results_missing", fmt::format("no file '{}' in the build directory after the run", pattern));
  PerFile files;
  for (const auto& file : *found) {
    // No harness makes one; the other name may be a file that the command could not read itself.
    if (!file.one_name) return in_doubt("results_unreadable", fmt::format("'{}' has another name (a hard link)", core::printable(file.path)));
    if (file.modified_ns < started_ns)
      return in_doubt("results_stale", fmt::format("'{}' is older than the start of the run", core::printable(file.path)));
    const auto text = core::read_file_beneath(build_dir, file.path, results_cap);
    if (!text.ok()) return in_doubt("results_unreadable", text.error().message);
    auto tests = parse(*text, kind);
    if (!tests.ok()) return in_doubt("results_unreadable", fmt::format("'{}': {}", core::printable(file.path), tests.error().message));
    files.emplace_back(file.path, std::move(*tests));
  }
  return {"", "", merge(std::move(files))};
}

Collected parse_piped(const std::vector<Piped>& texts, std::string_view kind) {
  PerFile steps;
  for (const auto& piped : texts) {
    if (piped.too_large) return in_doubt("results_unreadable", fmt::format("results are larger than {} MiB", results_cap >> 20));
    if (piped.text.empty()) return in_doubt("results_missing", "the harness ended without writing its results");
    auto tests = parse(piped.text, kind);
    if (!tests.ok()) return in_doubt("results_unreadable", tests.error().message);
    steps.emplace_back(fmt::format("step {}", steps.size() + 1), std::move(*tests));
  }
  return {"", "", merge(std::move(steps))};
}

}  // namespace sluice::runners
