// SPDX-License-Identifier: Apache-2.0
// The verbs themselves. Expected trees were computed by git alone, in no program of ours.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "core/file.h"
#include "test/support/history.h"

namespace sluice::test_support {
namespace {

// The pick of U onto D as git does it, and the first ten digits of the resulting tree.
std::string picked_tree(const std::string& script) {
  History history(script + "\non down; pick_by_hand picked U\n");
  return history.tree("picked").substr(0, 10);
}

std::string why_not(const std::string& script) {
  try {
    History history(script);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Verbs, BuildTheRevertThatStraddlesTheFrontier) {
  History h(R"(
    repo r; base40 f                          ; commit B "b"; branch down; on main
    line f 10 "line 10 A"                     ; commit A "a"
    put g "1\n"                               ; commit F "f"
    revert_of R A
    on down; pick_by_hand PA A; pick_by_hand PF F; pick_by_hand PR R
  )");
  EXPECT_EQ(h.tree("PR").substr(0, 10), "7746162a5f");
  EXPECT_EQ(h.git("r", {"log", "-1", "--format=%B", h.id("R")}),
            "Revert \"a\"\n\nThis reverts commit " + h.id("A") + ".\n");
  EXPECT_EQ(h.git("r", {"log", "-1", "--format=%B", h.id("PF")}),
            "f\n\n(cherry picked from commit " + h.id("F") + ")\n");
}

TEST(Verbs, BuildTheSameHunkElsewhere) {
  EXPECT_EQ(picked_tree(R"(
    repo r; base40 f.cpp                                     ; commit B "b"
    branch up; insert f.cpp 5 "void verify() {\n  check();\n}" ; commit U "verify"
    branch down B; insert f.cpp 30 "void verify() {\n  check();\n}"; commit D "verify")"),
            "b9c97bf4de");
}

TEST(Verbs, BuildRenamesModesAndCaseChanges) {
  EXPECT_EQ(picked_tree(R"(
    repo r; base40 a/old.cpp                                      ; commit B "b"
    branch up; move a/old.cpp a/new.cpp; line a/new.cpp 30 "line 30 UP"; commit U "u"
    branch down B; line a/old.cpp 5 "line 5 DOWN"                 ; commit D "d")"),
            "90ad4de43a");
  EXPECT_EQ(picked_tree(R"(
    repo r; put t.sh "x\n"          ; commit B "b"
    branch up; runnable t.sh        ; commit U "u"
    branch down B; append t.sh "y\n"; commit D "d")"),
            "c0594308eb");
  EXPECT_EQ(picked_tree(R"(
    repo r; base40 Foo.h                  ; commit B "b"
    branch up; move Foo.h foo.h           ; commit U "u"
    branch down B; line Foo.h 3 "line 3 D"; commit D "d")"),
            "dc0fe9583d");
}

TEST(Verbs, BuildASignatureChangeAndAFileThatBecomesADirectory) {
  EXPECT_EQ(picked_tree(R"sh(
    repo r; put h.h "int f(int);\n"; put u.c "int a(){return f(1);}\n"    ; commit B "b"
    branch up; swap h.h "(int)" "(int,int)"; swap u.c "f(1)" "f(1,0)"     ; commit U "u"
    branch down B; put d.c "int b(){return f(2);}\n"                      ; commit D "d")sh"),
            "97674a1e45");
  EXPECT_EQ(picked_tree(R"(
    repo r; put x "1\n"                   ; commit B "b"
    branch up; drop x; put x/y "1\n"      ; commit U "u"
    branch down B; append x "2\n"         ; commit D "d")"),
            "5546ad2979");
}

TEST(Verbs, BuildPinsAndCiFiles) {
  EXPECT_EQ(picked_tree(R"(
    pin() { put cmake/llvm-hash.txt "$(printf "$1%.0s" {1..40})\n"; }
    repo r; pin 1                   ; commit B "b"
    branch up; pin 2                ; commit U "u"
    branch down B; put z "1\n"      ; commit D "d")"),
            "e2d15e1b4f");
  EXPECT_EQ(picked_tree(R"(
    repo r; base40 .github/workflows/ci.yml; put f "1\n"                      ; commit B "b"
    branch up; line .github/workflows/ci.yml 10 "line 10 A"; put f "2\n"      ; commit U "u"
    branch down B; put z "1\n"                                                ; commit D "d")"),
            "2f52d271ed");
}

TEST(Verbs, KeepBytesThatAreNotUtf8) {
  History h(R"(
    repo r; put f "1\n"                                    ; commit B "b"
    branch up; put $'d/caf\xe9.mlir' "x\n"                 ; commit U "u"
    branch down B; put g "1\n"                             ; commit D "d"
    pick_by_hand P U
    author 'Ren\xe9' rene@example.com; encoding ISO-8859-1
    put h "1\n"                                            ; commit L 'caf\xe9 subject'
    encoding raw; put i "1\n"                                  ; commit N 'caf\xe9 subject'
  )");
  EXPECT_EQ(h.tree("P").substr(0, 10), "37fad190eb");
  std::string latin = h.git("r", {"cat-file", "commit", h.id("L")});
  EXPECT_NE(latin.find("author Ren\xe9 <rene@example.com>"), std::string::npos) << latin;
  EXPECT_NE(latin.find("\nencoding ISO-8859-1\n\ncaf\xe9 subject"), std::string::npos) << latin;
  std::string without_header = h.git("r", {"cat-file", "commit", h.id("N")});
  EXPECT_EQ(without_header.find("encoding"), std::string::npos);
  EXPECT_NE(without_header.find("caf\xe9 subject"), std::string::npos) << without_header;
  EXPECT_NE(without_header.find("author Ren\xe9 <rene@example.com>"), std::string::npos) << without_header;
}

TEST(Verbs, MergeAndPickAcrossRepositories) {
  History h(R"(
    repo up; put f "1\n"                       ; commit B "b"
    fork up down; put g "1\n"                  ; commit D "d"
    at up; branch topic B; put h "1\n"         ; commit H "h"
    on main; put k "1\n"                       ; commit K "k"
    merge_branch M topic
    gitlink sub 1111111111111111111111111111111111111111; symlink l f; commit S "links"
    line f 1 "2"                               ; commit X "x"
    at down; pick_by_hand PH H; pick_by_hand PK K "fork: k under another name"
    push_bare down
  )");
  // The pick of the merge with mainline 1 adds only the topic's file; with K picked too the tree is M's plus
  // g.
  EXPECT_EQ(h.git("up", {"rev-list", "--parents", "-1", h.id("M")}),
            h.id("M") + " " + h.id("K") + " " + h.id("H"));
  EXPECT_EQ(h.git("down.git", {"rev-parse", "main"}), h.id("PK"));
  EXPECT_EQ(h.git("down.git", {"log", "-1", "--format=%s|%b|%an", "main"}),
            "fork: k under another name||" + h.git("up", {"log", "-1", "--format=%an", h.id("K")}));
  EXPECT_EQ(h.git("up", {"ls-tree", "-r", "HEAD", "sub", "l"}),
            "120000 blob 4d1ae35ba2c8ec712fa2a379db44ad639ca277bd\tl\n"
            "160000 commit 1111111111111111111111111111111111111111\tsub");
}

TEST(Verbs, GiveTheSameIdsWhateverTheEnvironmentSays) {
  const std::string script = R"(
    repo up; put f "1\r\n"; put g 'a
'; runnable g                    ; commit B "first"
    (put h "1\n"                 ; commit C "in a subshell")
    fork up down; append f "2\n" ; commit D "fork"
  )";
  History calm(script), again(script);
  EXPECT_EQ(calm.id("D"), again.id("D"));

  History hostile;
  std::string source = std::string(SLUICE_SOURCE_DIR) + "/examples/verbs.sh";
  hostile.run(
      "at() { :; }\nmkdir -p evil/.config/git; printf '[core]\\nautocrlf = true\\n[i18n]\\ncommitEncoding = "
      "latin1\\n' >evil/.gitconfig; echo 'g text eol=crlf' >evil/.config/git/attributes; echo h "
      ">evil/.config/git/ignore\n"
      "env HOME=$PWD/evil GIT_CONFIG_GLOBAL=$PWD/evil/.gitconfig XDG_CONFIG_HOME=$PWD/evil/.config "
      "GIT_AUTHOR_NAME=Mallory GIT_AUTHOR_DATE=@1 GIT_COMMITTER_DATE=@1 GIT_DIR=/nowhere TZ=Asia/Tokyo "
      "LC_ALL=C.UTF-8 bash -euo pipefail -c '. \"$0\"; eval \"$1\"' " +
      source + " \"$(cat <<'END'\n" + script + "\nEND\n)\"");
  EXPECT_EQ(hostile.run("id D"), calm.id("D") + "\n");
}

TEST(Verbs, RefuseWhatWouldNotBeWhatTheReaderThinks) {
  EXPECT_NE(why_not("repo r; put f 'a a'; swap f a b").find("stands 2 times in f, not once"),
            std::string::npos);
  EXPECT_NE(why_not("repo r; put f 'a'; swap f z b").find("stands 0 times in f, not once"),
            std::string::npos);
  EXPECT_NE(why_not("repo r; put f 'a\\n'; line f 2 b").find("'f' has 1 lines, so no line 2"),
            std::string::npos);
  EXPECT_NE(why_not("repo r; put f 1; commit A a; commit B b").find("commit 'B' (b) would change nothing"),
            std::string::npos);
  EXPECT_NE(why_not("repo r; put f 1; commit A a; put f 2; commit A b").find("named 'A' already"),
            std::string::npos);
  EXPECT_NE(why_not("repo r; put f 1; commit A a; revert_of R Z").find("'Z' is neither a named commit nor"),
            std::string::npos);
  EXPECT_NE(
      why_not(
          "repo r; base40 f; commit A a; branch x; line f 1 x; commit X x; on main; line f 1 y; commit Y y; "
          "pick_by_hand P X")
          .find("the pick of 'X' has a conflict"),
      std::string::npos);
}

TEST(Verbs, SwapKeepsEveryOtherByte) {
  History h(R"(repo r; put f 'a\0b\xe9\nold\n\nc'; swap f 'old\n' 'new\n'; commit A "a")");
  auto bytes = core::read_file(h.path("r") + "/f");
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  EXPECT_EQ(*bytes, std::string("a\0b\xe9\nnew\n\nc", 11));
}

}  // namespace
}  // namespace sluice::test_support
