// SPDX-License-Identifier: Apache-2.0
// What the tests of git/ share: a store that reads the histories of one History.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "git/git.h"
#include "test/support/history.h"

namespace sluice::git::testing {

using model::PickStatus;
using test_support::History;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}
inline void must(Result<void> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
}

// A scratch repository over the work trees of `names`, with a picker.
struct Bench {
  Bench(const History& history, const std::vector<std::string>& names, std::vector<model::PathConfig> paths = {})
      : repo(must(Repo::scratch_over(git_dirs(history, names)))), picker(must(Picker::open(repo, std::move(paths)))) {}

  static std::vector<std::string> git_dirs(const History& history, const std::vector<std::string>& names) {
    std::vector<std::string> out;
    for (const auto& name : names) out.push_back(history.path(name));
    return out;
  }
  std::string content(const Oid& tree, const std::string& path) {
    return must(repo.reader().file(tree, path)).value_or("(absent)");
  }
  bool has(const Oid& tree, const std::string& path) { return must(repo.reader().entry(tree, path)).has_value(); }

  Repo repo;
  Picker picker;
};

inline std::vector<std::string> kinds(const model::Pick& pick) {
  std::vector<std::string> out;
  for (const auto& conflict : pick.conflicts) out.push_back(conflict.path + ": " + conflict.kind);
  std::sort(out.begin(), out.end());
  return out;
}

inline model::PathConfig path_config(const std::string& glob) {
  model::PathConfig out;
  out.glob = glob;
  return out;
}

}  // namespace sluice::git::testing
