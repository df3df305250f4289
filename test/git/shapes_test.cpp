// SPDX-License-Identifier: Apache-2.0
// The shapes of history that a fork meets, each with the verdict and tree that git itself gives. Every row
// picks commit X of `up` onto commit D of `down`; both start at one commit.
#include "test/git/support.h"

namespace sluice::git::testing {
namespace {

struct Shape {
  const char* name;
  const char* base;  // script of the common commit
  const char* down;  // ... of the fork's changes
  const char* up;    // ... of upstream's; the last commit is named X
  PickStatus status;
  const char* tree;  // prefix of the result; "" = not asserted
  std::vector<std::string> conflicts = {};
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

const char* const binary = "perl -e 'print pack(\"C*\", 0..255) x 4' > bin";

const Shape shapes[] = {
    {"S1_a_revert_of_a_landed_commit", "base40 f", "line f 10 'line 10 A'\ncommit - A\nput g '1\\n'",
     "line f 10 'line 10 A'\ncommit A A\nput g '1\\n'\ncommit F F\nrevert_of X A", PickStatus::clean, "7746162a5f"},
    {"S2b_a_revert_whose_reland_is_also_there", "base40 f", "line f 10 'line 10 A'",
     "line f 10 'line 10 A'\ncommit A A\nrevert_of X A", PickStatus::clean, "03cbd80135"},
    {"S2c_a_reland_with_more_onto_the_original", "base40 f", "put z '1\\n'\nline f 10 'line 10 A'",
     "line f 10 'line 10 A'\ncommit A A\nrevert_of R A\nline f 10 'line 10 A'\nline f 20 'line 20 A2'\ncommit X A2", PickStatus::clean, ""},
    {"S4_a_revert_of_what_never_came_in", "base40 f", "put g '1\\n'", "line f 10 'line 10 A'\ncommit A A\nrevert_of X A",
     PickStatus::empty, ""},
    {"S5_a_revert_of_an_adapted_pick", "base40 f", "line f 10 'line 10 A adapted'",
     "line f 10 'line 10 A'\ncommit A A\nrevert_of X A", PickStatus::conflict, "", {"f: contents"}},
    {"S7a_the_same_fix_beside_a_fork_line", "base40 f",
     "insert f 0 '// hdr'\nline f 10 'line 9 DOWN'\nline f 11 'line 10 FIX'", "line f 10 'line 10 FIX'\ncommit X X",
     PickStatus::conflict, "", {"f: contents"}},
    {"S7b_the_same_fix_is_there", "base40 f", "insert f 0 '// hdr'\nline f 8 'line 7 DOWN'\nline f 11 'line 10 FIX'",
     "line f 10 'line 10 FIX'\ncommit X X", PickStatus::empty, ""},
    {"S8a_half_of_a_squash", "base40 f", "line f 10 'line 10 A'\nline f 20 'line 20 B'", "line f 10 'line 10 A'\ncommit X A",
     PickStatus::empty, ""},
    {"S9_a_commit_without_its_prerequisite", "base40 f", "put z '1\\n'",
     "line f 10 'line 10 A'\ncommit A A\nline f 10 'line 10 A then B'\ncommit X B", PickStatus::conflict, "", {"f: contents"}},
    {"S9_a_commit_after_its_prerequisite", "base40 f", "put z '1\\n'\nline f 10 'line 10 A'",
     "line f 10 'line 10 A'\ncommit A A\nline f 10 'line 10 A then B'\ncommit X B", PickStatus::clean, "93a19e9a02"},
    {"S10a_a_pin_moved_by_both", "put cmake/llvm-hash.txt '1111111111111111111111111111111111111111\\n'",
     "put cmake/llvm-hash.txt '3333333333333333333333333333333333333333\\n'",
     "put cmake/llvm-hash.txt '2222222222222222222222222222222222222222\\n'\ncommit X pin", PickStatus::conflict, "",
     {"cmake/llvm-hash.txt: contents"}},
    {"S10c_a_pin_moved_by_upstream_alone", "put cmake/llvm-hash.txt '1111111111111111111111111111111111111111\\n'",
     "put z '1\\n'", "put cmake/llvm-hash.txt '2222222222222222222222222222222222222222\\n'\ncommit X pin",
     PickStatus::clean, "e2d15e1b4f"},
    {"S11_a_submodule_moved_by_both", "put f '1\\n'\ngitlink sub 1111111111111111111111111111111111111111",
     "gitlink sub 3333333333333333333333333333333333333333",
     "gitlink sub 2222222222222222222222222222222222222222\ncommit X sub", PickStatus::conflict, "",
     {"sub: submodule not initialized"}},
    {"S12a_a_renamed_file_takes_the_forks_edit_along", "base40 a/old.cpp", "line a/old.cpp 5 'line 5 DOWN'",
     "move a/old.cpp a/new.cpp\nline a/new.cpp 30 'line 30 UP'\ncommit X move", PickStatus::clean, "90ad4de43a"},
    {"S12c_an_edit_follows_the_forks_rename", "base40 a/old.cpp", "move a/old.cpp a/fork.cpp",
     "line a/old.cpp 30 'line 30 UP'\ncommit X edit", PickStatus::clean, "1041d35aff"},
    {"S12d_both_rename_to_different_names", "base40 a/old.cpp", "move a/old.cpp a/fork.cpp",
     "move a/old.cpp a/up.cpp\ncommit X move", PickStatus::conflict, "",
     {"a/fork.cpp: rename/rename", "a/old.cpp: rename/rename", "a/up.cpp: rename/rename"}},
    {"S13_the_same_block_at_another_place", "base40 f.cpp", "insert f.cpp 30 'void verify() {\\n  check();\\n}'",
     "insert f.cpp 5 'void verify() {\\n  check();\\n}'\ncommit X verify", PickStatus::clean, "b9c97bf4de"},
    {"S14_a_directory_renamed_under_a_fork_file", "base40 lib/old/a.cpp\nbase40 lib/old/b.cpp\nappend lib/old/b.cpp 'b\\n'",
     "put lib/old/mine.cpp 'mine\\n'", "move lib/old lib/new\ncommit X move", PickStatus::conflict, "",
     {"lib/new/mine.cpp: directory rename suggested"}},
    {"S15_an_edit_of_a_file_that_the_fork_deleted", "base40 .github/workflows/ci.yml\nput f '1\\n'",
     "drop .github/workflows/ci.yml", "line .github/workflows/ci.yml 10 'line 10 X'\ncommit X ci", PickStatus::conflict, "",
     {".github/workflows/ci.yml: modify/delete"}},
    {"S16_a_signature_change_with_a_fork_only_caller", "put h.h 'int f(int);\\n'\nput u.c 'int a(){return f(1);}\\n'",
     "put d.c 'int b(){return f(2);}\\n'", "put h.h 'int f(int,int);\\n'\nput u.c 'int a(){return f(1,0);}\\n'\ncommit X sig",
     PickStatus::clean, "97674a1e45"},
    {"S17a_a_mode_change_beside_an_edit", "put t.sh 'x\\n'", "append t.sh 'y\\n'", "runnable t.sh\ncommit X mode",
     PickStatus::clean, "c0594308eb"},
    {"S17b_a_link_becomes_a_file", "symlink l x", "symlink l y", "drop l\nput l 'file\\n'\ncommit X file",
     PickStatus::conflict, "", {"l: distinct modes"}},
    {"S18_a_binary_changed_by_both", binary, "append bin 'D\\0'", "append bin 'U\\0'\ncommit X bin", PickStatus::conflict, "",
     {"bin: binary"}},
    {"S19_a_file_whose_line_ends_the_fork_changed", "base40 f.txt", "sed -i 's/$/\\r/' f.txt",
     "line f.txt 10 'line 10 FIX'\ncommit X fix", PickStatus::conflict, "", {"f.txt: contents"}},
    {"S19b_a_byte_order_mark_on_the_forks_side", "base40 f.txt",
     "printf '\\xef\\xbb\\xbf' | cat - f.txt > new; mv new f.txt",
     "line f.txt 1 'line 1 UP'\ncommit A A\nline f.txt 20 'line 20 UP'\ncommit X B", PickStatus::clean, "8c9c0c1eda"},
    {"S20_a_commit_without_changes", "put f '1\\n'", "put g '1\\n'", "empty_commit X nothing", PickStatus::empty, ""},
    {"S21_no_newline_at_the_end", "put f 'a\\nb'", "put f 'a\\nb\\n'", "put f 'a\\nb\\nc'\ncommit X c", PickStatus::conflict, "",
     {"f: contents"}},
    {"S22_a_merge_commit_against_its_first_parent", "put f '1\\n'", "put g '1\\n'",
     "branch topic\nput h '1\\n'\ncommit T topic\non main\nput k '1\\n'\ncommit K k\nmerge_branch X topic",
     PickStatus::clean, ""},
    {"S23_a_path_that_is_not_utf8", "put f '1\\n'", "put g '1\\n'", "put $'d/caf\\xe9.mlir' 'x\\n'\ncommit X path",
     PickStatus::clean, "37fad190eb"},
    {"S24_a_rename_that_changes_case_only", "base40 Foo.h", "line Foo.h 3 'line 3 D'", "move Foo.h foo.h\ncommit X case",
     PickStatus::clean, "dc0fe9583d"},
    {"S25_a_file_that_both_added", "put f '1\\n'", "base40 n.cpp\nline n.cpp 2 'line 2 D'", "base40 n.cpp\ncommit X n",
     PickStatus::conflict, "", {"n.cpp: add/add"}},
    {"S26a_a_file_becomes_a_directory", "put x '1\\n'", "append x '2\\n'", "drop x\nput x/y '1\\n'\ncommit X dir",
     PickStatus::clean, "5546ad2979"},
    {"S26b_a_directory_where_the_fork_edits_a_file", "base40 x", "line x 3 'line 3 D'", "drop x\nput x/y 'other\\n'\ncommit X dir",
     PickStatus::conflict, "", {"x: file/directory"}},
    {"S30_a_commit_with_a_workflow_in_it", "base40 .github/workflows/ci.yml\nput f '1\\n'", "put z '1\\n'",
     "line .github/workflows/ci.yml 10 'line 10 X'\nput f '2\\n'\ncommit X ci", PickStatus::clean, ""},
};

class ShapeTest : public ::testing::TestWithParam<Shape> {};

TEST_P(ShapeTest, IsJudgedAsGitJudgesIt) {
  const Shape& shape = GetParam();
  const History h(std::string("repo up\n") + shape.base + "\ncommit B base\nfork up down\n" + shape.down +
                  "\ncommit D fork\nat up\n" + shape.up + "\n");
  Bench bench(h, {"up", "down"});
  const auto pick = bench.picker.pick(h.id("X"), h.tree("D"));
  EXPECT_EQ(to_string(pick.status), to_string(shape.status)) << pick.detail;
  EXPECT_EQ(pick.tree.substr(0, std::string(shape.tree).size()), shape.tree);
  EXPECT_EQ(kinds(pick), shape.conflicts);
  EXPECT_EQ(pick.onto, h.tree("D"));
  if (shape.status == PickStatus::empty) {
    EXPECT_EQ(pick.tree, h.tree("D"));
  }
  for (const auto& conflict : pick.conflicts) EXPECT_EQ(conflict.path.find('~'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, ShapeTest, ::testing::ValuesIn(shapes),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Shapes, AMassRenameKeepsTheForksEdit) {
  for (const int n : {250, 501, 1100}) {
    const std::string count = std::to_string(n);
    const History h("repo up\nmkdir m\nfor i in $(seq 0 $((" + count + "-1))); do { echo \"head $i\"; "
                    "for j in $(seq 0 19); do echo \"u${i}_$j\"; done; } > m/f$i.cpp; done\ncommit B base\n"
                    "fork up down\nswap m/f7.cpp 'u7_10\\n' 'u7_10 DOWN\\n'\ncommit D edit\n"
                    "at up\nmove m n\nfor f in n/*; do echo UPLINE >> $f; done\ncommit X move\n");
    Bench bench(h, {"up", "down"});
    const auto pick = bench.picker.pick(h.id("X"), h.tree("D"));
    ASSERT_EQ(to_string(pick.status), "clean") << n << pick.detail;
    EXPECT_NE(bench.content(pick.tree, "n/f7.cpp").find("u7_10 DOWN"), std::string::npos);
    EXPECT_FALSE(bench.has(pick.tree, "m/f7.cpp"));
    EXPECT_FALSE(pick.renames_skipped);
    if (n == 250) {
      EXPECT_EQ(pick.tree.substr(0, 10), "f29c6e1f19");
    }
    if (n == 1100) {
      EXPECT_EQ(pick.tree.substr(0, 10), "ddd5b69ba2");
    }
  }
}

TEST(Shapes, AConflictWithTheTreeOfTheForkIsNeverEmpty) {
  // Submodule and binary conflicts leave our side in the tree: only the status tells.
  const History h(std::string("repo up\n") + binary + "\ncommit B base\nfork up down\nappend bin 'D\\0'\ncommit D d\n"
                  "at up\nappend bin 'U\\0'\ncommit X u\n");
  Bench bench(h, {"up", "down"});
  const auto pick = bench.picker.pick(h.id("X"), h.tree("D"));
  EXPECT_EQ(pick.status, PickStatus::conflict);
  EXPECT_EQ(pick.tree, h.tree("D"));
  ASSERT_EQ(pick.conflicts.size(), 1u);
  EXPECT_EQ(pick.conflicts[0].regions, 0);
  EXPECT_EQ(pick.conflicts[0].stages.size(), 3u);
}

}  // namespace
}  // namespace sluice::git::testing
