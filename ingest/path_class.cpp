// SPDX-License-Identifier: Apache-2.0
#include "ingest/path_class.h"

#include <algorithm>
#include <array>

#include "core/glob.h"

namespace sluice::ingest {
namespace {

using model::CommitKind;
using model::FileChange;
using model::PathClass;

constexpr std::array<std::string_view, 7> ci_globs = {
    ".github/workflows/**", ".github/actions/**",  ".ci/**", ".circleci/**", ".gitlab-ci.yml",
    ".travis.yml",          "azure-pipelines*.yml"};
constexpr std::array<std::string_view, 5> docs_globs = {"docs/**", "*.md", "*.rst", "*.adoc", "LICENSE*"};
constexpr std::array<std::string_view, 10> test_globs = {
    "test/**",   "**/test/**", "tests/**",    "**/tests/**", "unittest/**",
    "test_*.py", "*_test.*",   "conftest.py", "lit.cfg*",    "lit.site.cfg*"};

template <std::size_t n>
bool any_of(const std::array<std::string_view, n>& globs, std::string_view path) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](std::string_view glob) { return core::glob_match(glob, path); });
}

}  // namespace

PathClass class_of(const model::PolicyConfig& policy, std::string_view path) {
  for (const auto& entry : policy.paths)
    if (entry.klass != PathClass::none && core::glob_match(entry.glob, path)) return entry.klass;
  return PathClass::none;
}

model::UpstreamSay upstream_say(const model::PolicyConfig& policy, std::string_view path) {
  for (const auto& entry : policy.paths)
    if (entry.upstream != model::UpstreamSay::list && core::glob_match(entry.glob, path))
      return entry.upstream;
  return model::UpstreamSay::list;
}

bool is_ci_path(std::string_view path) { return any_of(ci_globs, path); }
bool is_docs_path(std::string_view path) { return any_of(docs_globs, path); }

bool is_test_path(const model::PolicyConfig& policy, std::string_view path) {
  return class_of(policy, path) == PathClass::test || any_of(test_globs, path);
}

bool moves_pin(const model::PolicyConfig& policy, const FileChange& change) {
  return change.old_mode == 0160000 || change.new_mode == 0160000 ||
         class_of(policy, change.path) == PathClass::pin ||
         class_of(policy, change.old_path) == PathClass::pin;
}

CommitKind kind_of(const model::PolicyConfig& policy, const model::UpstreamCommit& commit) {
  if (commit.parents.size() > 1) return CommitKind::merge;
  const auto& files = commit.files;
  if (files.empty()) return CommitKind::code;
  const auto all = [&](auto&& test) { return std::all_of(files.begin(), files.end(), test); };
  if (std::any_of(files.begin(), files.end(), [&](const FileChange& f) { return moves_pin(policy, f); }))
    return CommitKind::pin;
  if (all([](const FileChange& f) { return is_ci_path(f.path); })) return CommitKind::ci;
  if (all([](const FileChange& f) { return is_docs_path(f.path); })) return CommitKind::docs;
  if (all([&](const FileChange& f) { return is_test_path(policy, f.path); })) return CommitKind::test;
  return CommitKind::code;
}

}  // namespace sluice::ingest
