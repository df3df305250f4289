// SPDX-License-Identifier: Apache-2.0
// Property: on random small histories a pick says what `git cherry-pick` in a work tree says, with the same
// tree when it is clean.
#include <random>

#include "test/git/support.h"

namespace sluice::git::testing {
namespace {

// One random change of a small tree: edits, moves, deletions, additions, modes.
std::string random_change(std::mt19937& random, int serial) {
  const auto pick = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::string file = "d" + std::to_string(pick(2)) + "/f" + std::to_string(pick(3));
  const std::string other = "d" + std::to_string(pick(3)) + "/f" + std::to_string(pick(5));
  const std::string have = "if [ -f " + file + " ]; then ";
  switch (pick(6)) {
    case 0:
    case 1:
    case 2:
      return have + "line " + file + " " + std::to_string(1 + pick(40)) + " 'text " + std::to_string(pick(4)) + "'; fi\n";
    case 3: return have + "[ -e " + other + " ] || move " + file + " " + other + "; fi\n";
    case 4: return have + "drop " + file + "; fi\n";
    default: return "put d1/new" + std::to_string(pick(3)) + " '" + std::to_string(serial % 3) + "\\n'\n";
  }
}

std::string random_commits(std::mt19937& random, const std::string& prefix, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) {
    for (unsigned k = 0; k <= random() % 2; ++k) out += random_change(random, i);
    out += "put count/" + prefix + " '" + std::to_string(i) + "\\n'\ncommit " + prefix + std::to_string(i) + " change\n";
  }
  return out;
}

TEST(CherryPick, SaysTheSameAsAPick) {
  int clean = 0, conflict = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random(seed);
    const int commits = 8;
    History h("repo up\nfor d in d0 d1; do for f in f0 f1 f2; do base40 $d/$f; append $d/$f \"$d $f\\n\"; done; done\n"
              "commit B base\nfork up down\n" + random_commits(random, "D", 2) + "at up\n" + random_commits(random, "U", commits));
    Bench bench(h, {"up", "down"});
    for (int i = 0; i < commits; ++i) {
      const std::string name = "U" + std::to_string(i);
      const std::string said = h.run("at down\ngit reset -q --hard " + h.id("D1") + "\ngit fetch -q ../up " + h.id(name) +
                                     "\nif git -c merge.directoryRenames=conflict cherry-pick --allow-empty " + h.id(name) +
                                     " >/dev/null 2>&1; then git rev-parse 'HEAD^{tree}'; else git ls-files -u | wc -l; fi");
      const auto pick = bench.picker.pick(h.id(name), h.tree("D1"));
      const std::string word = said.substr(0, said.find('\n'));
      if (word.size() == 40) {
        EXPECT_EQ(to_string(pick.status), "clean") << seed << " " << name << " " << pick.detail;
        EXPECT_EQ(pick.tree, word) << seed << " " << name;
        ++clean;
      } else {
        std::size_t stages = 0;
        for (const auto& one : pick.conflicts) stages += one.stages.size();
        EXPECT_EQ(to_string(pick.status), "conflict") << seed << " " << name << " " << pick.detail;
        EXPECT_EQ(std::to_string(stages), word) << seed << " " << name;
        ++conflict;
      }
    }
  }
  EXPECT_GT(clean, 4);
  EXPECT_GT(conflict, 4);
}

}  // namespace
}  // namespace sluice::git::testing
