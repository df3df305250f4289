// SPDX-License-Identifier: Apache-2.0
// The picker beside the verdicts: the dialogue with git, trouble in the middle of it, policy, the
// reverse pick, and what the machine's configuration may not change.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "git/conflicts.h"
#include "git/merge_process.h"
#include "test/git/support.h"

namespace sluice::git::testing {
namespace {

namespace fs = std::filesystem;

const char* const plain = R"(
  repo up
    base40 f ; put other '1\n'                ; commit B base
  fork up down
    put z '1\n'                                ; commit D fork
  at up
    line f 10 'line 10 A'                      ; commit A 'first'
    line f 10 'line 10 A then B'               ; commit C 'second'
    put g '1\n'                                ; commit G 'a file'
)";

// Removes a loose object from the work tree repository `name`.
void lose_object(const History& h, const std::string& name, const std::string& oid) {
  const std::string file = h.path(name) + "/.git/objects/" + oid.substr(0, 2) + "/" + oid.substr(2);
  fs::remove(file);
  ASSERT_FALSE(fs::exists(file));
}

TEST(Picker, AnswersAHundredCleanMergesEachBeforeTheNextIsSent) {
  const History h("repo up\nbase40 f\ncommit B base\nfork up down\nput z '1\\n'\ncommit D d\nat up\n"
                  "for i in $(seq 1 100); do put new/$i \"$i\\n\"; commit u$i \"add $i\"; done");
  Bench bench(h, {"up", "down"});
  Oid onto = h.tree("D");
  for (int i = 1; i <= 100; ++i) {
    const auto pick = bench.picker.pick(h.id("u" + std::to_string(i)), onto);
    ASSERT_EQ(to_string(pick.status), "clean") << i << ": " << pick.detail;
    onto = pick.tree;
  }
  EXPECT_EQ(bench.content(onto, "new/100"), "100\n");
  EXPECT_EQ(bench.content(onto, "z"), "1\n");
}

TEST(Picker, ARestartOfGitChangesNoAnswer) {
  const History h(plain);
  Bench bench(h, {"up", "down"});
  const auto first = bench.picker.pick(h.id("C"), h.tree("D"));
  ASSERT_EQ(first.status, PickStatus::conflict);
  for (int i = 0; i < 600; ++i) {  // more than two processes' worth
    const auto again = bench.picker.pick(h.id("C"), h.tree("D"));
    ASSERT_EQ(again.tree, first.tree) << i << again.detail;
  }
  Bench other(h, {"down", "up"});
  EXPECT_EQ(other.picker.pick(h.id("C"), h.tree("D")).tree, first.tree) << "the conflicted tree is part of the recipe";
}

TEST(Picker, TheConflictedTreeCarriesDiff3MarkersOf31Characters) {
  const History h(plain);
  Bench bench(h, {"up", "down"});
  const auto pick = bench.picker.pick(h.id("C"), h.tree("D"));
  ASSERT_EQ(pick.conflicts.size(), 1u);
  EXPECT_EQ(pick.conflicts[0].regions, 1);
  const auto cut = must(cut_regions("f", bench.content(pick.tree, "f")));
  ASSERT_EQ(cut.regions.size(), 1u);
  EXPECT_EQ(cut.regions[0].base, "line 10 A\n");
  EXPECT_EQ(cut.regions[0].ours, "line 10\n");
  EXPECT_EQ(cut.regions[0].theirs, "line 10 A then B\n");
}

TEST(Picker, ABadObjectInTheMiddleLeavesTheOtherPicksUnharmed) {
  const History h(plain);
  Bench bench(h, {"up", "down"});
  const Oid nowhere(40, '7');
  EXPECT_EQ(bench.picker.pick(h.id("A"), h.tree("D")).status, PickStatus::clean);
  const auto bad = bench.picker.pick(nowhere, h.tree("D"));
  EXPECT_EQ(bad.status, PickStatus::error);
  EXPECT_EQ(bad.cause, "object_missing");
  EXPECT_NE(bad.detail.find(nowhere), std::string::npos) << bad.detail;
  EXPECT_EQ(bench.picker.pick("not an id", h.tree("D")).cause, "git");
  EXPECT_EQ(bench.picker.pick(h.id("G"), nowhere).cause, "object_missing");
  EXPECT_EQ(bench.picker.pick(h.id("G"), h.tree("D")).status, PickStatus::clean);
}

TEST(Picker, ABlobThatGitCannotReadIsNamedAndEndsOnlyThatPick) {
  History h(plain);
  h.run("at up\nbase40 gone\nline gone 3 x\ncommit P 'add a file'\nline gone 20 y\ncommit Q 'edit it'\n"
        "at down\nbase40 gone\nline gone 3 z\ncommit E 'the fork has it too'");
  const Oid blob = h.git("up", {"rev-parse", h.id("P") + ":gone"});
  lose_object(h, "up", blob);
  Bench bench(h, {"up", "down"});
  const auto bad = bench.picker.pick(h.id("Q"), h.tree("E"));
  EXPECT_EQ(bad.status, PickStatus::error);
  EXPECT_EQ(bad.cause, "object_missing");
  EXPECT_NE(bad.detail.find(blob), std::string::npos) << bad.detail;
  EXPECT_EQ(bench.picker.pick(h.id("A"), h.tree("E")).status, PickStatus::clean);
}

TEST(Picker, APathMissingByPolicyIsLeftOutAndTheForksEntryPutBack) {
  // Rename detection reads the lost file because the fork deleted another one: without policy it fails.
  History h("repo up\nbase40 docs/big.pdf\nput moved 'a\\nb\\nc\\nd\\ne\\n'\nbase40 f\ncommit B base\n"
            "fork up down\ndrop moved\nput z '1\\n'\ncommit D fork\n"
            "at up\nline f 3 up\nmove docs/big.pdf docs/other.pdf\nput docs/big.pdf 'x\\n'\ncommit M 'changes it'\n"
            "rewind 1\nline f 10 'line 10 A'\nput moved 'a\\nb\\nc\\nd\\ne\\nf\\n'\nput new 'a\\nb\\nc\\nd\\ne\\ng\\n'\ncommit A a");
  const Oid blob = h.git("up", {"rev-parse", h.id("B") + ":docs/big.pdf"});
  lose_object(h, "up", blob);
  fs::remove(h.path("down") + "/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2));
  auto drop = path_config("*.pdf");
  drop.missing = model::MissingSay::drop;
  Bench bench(h, {"up", "down"}, {drop});
  ASSERT_FALSE(bench.repo.reader().has(blob));
  const auto pick = bench.picker.pick(h.id("A"), h.tree("D"));
  EXPECT_EQ(pick.status, PickStatus::conflict) << pick.detail;  // modify/delete of `moved`
  ASSERT_EQ(pick.dropped.size(), 1u);
  EXPECT_EQ(pick.dropped[0].path, "docs/big.pdf");
  EXPECT_EQ(pick.dropped[0].policy, "*.pdf");
  EXPECT_EQ(pick.dropped[0].why, "missing");
  EXPECT_EQ(must(bench.repo.reader().entry(pick.tree, "docs/big.pdf")).value().oid, blob);
  EXPECT_EQ(bench.content(pick.tree, "z"), "1\n");

  const auto changed = bench.picker.pick(h.id("M"), h.tree("D"));
  EXPECT_EQ(changed.status, PickStatus::error);
  EXPECT_EQ(changed.cause, "object_missing");
  EXPECT_NE(changed.detail.find("docs/big.pdf"), std::string::npos) << changed.detail;
}

TEST(Picker, PathsThatTheForkDeletedByPolicyStayAway) {
  const History h("repo up\nbase40 .github/ci.yml\nput f '1\\n'\ncommit B base\nfork up down\ndrop .github\ncommit D fork\n"
                  "at up\nline .github/ci.yml 10 x\ncommit X 'ci only'\n"
                  "line .github/ci.yml 20 y\nput f '2\\n'\nput .github/new.yml 'n\\n'\ncommit Y 'ci and code'");
  auto deleted = path_config(".github/**");
  deleted.klass = model::PathClass::deleted;
  Bench bench(h, {"up", "down"}, {deleted});
  const auto only = bench.picker.pick(h.id("X"), h.tree("D"));
  EXPECT_EQ(only.status, PickStatus::empty);
  EXPECT_EQ(only.tree, h.tree("D"));
  ASSERT_EQ(only.dropped.size(), 1u);
  EXPECT_EQ(only.dropped[0].why, "deleted");
  EXPECT_TRUE(only.conflicts.empty());

  const auto both = bench.picker.pick(h.id("Y"), h.tree("D"));
  EXPECT_EQ(both.status, PickStatus::clean);
  EXPECT_EQ(bench.content(both.tree, "f"), "2\n");
  EXPECT_FALSE(bench.has(both.tree, ".github"));
  EXPECT_EQ(both.dropped.size(), 2u);

  Bench without(h, {"up", "down"});
  EXPECT_EQ(without.picker.pick(h.id("X"), h.tree("D")).status, PickStatus::conflict);
}

TEST(Picker, PathsThatTheForkKeepsAreAsTheForkHasThem) {
  const History h("repo up\nput LICENSE 'a\\n'\nbase40 f\ncommit B base\nfork up down\nput LICENSE 'fork\\n'\ncommit D fork\n"
                  "at up\nput LICENSE 'b\\n'\nline f 10 x\ncommit X both\nput LICENSE 'c\\n'\ncommit Y licence");
  auto ours = path_config("LICENSE");
  ours.upstream = model::UpstreamSay::ours;
  Bench bench(h, {"up", "down"}, {ours});
  const auto both = bench.picker.pick(h.id("X"), h.tree("D"));
  EXPECT_EQ(both.status, PickStatus::clean);
  EXPECT_EQ(bench.content(both.tree, "LICENSE"), "fork\n");
  ASSERT_EQ(both.dropped.size(), 1u);
  EXPECT_EQ(both.dropped[0].why, "ours");
  EXPECT_EQ(bench.picker.pick(h.id("Y"), h.tree("D")).status, PickStatus::empty);
}

TEST(Picker, AConflictOutsidePolicyStaysAConflict) {
  const History h("repo up\nput LICENSE 'a\\n'\nbase40 f\ncommit B base\nfork up down\nput LICENSE 'fork\\n'\nline f 10 d\n"
                  "commit D fork\nat up\nput LICENSE 'b\\n'\nline f 10 x\ncommit X both");
  auto ours = path_config("LICENSE");
  ours.upstream = model::UpstreamSay::ours;
  Bench bench(h, {"up", "down"}, {ours});
  const auto pick = bench.picker.pick(h.id("X"), h.tree("D"));
  EXPECT_EQ(kinds(pick), std::vector<std::string>{"f: contents"});
  EXPECT_EQ(bench.content(pick.tree, "LICENSE"), "fork\n");
}

TEST(Picker, ARootCommitIsPicked) {
  const History h("repo up\nput a '1\\n'\ncommit R root\nrepo down\nput z '1\\n'\ncommit D d");
  Bench bench(h, {"up", "down"});
  const auto pick = bench.picker.pick(h.id("R"), h.tree("D"));
  ASSERT_EQ(to_string(pick.status), "clean") << pick.detail;
  EXPECT_EQ(bench.content(pick.tree, "a"), "1\n");
  EXPECT_EQ(bench.content(pick.tree, "z"), "1\n");
  const auto undone = bench.picker.unpick(h.id("R"), pick.tree);
  EXPECT_EQ(undone.tree, h.tree("D")) << undone.detail;
}

TEST(Picker, AReversePickUndoesAPick) {
  const History h(plain);
  Bench bench(h, {"up", "down"});
  const auto pick = bench.picker.pick(h.id("A"), h.tree("D"));
  const auto undone = bench.picker.unpick(h.id("A"), pick.tree);
  EXPECT_EQ(to_string(undone.status), "clean") << undone.detail;
  EXPECT_EQ(undone.tree, h.tree("D"));
  EXPECT_EQ(bench.picker.unpick(h.id("A"), h.tree("D")).status, PickStatus::empty);
}

TEST(Picker, TheOwnMergeOfGitIsToldFromAnEvilOne) {
  const History h("repo up\nput f '1\\n'\ncommit B base\nbranch topic\nput h '1\\n'\ncommit T topic\non main\nput k '1\\n'\n"
                  "commit K k\nmerge_branch M topic\n"
                  "branch other K\ngit merge -q --no-ff --no-commit topic\nput f '2\\n'\ncommit E evil");
  Bench bench(h, {"up"});
  EXPECT_TRUE(must(bench.picker.is_own_merge(h.id("M"))));
  EXPECT_TRUE(must(bench.picker.is_own_merge(h.id("K"))));
  EXPECT_FALSE(must(bench.picker.is_own_merge(h.id("E"))));
}

TEST(Picker, AnOpenPickerSeesObjectsWrittenLater) {
  const History h(plain);
  Bench bench(h, {"up", "down"});
  ASSERT_EQ(bench.picker.pick(h.id("A"), h.tree("D")).status, PickStatus::clean);
  const Oid blob = must(bench.repo.write_blob("new\n"));
  const Oid tree = must(bench.repo.write_tree(h.tree("D"), {{"late", TreeEntry{0100644, blob}}}));
  const auto pick = bench.picker.pick(h.id("A"), tree);
  EXPECT_EQ(to_string(pick.status), "clean") << pick.detail;
  EXPECT_EQ(bench.content(pick.tree, "late"), "new\n");
}

// Everything a person's or a machine's configuration could do to a merge, at once.
class HostileConfiguration : public ::testing::Test {
 protected:
  void attack() {
    dir_.emplace(must(core::TempDir::create("hostile-")));
    const std::string home = dir_->path();
    const std::string marker = home + "/ran";
    fs::create_directories(home + "/.config/git");
    fs::create_directories(home + "/hooks");
    const std::string program = home + "/program";
    std::ofstream(program) << "#!/bin/sh\necho $0 >> " << marker << "\nexit 0\n";
    for (const char* hook : {"pre-push", "post-checkout", "reference-transaction"})
      std::ofstream(home + "/hooks/" + hook) << "#!/bin/sh\necho hook >> " << marker << "\n";
    for (const auto& file : {program, home + "/hooks/pre-push", home + "/hooks/reference-transaction"})
      fs::permissions(file, fs::perms::owner_all);
    std::ofstream(home + "/.gitconfig") << "[core]\n\thooksPath = " << home << "/hooks\n\tfsmonitor = " << program
                                        << "\n\tattributesFile = " << home << "/attributes\n\tabbrev = 7\n[merge]\n"
                                        << "\tconflictStyle = merge\n\tdirectoryRenames = true\n\trenames = false\n"
                                        << "[merge \"evil\"]\n\tdriver = " << program << " %A\n[diff]\n\texternal = "
                                        << program << "\n\tnoprefix = true\n";
    std::ofstream(home + "/attributes") << "* merge=union\n";
    std::ofstream(home + "/.config/git/attributes") << "* merge=evil\n";
    std::ofstream(home + "/.config/git/config") << "[log]\n\tshowSignature = true\n";
    set("HOME", home);
    set("XDG_CONFIG_HOME", home + "/.config");
    set("GIT_EXTERNAL_DIFF", program);
    set("GIT_CONFIG_COUNT", "1");
    set("GIT_CONFIG_KEY_0", "merge.conflictStyle");
    set("GIT_CONFIG_VALUE_0", "zdiff3");
    set("GIT_DIR", home + "/nowhere");
    set("GIT_OBJECT_DIRECTORY", home + "/nowhere");
    marker_ = marker;
  }
  void TearDown() override {
    for (const auto& [name, old] : saved_) {
      if (old) ::setenv(name.c_str(), old->c_str(), 1);
      else ::unsetenv(name.c_str());
    }
  }
  void set(const std::string& name, const std::string& value) {
    const char* old = std::getenv(name.c_str());
    saved_.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  std::string marker_;

 private:
  std::optional<core::TempDir> dir_;
  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

TEST_F(HostileConfiguration, ChangesNoPickNoDiffAndRunsNothing) {
  const History h(plain);
  const Oid before = Bench(h, {"up", "down"}).picker.pick(h.id("C"), h.tree("D")).tree;
  attack();
  Bench bench(h, {"up", "down"});
  const auto pick = bench.picker.pick(h.id("C"), h.tree("D"));
  ASSERT_EQ(to_string(pick.status), "conflict") << pick.detail;
  EXPECT_EQ(pick.tree, before);
  EXPECT_EQ(pick.conflicts[0].regions, 1);
  std::size_t commits = 0;
  must(stream_changes(bench.repo, h.id("B"), h.id("G"), [&](StreamedCommit&& commit) -> Result<void> {
    commits += commit.files.size() == 1 && commit.files[0].change.hunks.size() == 1 ? 1u : 0u;
    return {};
  }));
  EXPECT_EQ(commits, 3u);
  EXPECT_FALSE(must(bench.repo.reader().blame(h.id("C"), "f", 10, 1)).empty());
  EXPECT_FALSE(fs::exists(marker_));
}

TEST(MergeProcess, ReadsAnAnswerOnlyWhenItIsWhole) {
  const Oid tree(40, 'a');
  const auto nul = [](std::string text) {
    std::replace(text.begin(), text.end(), '@', '\0');
    return text;
  };
  const std::string whole = nul("0@" + tree + "@100644 " + tree + " 2\tdir/f@@2@dir/f@g@CONFLICT (contents)@text\n@@");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    std::string_view part(whole.data(), n);
    EXPECT_FALSE(must(take_answer(part)).has_value()) << n;
  }
  std::string_view all = whole;
  const auto answer = must(take_answer(all)).value();
  EXPECT_TRUE(all.empty());
  EXPECT_FALSE(answer.clean);
  EXPECT_EQ(answer.stages.at(0).path, "dir/f");
  EXPECT_EQ(answer.messages.at(0).paths.size(), 2u);
  for (const char* bad : {"2@", "1@tree@@", "0@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@garbage@"}) {
    const std::string bytes = nul(bad);
    std::string_view view = bytes;
    EXPECT_FALSE(take_answer(view).ok()) << bad;
  }
}

TEST(Conflicts, AFileNamedLikeALabelKeepsItsName) {
  const std::string label(40, 'b');
  MergeAnswer answer;
  for (const char* before : {"f~", "~", "dir/~"}) answer.stages.push_back({2, 0100644, Oid(40, 'a'), before + label});
  std::vector<std::string> paths;
  for (const auto& conflict : conflicts_of(answer, {label})) paths.push_back(conflict.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"f", "~" + label, "dir/~" + label}));
}

}  // namespace
}  // namespace sluice::git::testing
