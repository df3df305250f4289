// SPDX-License-Identifier: Apache-2.0
// Group A and B on one pick: G02, G10, G12, G13, G15, G20, modes of rules, filters.
#include <fmt/format.h>

#include <set>

#include "test/guardrails/support.h"

namespace sluice::guardrails::testing {
namespace {

constexpr const char* clean = R"(
  repo up; base40 f.cpp; put g.txt "one\ntwo\n"; put .github/workflows/ci.yml "on: push\n"
    put cmake/llvm-hash.txt "aaaa\n"; put bin.sh "x\n"; commit B "b"
  fork up down; line f.cpp 3 "line 3 of the fork"; commit D "d"
  at up; line f.cpp 30 "line 30 of upstream"; commit U "u"
)";
constexpr const char* conflicted = R"(
  repo up; base40 f.cpp; put g.txt "one\ntwo\n"; put .github/workflows/ci.yml "on: push\n"
    put cmake/llvm-hash.txt "aaaa\n"; commit B "b"
  fork up down; line f.cpp 10 "line 10 of the fork"; put .github/workflows/ci.yml "on: fork\n"
    put cmake/llvm-hash.txt "bbbb\n"; commit D "d"
  at up; line f.cpp 10 "line 10 of upstream"; put .github/workflows/ci.yml "on: upstream\n"
    put cmake/llvm-hash.txt "cccc\n"; commit U "u"
)";

TEST(CleanPick, ThatEqualsTheMachineMergePasses) {
  Pick pick(clean);
  const model::Verdict verdict = pick.judge();
  EXPECT_EQ(verdict.judgement, Judgement::pass) << describe(verdict);
  EXPECT_EQ(verdict.mode, "pick");
  EXPECT_EQ(verdict.base, pick.history.id("D"));
}

TEST(CleanPick, WithAnyOneByteChangedIsCaughtAndThePathIsNamed) {
  Pick pick(clean);
  const PickFacts untouched = pick.facts;
  // Every path, several positions, several bytes: the property that the bundle lane rests on.
  for (const std::string path :
       {"f.cpp", "g.txt", ".github/workflows/ci.yml", "cmake/llvm-hash.txt", "bin.sh"}) {
    const std::string text = pick.text(untouched.merge_tree, path);
    for (const std::size_t at : {std::size_t{0}, text.size() / 2, text.size() - 1}) {
      for (const char byte : {'\0', '\n', 'Q', ' '}) {
        if (text[at] == byte) continue;
        pick.facts = untouched;
        std::string changed = text;
        changed[at] = byte;
        pick.put(path, changed);
        const model::RuleResult rule = pick.rule("G02");
        ASSERT_EQ(rule.judgement, Judgement::escalate) << path << " at " << at;
        ASSERT_EQ(rule.items.size(), 1u);
        EXPECT_EQ(rule.items[0].path, path);
      }
    }
  }
}

TEST(CleanPick, WithAModeChangedOrAFileLeftOutIsCaught) {
  Pick pick(clean);
  pick.put("g.txt", "one\ntwo\n", 0100755);
  EXPECT_EQ(texts(pick.rule("G02")), std::vector<std::string>{"g.txt: "});
  pick.facts.proposed_tree = pick.facts.merge_tree;
  pick.drop("g.txt");
  EXPECT_EQ(texts(pick.rule("G02")), std::vector<std::string>{"g.txt: "});
}

TEST(Paths, UpToThreeFilesOutsideTheConflictNeedAnExplanationAndFourAPerson) {
  Pick pick(conflicted);
  pick.put("f.cpp", "x\n");
  EXPECT_EQ(pick.of("G10"), Judgement::pass) << "a conflicted path is inside";
  for (int i = 1; i <= 4; ++i) {
    pick.put(fmt::format("new{}.cpp", i), "int x;\n");
    EXPECT_EQ(pick.of("G10"), i <= 3 ? Judgement::explain : Judgement::escalate) << i;
  }
  pick.policy.rules["G10"].thresholds["threshold"] = 4;
  EXPECT_EQ(pick.of("G10"), Judgement::explain);
}

TEST(Paths, DeclaredAsAdaptedGoToAPersonUnlessARenamingProvesEveryLine) {
  Pick pick(conflicted);
  pick.put("g.txt", "uno\ntwo\n");
  pick.account("adapt", "g.txt", "uno", "SIGNATURE");
  EXPECT_EQ(pick.of("G10"), Judgement::escalate);
  pick.facts.account.clear();
  pick.account("adapt", "g.txt", "uno", "API_RENAME", "one uno");
  const model::RuleResult proven = pick.rule("G10");
  EXPECT_EQ(proven.judgement, Judgement::pass);
  EXPECT_EQ(proven.items.at(0).lifted_by, "API_RENAME one uno");
  pick.facts.account[0].arg = "two uno";
  EXPECT_EQ(pick.of("G10"), Judgement::block) << "a false entry is worse than none";
}

TEST(ProtectedPaths, AreNotForTheProposal) {
  Pick pick(clean);
  pick.put(".github/workflows/ci.yml", "on: never\n");
  EXPECT_EQ(texts(pick.rule("G12")), std::vector<std::string>{".github/workflows/ci.yml: "});
  EXPECT_EQ(pick.of("G12"), Judgement::block);
  for (const char* path : {"test/lit.cfg.py", "a/lit.local.cfg", "conftest.py", "CLAUDE.md", ".gitattributes",
                           "x/.gitmodules", "test/CMakeLists.txt"}) {
    Pick other(clean);
    other.put(path, "x\n");
    EXPECT_EQ(other.of("G12"), Judgement::block) << path;
  }
  Pick plain(clean);
  plain.put("src/CMakeLists.txt", "x\n");
  EXPECT_EQ(plain.of("G12"), Judgement::pass);
  plain.policy.paths.push_back(path_config("src/**", model::PathClass::protected_));
  EXPECT_EQ(plain.of("G12"), Judgement::block);
}

TEST(ProtectedPaths, InConflictMayTakeASideButNothingElse) {
  Pick pick(conflicted);
  const std::string path = ".github/workflows/ci.yml";
  pick.put(path, "on: fork\n");
  EXPECT_EQ(pick.of("G12"), Judgement::pass);
  pick.put(path, "on: upstream\n");
  EXPECT_EQ(pick.of("G12"), Judgement::pass);
  pick.put(path, "on: fork\non: upstream\n");
  EXPECT_EQ(pick.of("G12"), Judgement::pass) << "both sides' own lines";
  pick.put(path, "on: never\n");
  EXPECT_EQ(pick.of("G12"), Judgement::block);
}

TEST(ProtectedPaths, ChangedByUpstreamAreListedAndThePolicyMayRaiseThem) {
  constexpr const char* script = R"(
    repo up; base40 f.cpp; put .github/ci.yml "1\n"; commit B "b"
    fork up down; line f.cpp 3 "fork"; commit D "d"
    at up; put .github/ci.yml "2\n"; commit U "u")";
  Pick pick(script);
  const model::RuleResult listed = pick.rule("G12");
  EXPECT_EQ(listed.judgement, Judgement::pass);
  ASSERT_EQ(listed.items.size(), 1u);
  EXPECT_EQ(listed.items[0].origin, "upstream");
  pick.policy.paths = {path_config(".github/**", model::PathClass::none, model::UpstreamSay::explain)};
  EXPECT_EQ(pick.of("G12"), Judgement::explain);
  pick.policy.paths = {path_config(".github/**", model::PathClass::none, model::UpstreamSay::block)};
  EXPECT_EQ(pick.of("G12"), Judgement::block);
  pick.policy.rules["G12"].mode = model::RuleMode::observe;
  EXPECT_EQ(pick.judge().judgement, Judgement::pass);
  EXPECT_EQ(pick.of("G12"), Judgement::block) << "observed: judged, listed, not counted";
  pick.policy.rules["G12"].mode = model::RuleMode::off;
  EXPECT_FALSE(pick.rule("G12").applicable);
}

TEST(Modes, ThatTheMachineMergeDoesNotHaveAreBlocked) {
  struct Row {
    const char* name;
    const char* path;
    std::string content;
    std::uint32_t mode;
    Judgement want;
  };
  const std::string mega(1u << 20, 'x');
  const Row rows[] = {
      {"a plain new file", "n.txt", "x\n", 0100644, Judgement::pass},
      {"a symbolic link", "n", "/etc/passwd", 0120000, Judgement::block},
      {"an executable bit on a known file", "bin.sh", "x\n", 0100755, Judgement::block},
      {"a binary file", "n.bin", std::string("a\0b", 3), 0100644, Judgement::block},
      {"exactly one megabyte", "n.txt", mega, 0100644, Judgement::pass},
      {"one byte more", "n.txt", mega + "x", 0100644, Judgement::block},
      {"a name that differs in case", "F.CPP", "x\n", 0100644, Judgement::block},
      {"a directory that differs in case", "CMake/x", "x\n", 0100644, Judgement::block},
      {"a decomposed name beside its composed one", "u\xCC\x88.txt", "x\n", 0100644, Judgement::pass},
  };
  for (const Row& row : rows) {
    Pick pick(clean);
    pick.put(row.path, row.content, row.mode);
    EXPECT_EQ(pick.of("G13"), row.want) << row.name;
  }
  Pick pick(clean);
  pick.link("sub", 0160000, pick.history.id("B"));
  EXPECT_EQ(pick.of("G13"), Judgement::block);
  EXPECT_EQ(pick.of("G15"), Judgement::block);
  Pick names(clean);
  names.put("\xC3\xBC.txt", "x\n");
  names.put("u\xCC\x88.txt", "x\n");
  EXPECT_EQ(names.of("G13"), Judgement::block) << "two spellings of one name";
}

TEST(Pins, AreTheMachineMergesOrOneOfTheSides) {
  Pick pick(clean);
  pick.put("cmake/llvm-hash.txt", "dddd\n");
  EXPECT_EQ(pick.of("G15"), Judgement::block);
  Pick conflict(conflicted);
  conflict.put("cmake/llvm-hash.txt", "cccc\n");
  EXPECT_EQ(conflict.of("G15"), Judgement::pass);
  conflict.put("cmake/llvm-hash.txt", "eeee\n");
  EXPECT_EQ(conflict.of("G15"), Judgement::block);
  conflict.put("versions.txt", "1\n");
  conflict.put("cmake/llvm-hash.txt", "bbbb\n");
  EXPECT_EQ(conflict.of("G15"), Judgement::pass);
  conflict.policy.paths.push_back(path_config("versions.txt", model::PathClass::pin));
  EXPECT_EQ(conflict.of("G15"), Judgement::block);
}

TEST(Markers, NewOnesOfBothSizesFailAndTheAuthorsOwnPass) {
  const std::string long_open(31, '<'), long_end(31, '>');
  const std::pair<std::string, Judgement> rows[] = {
      {"<<<<<<< ours", Judgement::block},   {"=======", Judgement::block},
      {">>>>>>> theirs", Judgement::block}, {"||||||| base", Judgement::block},
      {"=======\r", Judgement::block},      {long_open + " a", Judgement::block},
      {long_end, Judgement::block},         {"========", Judgement::pass},
      {"======", Judgement::pass},          {"======= x", Judgement::pass},
      {" =======", Judgement::pass},        {"<<<<<<<x", Judgement::pass},
  };
  for (const auto& [line, want] : rows) {
    Pick pick(conflicted);
    pick.put("f.cpp", "a\n" + line + "\nb\n");
    pick.put(".github/workflows/ci.yml", "on: fork\n");
    pick.put("cmake/llvm-hash.txt", "bbbb\n");
    EXPECT_EQ(pick.of("G20"), want) << line;
  }
  Pick raw(conflicted);  // the machine merge itself, committed with its markers
  EXPECT_EQ(raw.of("G20"), Judgement::block);
  Pick heading(R"(
    repo up; put doc.rst "Title\n=======\nx\n"; base40 f; commit B "b"
    fork up down; line f 3 "fork"; commit D "d"
    at up; put doc.rst "Title\n=======\nMore\n=======\nx\n"; commit U "u")");
  EXPECT_EQ(heading.of("G20"), Judgement::pass);
  Pick deleted(R"(
    repo up; put f "1\n2\n3\n"; put g "1\n"; commit B "b"
    fork up down; drop f; commit D "d"
    at up; put f "1\n2\n4\n"; commit U "u")");
  deleted.drop("f");
  deleted.put("g", "1\n<<<<<<< HEAD\n");
  EXPECT_EQ(deleted.of("G20"), Judgement::block) << "delete / modify leaves no unmerged entry behind";
}

TEST(Filters, RestrictRulesAndPaths) {
  Pick pick(clean);
  pick.put("g.txt", "changed\n");
  pick.put(".github/workflows/ci.yml", "changed\n");
  const model::Verdict only = pick.judge({"G10"});
  EXPECT_EQ(only.judgement, Judgement::explain);
  for (const model::RuleResult& rule : only.rules) EXPECT_EQ(rule.applicable, rule.id == "G10") << rule.id;
  const model::Verdict paths = pick.judge({"G12"}, {"*.txt"});
  EXPECT_EQ(paths.judgement, Judgement::pass);
}

TEST(SinglePickMode, ListsRulesThatNeedAUnitAsNotApplicable) {
  Pick pick(clean);
  const std::set<std::string> of_a_unit = {"G01", "G03", "G04", "G05", "G06", "G28", "G42", "G43",
                                           "G44", "G47", "G48", "G49", "G50", "G61", "G68"};
  for (const model::RuleResult& rule : pick.judge().rules) EXPECT_EQ(rule.applicable, !of_a_unit.contains(rule.id)) << rule.id;
  EXPECT_EQ(catalogue().size(), pick.judge().rules.size());
}

TEST(Trouble, InsideARuleIsUnresolvedAndNeverAPass) {
  Pick pick(clean);
  pick.facts.merge_tree = std::string(40, 'a');
  const model::Verdict verdict = pick.judge({"G02", "G20"});
  EXPECT_EQ(verdict.judgement, Judgement::unresolved) << describe(verdict);
}

}  // namespace
}  // namespace sluice::guardrails::testing
