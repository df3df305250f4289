// SPDX-License-Identifier: Apache-2.0
#include "bench/pipe.h"

#include <cstdio>
#include <cstdlib>
#include <set>

namespace sluice::bench {

double pipe_at_once(Line& line, const git::Repo& made, const Requests& requests) {
  auto scratch = line.repo->scratch();
  std::set<Oid> trees;
  for (const auto& [onto, oid] : requests) trees.insert(onto);
  if (auto adopted = scratch->adopt_objects(made, {trees.begin(), trees.end()}); !adopted.ok()) {
    std::fprintf(stderr, "bench: %s\n", adopted.error().message.c_str());
    std::exit(1);
  }
  std::string input;
  for (const auto& [onto, oid] : requests) {
    const auto commit = scratch->reader().commit(oid);
    git::CommitSpec spec;
    spec.tree = onto;
    spec.parents = {commit->parents.front()};
    spec.author = spec.committer = {"sluice", "sluice@localhost", commit->committer.time, 0};
    spec.message = "base\n";
    input += *scratch->write_commit(spec) + " " + oid + "\n";
  }
  return time_git(scratch->git_dir(),
                  {"-c", "merge.directoryRenames=conflict", "-c", "merge.renames=true", "-c", "merge.renameLimit=32767",
                   "-c", "merge.conflictStyle=diff3", "-c", "core.abbrev=40", "merge-tree", "--write-tree", "--stdin",
                   "-z", "--messages"},
                  input, true);
}

}  // namespace sluice::bench
