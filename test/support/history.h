// SPDX-License-Identifier: Apache-2.0
// Real git histories for tests, written in the verbs of examples/verbs.sh. Ids are the same in every run.
//
//   History h(R"(
//     repo up
//       base40 f.cpp                   ; commit B "first version"
//     fork up down
//       line f.cpp 9 "line 9 DOWN"     ; commit D "fork: own line 9"
//     at up
//       line f.cpp 10 "line 10 FIX"    ; commit X "fix line 10"
//   )");
//   h.path("up"), h.id("X"), h.tree("X")
//
// Everything throws std::runtime_error with the script's stderr: a fixture that cannot be built fails its
// test. With SLUICE_KEEP_TEST_DIRS set histories stay below $TMPDIR and their path is printed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"

namespace sluice::test_support {

class History {
 public:
  explicit History(std::string_view script);
  // An empty directory; run() fills it.
  History();

  // Goes on with the same names and clock. Starts outside every repository: begin with `at NAME`.
  // Returns what the script printed.
  std::string run(std::string_view script);

  const std::string& root() const { return root_; }
  std::string path(std::string_view repository) const;   // "up", or "up.git" after `push_bare up`
  const std::string& id(std::string_view name) const;    // full commit id
  const std::string& tree(std::string_view name) const;  // full tree id
  bool has(std::string_view name) const { return commits_.contains(std::string(name)); }

  // git's stdout for a repository, without its last newline; throws when git does not exit 0.
  std::string git(std::string_view repository, const std::vector<std::string>& arguments) const;

 private:
  struct Named {
    std::string commit, tree, repository;
  };
  const Named& named(std::string_view name) const;
  std::map<std::string, std::string> environment() const;

  std::optional<core::TempDir> dir_;
  std::string root_;
  std::map<std::string, Named> commits_;
};

}  // namespace sluice::test_support
