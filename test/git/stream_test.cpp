// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "git/change_stream.h"
#include "test/git/support.h"

namespace sluice::git::testing {
namespace {

namespace fs = std::filesystem;
using model::ChangeStatus;

std::vector<StreamedCommit> all(const Repo& repo, const Oid& after, const Oid& tip) {
  std::vector<StreamedCommit> out;
  must(stream_changes(repo, after, tip, [&](StreamedCommit&& commit) -> Result<void> {
    out.push_back(std::move(commit));
    return {};
  }));
  return out;
}

const char* const varied = R"(
  repo up
    base40 f ; put bin 'a\0b' ; symlink l f ; gitlink sub 1111111111111111111111111111111111111111 ; commit A root
    line f 3 x ; insert f 20 'new\nmore' ; commit C edit
    empty_commit E nothing
    move f g ; line g 30 y ; put bin 'c\0d' ; commit R 'rename and binary'
    runnable g ; gitlink sub 2222222222222222222222222222222222222222 ; commit M 'mode and submodule'
    drop l ; put l 'file\n' ; put $'caf\xe9\nx' 'last' ; commit T 'type and odd path'
    branch topic ; put t '1\n' ; commit K topic ; on main ; put u '1\n' ; commit U u
    merge_branch X topic
    put looks '@@ -1 +1 @@\ndiff --git a/x b/x\n\x01\n' ; commit L 'lines that look like git'
)";

TEST(Stream, TellsEveryCommitOfTheLineOldestFirst) {
  const History h(varied);
  const auto repo = must(Repo::scratch_over({h.path("up")}));
  const auto commits = all(repo, {}, h.id("L"));
  std::vector<Oid> order;
  for (const auto& commit : commits) order.push_back(commit.oid);
  std::vector<Oid> expected;
  for (const char* name : {"A", "C", "E", "R", "M", "T", "U", "X", "L"}) expected.push_back(h.id(name));
  ASSERT_EQ(order, expected);

  EXPECT_EQ(commits[0].files.size(), 4u);
  const auto& edit = commits[1].files.at(0);
  ASSERT_EQ(edit.change.hunks.size(), 2u);
  EXPECT_EQ(edit.change.hunks[1].old_start, 20u);
  EXPECT_EQ(edit.change.hunks[1].old_count, 0u);
  EXPECT_EQ(edit.change.hunks[1].new_start, 21u);
  EXPECT_EQ(edit.added, (std::vector<std::string>{"x", "new", "more"}));
  EXPECT_EQ(edit.removed, std::vector<std::string>{"line 3"});
  EXPECT_FALSE(edit.change.added_sha.empty());
  EXPECT_NE(edit.change.added_sha, edit.change.removed_sha);

  EXPECT_TRUE(commits[2].files.empty());
  ASSERT_EQ(commits[3].files.size(), 2u);
  EXPECT_TRUE(commits[3].files[0].change.binary);
  EXPECT_TRUE(commits[3].files[0].change.added_sha.empty());
  EXPECT_EQ(commits[3].files[1].change.status, ChangeStatus::renamed);
  EXPECT_EQ(commits[3].files[1].change.old_path, "f");
  EXPECT_EQ(commits[3].files[1].change.path, "g");
  EXPECT_EQ(commits[3].files[1].added, std::vector<std::string>{"y"});

  EXPECT_EQ(commits[4].files[0].change.new_mode, 0100755u);
  EXPECT_TRUE(commits[4].files[0].change.hunks.empty());
  EXPECT_EQ(commits[4].files[1].change.new_blob, std::string(40, '2'));
  EXPECT_EQ(commits[4].files[1].added.at(0), "Subproject commit " + std::string(40, '2'));

  ASSERT_EQ(commits[5].files.size(), 2u);
  EXPECT_EQ(commits[5].files[0].change.path, "caf\xe9\nx");
  EXPECT_EQ(commits[5].files[0].change.status, ChangeStatus::added);
  EXPECT_EQ(commits[5].files[0].added, std::vector<std::string>{"last"});
  EXPECT_EQ(commits[5].files[1].change.status, ChangeStatus::type_changed);
  EXPECT_EQ(commits[5].files[1].removed, std::vector<std::string>{"f"});
  EXPECT_EQ(commits[5].files[1].added, std::vector<std::string>{"file"});

  ASSERT_EQ(commits[7].files.size(), 1u) << "a merge against its first parent";
  EXPECT_EQ(commits[7].files[0].change.path, "t");
  EXPECT_EQ(commits[8].files[0].added.size(), 3u);
}

TEST(Stream, BeginsAfterTheGivenCommit) {
  const History h(varied);
  const auto repo = must(Repo::scratch_over({h.path("up")}));
  const auto commits = all(repo, h.id("T"), h.id("X"));
  ASSERT_EQ(commits.size(), 2u);
  EXPECT_EQ(commits[0].oid, h.id("U"));
  EXPECT_TRUE(all(repo, h.id("X"), h.id("X")).empty());
}

TEST(Stream, AnInverseCommitHasTheSwappedDigests) {
  const History h("repo up\nbase40 f\ncommit A a\nline f 3 x\nline f 9 y\ncommit C c\nrevert_of R C");
  const auto repo = must(Repo::scratch_over({h.path("up")}));
  const auto commits = all(repo, h.id("A"), h.id("R"));
  EXPECT_EQ(commits[0].files[0].change.added_sha, commits[1].files[0].change.removed_sha);
  EXPECT_EQ(commits[0].files[0].change.removed_sha, commits[1].files[0].change.added_sha);
}

TEST(Stream, GoesOnPastACommitWhoseBlobIsAbsent) {
  History h("repo up\nbase40 f\ncommit A a\nline f 1 x\ncommit C1 c1\nbase40 big\nline big 5 big\nline f 2 y\nmove f g\ncommit C2 c2\n"
            "line g 3 z\ncommit C3 c3\nline big 6 bigger\ncommit C4 c4\nline g 4 w\ncommit C5 c5");
  const Oid blob = h.git("up", {"rev-parse", h.id("C2") + ":big"});
  fs::remove(h.path("up") + "/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2));
  const auto repo = must(Repo::scratch_over({h.path("up")}));
  const auto commits = all(repo, h.id("A"), h.id("C5"));
  ASSERT_EQ(commits.size(), 5u);
  const auto find = [](const StreamedCommit& commit, const std::string& path) {
    for (const auto& file : commit.files)
      if (file.change.path == path) return file;
    throw std::runtime_error("no " + path);
  };
  EXPECT_TRUE(find(commits[1], "big").change.binary);
  EXPECT_TRUE(find(commits[1], "big").change.hunks.empty());
  EXPECT_FALSE(find(commits[1], "g").change.binary) << "what is there is still told";
  EXPECT_TRUE(find(commits[3], "big").change.binary);
  EXPECT_EQ(find(commits[4], "g").added, std::vector<std::string>{"w"});
}

TEST(Stream, StopsWithTheErrorOfTheVisitor) {
  const History h(varied);
  const auto repo = must(Repo::scratch_over({h.path("up")}));
  int seen = 0;
  const auto result = stream_changes(repo, {}, h.id("L"), [&](StreamedCommit&&) -> Result<void> {
    if (++seen == 3) return make_error(ErrorKind::conflict, "enough");
    return {};
  });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "enough");
  EXPECT_EQ(seen, 3);
}

TEST(ChangeParser, GivesTheSameForAnyCutOfItsInput) {
  const Oid a(40, 'a'), b(40, 'b');
  std::string text = "\x01" + a + std::string("\0\n", 2) + ":100644 100644 " + a + " " + b + " M" + std::string("\0", 1) + "f" +
                     std::string("\0\0", 2) + "diff --git a/f b/f\nindex x..y 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-one\n-two\n+1\n" +
                     "\\ No newline at end of file\n@@ -9,0 +9 @@ tail\n+9\n" + "\x01" + b + std::string("\0", 1);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    std::vector<StreamedCommit> out;
    ChangeParser parser([&](StreamedCommit&& commit) -> Result<void> {
      out.push_back(std::move(commit));
      return {};
    });
    must(parser.feed(text.substr(0, cut)));
    must(parser.feed(text.substr(cut)));
    must(parser.finish());
    ASSERT_EQ(out.size(), 2u) << cut;
    EXPECT_EQ(out[0].files.at(0).removed.size(), 2u);
    EXPECT_EQ(out[0].files.at(0).added.size(), 2u);
    EXPECT_EQ(out[0].files.at(0).change.hunks.size(), 2u);
  }
  ChangeParser broken([](StreamedCommit&&) -> Result<void> { return {}; });
  must(broken.feed(text.substr(0, text.find("-two"))));
  EXPECT_FALSE(broken.finish().ok());
  ChangeParser garbage([](StreamedCommit&&) -> Result<void> { return {}; });
  EXPECT_FALSE(garbage.feed("fatal: something").ok());
}

}  // namespace
}  // namespace sluice::git::testing
