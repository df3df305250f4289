// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "git/commit_text.h"
#include "test/git/support.h"

namespace sluice::git::testing {
namespace {

TEST(Reader, OpensAWorkTreeRepositoryAndABareOne) {
  const History h("repo up\nput f '1\\n'\ncommit A first\npush_bare up");
  EXPECT_EQ(must(must(Reader::open(h.path("up"))).resolve("main")), h.id("A"));
  EXPECT_EQ(must(must(Reader::open(h.path("up.git"))).resolve("main")), h.id("A"));
  EXPECT_FALSE(Reader::open(h.root()).ok());
}

TEST(Reader, ResolvesNamesToCommits) {
  const History h("repo up\nput f '1\\n'\ncommit A first\ngit tag -a v1 -m v1\nput f '2\\n'\ncommit C second");
  const auto reader = must(Reader::open(h.path("up")));
  EXPECT_EQ(must(reader.resolve("v1")), h.id("A"));
  EXPECT_EQ(must(reader.resolve(h.id("A").substr(0, 10))), h.id("A"));
  EXPECT_EQ(must(reader.resolve("main~1")), h.id("A"));
  EXPECT_EQ(reader.resolve("nothing").error().kind, ErrorKind::not_found);
  EXPECT_EQ(reader.resolve("").error().kind, ErrorKind::invalid);
  EXPECT_EQ(reader.resolve(h.tree("A")).error().kind, ErrorKind::invalid) << "a tree is no commit";
}

TEST(Reader, ReadsACommitInUtf8WhateverItsBytes) {
  const History h("repo up\nput f '1\\n'\ncommit B base\n"
                  "author 'Ren\\xe9' r@example.com\nencoding ISO-8859-1\nput f '2\\n'\ncommit L 'caf\\xe9 subject'\n"
                  "encoding raw\nput f '3\\n'\ncommit R 'caf\\xe9 subject'\nencoding\nauthor\n");
  const auto reader = must(Reader::open(h.path("up")));
  for (const char* name : {"L", "R"}) {
    const auto commit = must(reader.commit(h.id(name)));
    EXPECT_EQ(commit.author.name, "Ren\xc3\xa9") << name;
    EXPECT_EQ(commit.message, "caf\xc3\xa9 subject\n") << name;
    EXPECT_EQ(commit.author.email, "r@example.com");
  }
}

TEST(CommitText, ToleratesOddAuthors) {
  const std::string tree(40, 'a');
  const auto commit = must(parse_commit(std::string(40, 'b'), "tree " + tree + "\nauthor nobody\ncommitter A<x@y> 12 -0130\n\nm"));
  EXPECT_EQ(commit.author.name, "nobody");
  EXPECT_EQ(commit.committer.email, "x@y");
  EXPECT_EQ(commit.committer.time, 12);
  EXPECT_EQ(commit.committer.zone, -90);
  const auto far = must(parse_commit(std::string(40, 'b'), "tree " + tree + "\nauthor a <b> 1 +9999\ncommitter c <d> 1 --100\n\nm"));
  EXPECT_EQ(far.author.zone, 99 * 60 + 59) << "what four digits can say";
  EXPECT_EQ(far.committer.zone, 0);
  EXPECT_NE(must(compose_commit({tree, {}, far.author, far.committer, "m"})).find("author a <b> 1 +9959\n"), std::string::npos);
  EXPECT_FALSE(parse_commit(std::string(40, 'b'), "author x\n\nm").ok());
}

TEST(CommitText, IsWrittenSoThatItReadsTheSame) {
  const History h("repo up\nput f '1\\n'\ncommit A first");
  auto repo = must(Repo::scratch_over({h.path("up")}));
  const model::Person author{"Jane <x> Doe Jr.", "j@example.com", 1767571200, -570};
  const CommitSpec spec{h.tree("A"), {h.id("A")}, author, {"Sluice", "s@example.com", 1767571201, 60}, "subject\n\nbody"};
  const Oid oid = must(repo.write_commit(spec));
  const auto back = must(repo.reader().commit(oid));
  EXPECT_EQ(back.author.name, "Jane x Doe Jr.");
  EXPECT_EQ(back.author.zone, -570);
  EXPECT_EQ(back.committer.zone, 60);
  EXPECT_EQ(back.message, "subject\n\nbody\n");
  EXPECT_EQ(back.parents, std::vector<Oid>{h.id("A")});
  EXPECT_EQ(must(repo.write_commit(spec)), oid);
  EXPECT_FALSE(repo.write_commit({h.tree("A"), {}, author, author, std::string("a\0b", 3)}).ok());
}

TEST(Reader, WalksAndComparesTrees) {
  const History h("repo up\nput a '1\\n'\nput a.b '1\\n'\nput d/x '1\\n'\ngitlink sub 1111111111111111111111111111111111111111\n"
                  "symlink l a\ncommit A first\nput a '2\\n'\ndrop d/x\nput d/y '1\\n'\nrunnable a.b\ncommit C second\n"
                  "drop a\nput a/in '1\\n'\ncommit E third");
  const auto reader = must(Reader::open(h.path("up")));
  std::vector<std::string> paths;
  must(reader.walk(h.tree("A"), [&](const std::string& path, const TreeEntry&) {
    paths.push_back(path);
    return true;
  }));
  EXPECT_EQ(paths, (std::vector<std::string>{"a", "a.b", "d/x", "l", "sub"}));
  std::string changed;
  for (const auto& delta : must(reader.diff_trees(h.tree("A"), h.tree("C")))) changed += delta.path + " ";
  EXPECT_EQ(changed, "a a.b d/x d/y ");
  changed.clear();
  for (const auto& delta : must(reader.diff_trees(h.tree("C"), h.tree("E")))) changed += delta.path + " ";
  EXPECT_EQ(changed, "a a/in ");
  EXPECT_EQ(must(reader.entry(h.tree("A"), "sub"))->mode, 0160000u);
  EXPECT_EQ(must(reader.entry(h.tree("A"), "d"))->mode, 0040000u);
  EXPECT_FALSE(must(reader.entry(h.tree("A"), "a/b/c")).has_value());
  EXPECT_EQ(must(reader.file(h.tree("C"), "a")), "2\n");
  EXPECT_FALSE(must(reader.file(h.tree("C"), "d")).has_value());
  EXPECT_EQ(must(reader.tree_of(h.id("A"))), h.tree("A"));
}

TEST(Reader, ComparesTextsAsGitDoes) {
  const History h("repo up\nbase40 f\nput bin 'a\\0b'\ncommit A a\nline f 3 x\ninsert f 20 'new\\nmore'\ncut_lines f 30 31\n"
                  "put bin 'c\\0d'\ncommit C c");
  const auto reader = must(Reader::open(h.path("up")));
  const auto blob = [&](const char* tree, const char* path) { return must(reader.entry(h.tree(tree), path))->oid; };
  const auto diff = must(reader.diff_blobs(blob("A", "f"), blob("C", "f")));
  std::string headers;
  for (const auto& k : diff.hunks)
    headers += std::to_string(k.old_start) + "," + std::to_string(k.old_count) + " " + std::to_string(k.new_start) + "," +
               std::to_string(k.new_count) + "; ";
  EXPECT_EQ(headers, "3,1 3,1; 20,0 21,2; 28,2 29,0; ");
  ASSERT_EQ(diff.lines.size(), 6u);
  EXPECT_EQ(diff.lines[0].side, '-');
  EXPECT_EQ(diff.lines[0].text, "line 3");
  EXPECT_EQ(diff.lines[2].line, 21u);
  EXPECT_TRUE(must(reader.diff_blobs(blob("A", "bin"), blob("C", "bin"))).binary);
  EXPECT_EQ(must(reader.diff_blobs({}, blob("A", "f"))).lines.size(), 40u);
  EXPECT_TRUE(reader.diff_text("same\n", "same\n").hunks.empty());
  EXPECT_EQ(reader.diff_blobs(Oid(40, '7'), blob("A", "f")).error().kind, ErrorKind::not_found);
}

TEST(Reader, KnowsAncestryAndFirstParents) {
  const History h("repo up\nput f '1\\n'\ncommit A a\nbranch topic\nput h '1\\n'\ncommit T t\non main\nput k '1\\n'\ncommit K k\n"
                  "merge_branch M topic\nput z '1\\n'\ncommit Z z\nrepo other\nput q '1\\n'\ncommit Q q");
  const auto reader = must(Reader::open(h.path("up"), {h.path("other")}));
  EXPECT_TRUE(must(reader.is_ancestor(h.id("T"), h.id("Z"))));
  EXPECT_TRUE(must(reader.is_ancestor(h.id("Z"), h.id("Z"))));
  EXPECT_FALSE(must(reader.is_ancestor(h.id("T"), h.id("K"))));
  EXPECT_EQ(must(reader.merge_base(h.id("T"), h.id("K"))), h.id("A"));
  EXPECT_EQ(reader.merge_base(h.id("Q"), h.id("K")).error().kind, ErrorKind::not_found);
  EXPECT_EQ(must(reader.first_parents({}, h.id("Z"))), (std::vector<Oid>{h.id("A"), h.id("K"), h.id("M"), h.id("Z")}));
  EXPECT_EQ(must(reader.first_parents(h.id("K"), h.id("Z"))), (std::vector<Oid>{h.id("M"), h.id("Z")}));
  EXPECT_EQ(must(reader.first_parents(h.id("T"), h.id("Z"))), (std::vector<Oid>{h.id("K"), h.id("M"), h.id("Z")}))
      << "T came in through the second parent; A is its ancestor";
  EXPECT_EQ(must(reader.log(h.id("Z"), h.id("K"), 100)).size(), 3u);
  EXPECT_EQ(must(reader.log(h.id("Z"), {}, 2)), (std::vector<Oid>{h.id("Z"), h.id("M")}));
}

TEST(Reader, BlamesLinesThroughGit) {
  const History h("repo up\nbase40 'a file'\ncommit A 'the first'\nline 'a file' 10 x\ncommit C 'the second'");
  const auto reader = must(Reader::open(h.path("up")));
  const auto lines = must(reader.blame(h.id("C"), "a file", 9, 3));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].commit, h.id("A"));
  EXPECT_EQ(lines[1].commit, h.id("C"));
  EXPECT_EQ(lines[1].subject, "the second");
  EXPECT_EQ(lines[2].subject, "the first");
  EXPECT_EQ(lines[2].line, 11u);
  EXPECT_EQ(reader.blame(h.id("C"), "nowhere", 1, 1).error().kind, ErrorKind::not_found);
  EXPECT_EQ(reader.blame(h.id("C"), "a file", 100, 1).error().kind, ErrorKind::invalid);
}

TEST(Reader, BlamesSeveralLinesInOneWalk) {
  const History h("repo up\nbase40 'a file'\ncommit A 'the first'\nline 'a file' 10 x\ncommit C 'the second'");
  const auto reader = must(Reader::open(h.path("up")));
  const auto lines = must(reader.blame_ranges(h.id("C"), "a file", {{30, 2}, {10, 1}, {12, 1}}));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].line, 10u);
  EXPECT_EQ(lines[0].commit, h.id("C"));
  EXPECT_EQ(lines[1].line, 12u);
  EXPECT_EQ(lines[3].line, 31u);
  EXPECT_EQ(lines[3].commit, h.id("A"));
  EXPECT_TRUE(must(reader.blame_ranges(h.id("C"), "a file", {})).empty());
  EXPECT_EQ(reader.blame_ranges(h.id("C"), "a file", {{0, 1}}).error().kind, ErrorKind::invalid);
}

TEST(Reader, NamesWhatIsAbsent) {
  const History h("repo up\nput f '1\\n'\ncommit A a");
  const auto reader = must(Reader::open(h.path("up")));
  const Oid nowhere(40, '7');
  const auto absent = reader.commit(nowhere);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().kind, ErrorKind::not_found);
  EXPECT_TRUE(absent.error().message.starts_with("object_missing: " + nowhere));
  EXPECT_EQ(reader.commit("abc").error().kind, ErrorKind::invalid);
  EXPECT_EQ(reader.commit(h.tree("A")).error().kind, ErrorKind::invalid);
  EXPECT_EQ(reader.blob(must(reader.entry(h.tree("A"), "f"))->oid, 1).error().kind, ErrorKind::invalid) << "larger than asked for";
  EXPECT_FALSE(reader.has(nowhere));
}

}  // namespace
}  // namespace sluice::git::testing
