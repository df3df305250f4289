// SPDX-License-Identifier: Apache-2.0
// Fetch and push against bare repositories by path, and what is refused.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/file.h"
#include "git/remote.h"
#include "test/git/support.h"

namespace sluice::git::testing {
namespace {

namespace fs = std::filesystem;
using Kind = PushOutcome::Kind;

const char* const script = R"(
  repo up
    base40 f                    ; commit B base
    line f 10 'line 10 A'       ; commit A first
    line f 20 'line 20 C'       ; commit C second
  push_bare up
)";

struct Store {
  Store() : dir(must(core::TempDir::create("store-"))), repo(must(Repo::open(dir.path() + "/repo.git"))) {}
  core::TempDir dir;
  Repo repo;
};

std::size_t leftovers(const Store& store) {
  std::size_t n = 0;
  for (const auto& entry : fs::directory_iterator(store.repo.git_dir()))
    n += entry.path().filename().string().starts_with("incoming-") ? 1u : 0u;
  return n;
}

TEST(Fetch, BringsABranchIntoALocalRef) {
  const History h(script);
  Store store;
  const auto got = must(store.repo.fetch(h.path("up.git"), "main", "refs/sluice/upstream", {}, nullptr));
  EXPECT_EQ(got.tip, h.id("C"));
  EXPECT_FALSE(got.shared);
  EXPECT_EQ(must(store.repo.ref("refs/sluice/upstream")), h.id("C"));
  EXPECT_EQ(must(store.repo.reader().commit(h.id("A"))).message, "first\n");
  EXPECT_EQ(leftovers(store), 0u);
  // Again, and as a URL: nothing new, same answer.
  EXPECT_EQ(must(store.repo.fetch("file://" + h.path("up.git"), "main", "refs/sluice/upstream", {}, nullptr)).tip, h.id("C"));
  EXPECT_EQ(must(store.repo.remote_tip(h.path("up.git"), "main")), h.id("C"));
}

TEST(Fetch, TakesACommitIdInPlaceOfABranch) {
  const History h(script);
  Store store;
  EXPECT_EQ(must(store.repo.fetch(h.path("up"), h.id("A"), "refs/sluice/pinned", {}, nullptr)).tip, h.id("A"));
  EXPECT_FALSE(store.repo.reader().has(h.id("C")));
  EXPECT_EQ(must(store.repo.remote_tip(h.path("up"), h.id("A"))), h.id("A"));
}

TEST(Fetch, IsSeenByAReaderThatWasOpenBefore) {
  const History h(script);
  Store store;
  const auto reader = must(Reader::open(store.repo.git_dir()));
  EXPECT_FALSE(reader.has(h.id("C")));
  must(store.repo.fetch(h.path("up"), "main", "refs/sluice/upstream", {}, nullptr));
  EXPECT_TRUE(reader.has(h.id("C")));
}

TEST(Fetch, NamesTheRepositoryAndTheBranchThatAreAbsent) {
  const History h(script);
  Store store;
  const auto branch = store.repo.fetch(h.path("up.git"), "mian", "refs/sluice/upstream", {}, nullptr);
  ASSERT_FALSE(branch.ok());
  EXPECT_EQ(branch.error().kind, ErrorKind::not_found);
  EXPECT_NE(branch.error().message.find("mian"), std::string::npos) << branch.error().message;
  EXPECT_NE(branch.error().message.find("up.git"), std::string::npos) << branch.error().message;
  EXPECT_EQ(store.repo.remote_tip(h.path("up.git"), "mian").error().kind, ErrorKind::not_found);
  EXPECT_EQ(store.repo.fetch(h.path("nowhere"), "main", "refs/x/y", {}, nullptr).error().kind, ErrorKind::not_found);
  EXPECT_EQ(store.repo.fetch(h.root() + "/.verbs", "main", "refs/x/y", {}, nullptr).error().kind, ErrorKind::not_found);
  EXPECT_EQ(store.repo.fetch(h.path("up"), Oid(40, '7'), "refs/x/y", {}, nullptr).error().kind, ErrorKind::not_found);
  EXPECT_EQ(store.repo.fetch(h.path("up"), "..", "refs/x/y", {}, nullptr).error().kind, ErrorKind::invalid);
  EXPECT_EQ(leftovers(store), 0u);
}

TEST(Fetch, RefusesProtocolsOptionsAndCredentials) {
  const struct {
    const char* url;
    ErrorKind kind;
  } rows[] = {{"http://example.com/x", ErrorKind::denied},        {"git://example.com/x", ErrorKind::denied},
              {"ext::sh -c touch% /tmp/x", ErrorKind::denied},    {"fd::3", ErrorKind::denied},
              {"-uhelp", ErrorKind::invalid},                     {"", ErrorKind::invalid},
              {"https://u:secret@example.com/x", ErrorKind::invalid}, {"https://token@example.com/x", ErrorKind::invalid},
              {"https://exa\nmple.com/x", ErrorKind::invalid}};
  for (const auto& row : rows) {
    const auto parsed = parse_remote(row.url);
    ASSERT_FALSE(parsed.ok()) << row.url;
    EXPECT_EQ(parsed.error().kind, row.kind) << row.url << ": " << parsed.error().message;
    EXPECT_EQ(parsed.error().message.find("secret"), std::string::npos);
    EXPECT_EQ(parsed.error().message.find("token"), std::string::npos);
  }
  for (const char* url : {"https://example.com/o/r.git", "ssh://git@example.com/o/r", "git@example.com:o/r.git"}) {
    const auto parsed = parse_remote(url);
    ASSERT_TRUE(parsed.ok()) << url;
    EXPECT_EQ(parsed->shown.find('@'), std::string::npos) << parsed->shown;
    EXPECT_FALSE(parsed->directory.has_value());
  }
}

TEST(Fetch, KeepsOutWhatExceedsALimit) {
  const History h("repo up\nput a/b/c/d/e/f '1\\n'\nhead -c 300000 /dev/urandom > big\ncommit B base");
  const auto refused = [&](const FetchLimits& limits) {
    Store store;
    const auto got = store.repo.fetch(h.path("up"), "main", "refs/sluice/upstream", limits, nullptr);
    EXPECT_FALSE(store.repo.reader().has(h.id("B")));
    EXPECT_EQ(leftovers(store), 0u);
    return got.ok() ? std::string("fetched") : std::string(core::to_string(got.error().kind)) + ": " + got.error().message;
  };
  FetchLimits limits;
  limits.tree_depth = 4;
  EXPECT_TRUE(refused(limits).starts_with("invalid: a fetched tree is"));
  limits = {};
  limits.path_bytes = 8;
  EXPECT_TRUE(refused(limits).starts_with("invalid: a fetched tree holds a path of")) << refused(limits);
  limits = {};
  limits.objects = 3;
  EXPECT_TRUE(refused(limits).starts_with("invalid: the fetched pack holds"));
  limits = {};
  limits.pack_bytes = 100'000;
  EXPECT_TRUE(refused(limits).starts_with("invalid: the pack of branch main")) << refused(limits);
}

TEST(Fetch, KeepsOutATreeThatWouldLeaveTheWorkTree) {
  History h("repo up\nput f '1\\n'\ncommit B base");
  h.run("at up\nb=$(git rev-parse HEAD:f)\n"
        "t=$(printf \"100644 ..\\0$(echo $b | sed 's/../\\\\x&/g')\" | git hash-object -t tree -w --literally --stdin)\n"
        "c=$(git commit-tree $t -p HEAD -m evil)\ngit branch evil $c");
  Store store;
  const auto got = store.repo.fetch(h.path("up"), "evil", "refs/sluice/upstream", {}, nullptr);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().kind, ErrorKind::invalid) << got.error().message;
}

TEST(Fetch, TakesOldHistoriesWithHarmlessFaults) {
  History h("repo up\nput f '1\\n'\ncommit B base");
  h.run("at up\nc=$({ echo tree $(git rev-parse HEAD^{tree}); echo parent $(git rev-parse HEAD); "
        "echo 'author A<a@b> 1000 +051800'; echo 'committer A <a@b> 1000 +051800'; echo; echo old; } | "
        "git hash-object -t commit -w --literally --stdin)\ngit branch old $c");
  Store store;
  const auto got = store.repo.fetch(h.path("up"), "old", "refs/sluice/upstream", {}, nullptr);
  EXPECT_TRUE(got.ok()) << got.error().message;
}

TEST(Fetch, ReadsALocalRepositoryInPlaceWhenItLacksObjects) {
  History h("repo up\nput big 'b\\n'\nbase40 f\ncommit B base\nline f 1 x\ncommit A a");
  const Oid blob = h.git("up", {"rev-parse", h.id("B") + ":big"});
  h.run("at up\nput big 'other\\n'\ncommit C c");
  fs::remove(h.path("up") + "/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2));
  Store store;
  const auto reader = must(Reader::open(store.repo.git_dir()));
  EXPECT_FALSE(reader.has(h.id("C")));
  const auto got = must(store.repo.fetch(h.path("up"), "main", "refs/sluice/upstream", {}, nullptr));
  EXPECT_TRUE(got.shared);
  EXPECT_EQ(got.tip, h.id("C"));
  EXPECT_NE(got.note.find("read in place"), std::string::npos);
  EXPECT_TRUE(store.repo.reader().has(h.id("A")));
  EXPECT_TRUE(reader.has(h.id("A"))) << "a reader that was open before";
  EXPECT_EQ(must(store.repo.reader().missing_paths(h.tree("B"))), std::vector<std::string>{"big"});
  EXPECT_EQ(store.repo.reader().blob(blob).error().kind, ErrorKind::not_found);
  h.run("at up\nline f 2 y\ncommit D d");
  const auto again = must(store.repo.fetch(h.path("up"), "main", "refs/sluice/upstream", {}, nullptr));
  EXPECT_EQ(again.tip, h.id("D"));
  EXPECT_TRUE(again.shared);
}

TEST(Fetch, TakesRealSnapshotsThatLackLargeBlobs) {
  const char* given = std::getenv("SLUICE_TEST_SNAPSHOT");
  const std::string snapshot = given == nullptr ? "" : given;
  if (snapshot.empty()) GTEST_SKIP() << "SLUICE_TEST_SNAPSHOT names no repository that lacks objects";
  Store store;
  const auto got = must(store.repo.fetch(snapshot, "main", "refs/sluice/fork", {}, nullptr));
  EXPECT_TRUE(got.shared) << got.note;
  EXPECT_FALSE(must(store.repo.reader().missing_paths(must(store.repo.reader().tree_of(got.tip)))).empty());
}

class Push : public ::testing::Test {
 protected:
  Push() : h(script) {
    must(store.repo.fetch(h.path("up.git"), "main", "refs/sluice/trunk", {}, nullptr));
  }
  Oid child_of(const Oid& parent, const std::string& text) {
    const Oid blob = must(store.repo.write_blob(text));
    const Oid tree = must(store.repo.write_tree(h.tree("C"), {{"landed", TreeEntry{0100644, blob}}}));
    const model::Person me{"Sluice", "s@example.com", 1767571200, 0};
    return must(store.repo.write_commit({tree, {parent}, me, me, text}));
  }
  std::string trunk() { return h.git("up.git", {"rev-parse", "main"}); }
  PushOutcome push(const Oid& commit, const Oid& old) {
    return must(store.repo.push(h.path("up.git"), commit, "refs/heads/main", old));
  }
  History h;
  Store store;
};

TEST_F(Push, MovesTheTrunkAndSaysSoWhenRepeated) {
  const Oid next = child_of(h.id("C"), "landed\n");
  EXPECT_EQ(push(next, h.id("C")).kind, Kind::landed);
  EXPECT_EQ(trunk(), next);
  EXPECT_EQ(push(next, h.id("C")).kind, Kind::landed) << "after a lost reply the same push must not look like a race";
}

TEST_F(Push, SaysMovedWhenTheTrunkWentOn) {
  h.run("at up\nline f 30 other\ncommit E 'by a person'\npush_bare up");
  const auto out = push(child_of(h.id("C"), "landed\n"), h.id("C"));
  EXPECT_EQ(out.kind, Kind::moved) << out.detail;
  EXPECT_EQ(trunk(), h.id("E"));
}

TEST_F(Push, SaysMovedWhenTheTrunkWasRewound) {
  h.run("at up\nrewind 1\npush_bare up");
  const auto out = push(child_of(h.id("C"), "landed\n"), h.id("C"));
  EXPECT_EQ(out.kind, Kind::moved) << out.detail;
  EXPECT_EQ(trunk(), h.id("A"));
}

TEST_F(Push, RefusesToRewindTheTrunkItself) {
  const auto out = store.repo.push(h.path("up.git"), child_of(h.id("A"), "x\n"), "refs/heads/main", h.id("C"));
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().kind, ErrorKind::conflict);
  EXPECT_EQ(trunk(), h.id("C"));
}

TEST_F(Push, SaysRejectedWhenAHookDeclines) {
  for (const char* hook : {"pre-receive", "update"}) {
    const std::string file = h.path("up.git") + "/hooks/" + hook;
    fs::create_directories(h.path("up.git") + "/hooks");
    std::ofstream(file) << "#!/bin/sh\necho 'protected by policy' >&2\nexit 1\n";
    fs::permissions(file, fs::perms::owner_all);
    const auto out = push(child_of(h.id("C"), "landed\n"), h.id("C"));
    EXPECT_EQ(out.kind, Kind::rejected) << hook << out.detail;
    EXPECT_NE(out.detail.find("declined"), std::string::npos) << out.detail;
    EXPECT_NE(out.detail.find("protected by policy"), std::string::npos) << out.detail;
    fs::remove(file);
  }
  EXPECT_EQ(trunk(), h.id("C"));
}

TEST_F(Push, SaysLostWhenNobodyAnswers) {
  // Nothing listens on port 1; ssh fails at once.
  const auto out = must(store.repo.push("ssh://127.0.0.1:1/x", child_of(h.id("C"), "landed\n"), "refs/heads/main", h.id("C")));
  EXPECT_EQ(out.kind, Kind::lost) << out.detail;
}

TEST_F(Push, CreatesABranchOnlyWhenItIsNotThere) {
  const Oid next = child_of(h.id("C"), "landed\n");
  EXPECT_EQ(must(store.repo.push(h.path("up.git"), next, "refs/heads/sluice/u1", {})).kind, Kind::landed);
  const Oid another = child_of(h.id("C"), "another\n");
  EXPECT_EQ(must(store.repo.push(h.path("up.git"), another, "refs/heads/sluice/u1", {})).kind, Kind::moved);
  EXPECT_EQ(h.git("up.git", {"rev-parse", "sluice/u1"}), next);
}

}  // namespace
}  // namespace sluice::git::testing
