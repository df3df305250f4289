// SPDX-License-Identifier: Apache-2.0
#include "ingest/history.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "test/support/history.h"

namespace sluice::ingest::testing {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

// Upstream `up` with u0..u5 behind the fork point, the fork `down`; scripts go on in `down`.
class Fork {
 public:
  Fork() {
    h.run(R"~(
      repo up ; base40 f ; base40 g ; base40 h ; commit B0 'Start the tile (#3)' ; line h 40 'old' ; commit B 'Touch the last line (#4)'
      fork up down ; put z '1\n' ; commit D 'fork: a file'
      at up
      line f 5 'up 0' ; commit u0 'Fix the fifth line (#11)'
      line g 9 'up 1' ; commit u1 '[GEN] Widen the `ninth` line (#12)'
      line h 3 'up 2' ; commit u2 'Narrow the third line of h (#13)'
      line h 3 'line 3' ; commit u3 'Revert "Narrow the third line of h (#13)" (#14)' "This reverts commit $(id u2)."
      line f 30 'up 4' ; commit u4 'Update the documents (#15)'
      line f 31 'up 5' ; commit u5 'Update the documents (#16)'
    )~");
  }
  // `script` in the fork; then its branches are read.
  History mine(const std::string& script, HistoryOptions options = {}) {
    h.run("at down\n" + script);
    return must(try_mine(options));
  }
  Result<History> try_mine(HistoryOptions options = {}, std::function<Result<void>(std::int64_t, std::int64_t)> progress = nullptr) {
    auto reader = must(git::Reader::open(h.path("down"), {h.path("up")}));
    options.upstream_tip = must(must(git::Reader::open(h.path("up"))).resolve("main"));
    if (options.lines.empty()) options.lines.push_back({"main", must(reader.resolve("main")), {}});
    for (HistoryLine& line : options.lines) {
      if (line.tip.empty()) line.tip = must(reader.resolve(line.name));
    }
    return mine_history(reader, options, progress);
  }
  std::vector<std::string> sources(const HistoryRow& row) const {
    std::vector<std::string> names;
    for (const Oid& oid : row.upstream) {
      std::string name = oid;
      for (const char* known : {"B0", "B", "u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7"})
        if (h.has(known) && h.id(known) == oid) name = known;
      names.push_back(name);
    }
    return names;
  }
  // "single trailer u0", "left_out no_source", ...
  std::string said(const History& out, const std::string& name) const {
    for (const auto* rows : {&out.rows, &out.left_out}) {
      for (const HistoryRow& row : *rows) {
        if (row.commit != h.id(name)) continue;
        if (row.kind == HistoryRow::Kind::left_out) return "left out: " + std::string(to_string(row.why));
        std::string words = row.kind == HistoryRow::Kind::single ? "single " : "bundle ";
        words += to_string(row.how);
        for (const std::string& source : sources(row)) words += " " + source;
        return words;
      }
    }
    return "no row";
  }
  const HistoryRow& row(const History& out, const std::string& name) const {
    for (const auto* rows : {&out.rows, &out.left_out})
      for (const HistoryRow& row : *rows)
        if (row.commit == h.id(name)) return row;
    throw std::runtime_error("no row of " + name);
  }

  test_support::History h;
};

std::int64_t counted(const History& out) {
  auto n = static_cast<std::int64_t>(out.rows.size());
  for (const auto& [why, times] : out.by_reason) n += times;
  return n;
}

TEST(MineHistory, EveryKnownKindOfLineNamesASource) {
  Fork fork;
  const auto out = fork.mine(R"~(
    n=0
    land() { n=$((n + 1)) ; line f 5 "way $n" ; commit "$1" 'a landing' "$2" ; }
    land P1 "Upstream-Commit: $(id u0)"
    land P2 "text\n\n(cherry picked from commit $(id u0))\n\nmore text"
    land P3 "Upstream commit $(id u0)"
    land P4 "[ Upstream commit $(id u0) ]"
    land P5 "Original Commit: $(id u0)"
    land P6 "Cherry-picked from https://host.example/o/r/commit/$(id u0)"
    land P7 "Reactor Cherry-pick Revision: $(id u0)"
    land P8 "Reactor Backport Revision: $(id u0)\n\nReviewed By: somebody"
    land P9 "commit $(id u0) upstream."
    land N1 "See commit $(id u0), which did the same."
    land N2 "Fixes: $(id u0)"
    land N3 "> Upstream-Commit: $(id u0)"
  )~");
  for (const char* name : {"P1", "P2"}) EXPECT_EQ(fork.said(out, name), "single trailer u0") << name;
  for (const char* name : {"P3", "P4", "P5", "P6", "P7", "P8", "P9"}) EXPECT_EQ(fork.said(out, name), "single pattern u0") << name;
  for (const char* name : {"N1", "N2", "N3", "D"}) EXPECT_EQ(fork.said(out, name), "no row") << name;
  EXPECT_EQ(out.by_reason.at(LeftOut::no_source), 4);
  EXPECT_EQ(out.scanned, 13);
  EXPECT_EQ(counted(out), out.scanned);
  const HistoryRow& row = fork.row(out, "P1");
  EXPECT_EQ(row.parent, fork.h.id("D"));
  EXPECT_EQ(row.subject, "a landing");
  EXPECT_EQ(row.line, "main");
  EXPECT_EQ(row.date, std::stoll(fork.h.git("down", {"log", "-1", "--format=%ct", fork.h.id("P1")})));
  EXPECT_TRUE(row.confirmed);
  EXPECT_FALSE(row.contained);
}

TEST(MineHistory, TheFirstKindDecidesAndSeveralOfOneKindAreABundleInUpstreamOrder) {
  Fork fork;
  HistoryOptions options;
  options.trailers = {R"(^Synced-From: ([0-9a-f]{7,40})$)", R"(^Also-From: ([0-9a-f]{7,40})$)"};
  const auto out = fork.mine(R"~(
    line f 5 'up 0' ; commit P1 'one' "Original Commit: $(id u1)\nUpstream-Commit: $(id u0)"
    line f 6 'x' ; commit P2 'two' "Upstream-Commit: $(id u1)\nUpstream-Commit: $(id u0)\nUpstream-Commit: $(id u1)"
    line f 7 'x' ; commit P3 'three' "Synced-From: $(id u2)\nOriginal Commit: $(id u0)\nAlso-From: $(id u1)"
    line f 8 'x' ; commit P4 'four' "Upstream-Commit: $(id u0)\nUpstream-Commit: $(id u0 | cut -c1-10)"
  )~", options);
  EXPECT_EQ(fork.said(out, "P1"), "single trailer u0");
  EXPECT_EQ(fork.said(out, "P2"), "bundle trailer u0 u1");
  EXPECT_EQ(fork.said(out, "P3"), "bundle pattern u1 u2");
  EXPECT_EQ(fork.said(out, "P4"), "single trailer u0");
}

TEST(MineHistory, WhatUpstreamsOwnMessageQuotesIsNoSource) {
  Fork fork;
  fork.h.run("at up\nline g 20 'up 6' ; commit u6 'Again (#17)' \"(cherry picked from commit $(id u0))\"");
  const auto out = fork.mine(R"~(
    line g 20 'up 6' ; commit P1 'Again' "(cherry picked from commit $(id u0))\n\nOriginal Commit: $(id u6)"
  )~");
  EXPECT_EQ(fork.said(out, "P1"), "single pattern u6");
}

TEST(MineHistory, ACommitThatTakesBackIsNoPickUnlessUpstreamTookItBack) {
  Fork fork;
  const auto out = fork.mine(R"~(
    line h 3 'up 2' ; commit P2 'Narrow the third line of h (#13)' "Upstream-Commit: $(id u2)"
    line h 3 'line 3' ; commit P3 "[pick] 'Revert \"Narrow the third line of h (#13)\" (#14)' (#90)" "Original Commit: $(id u3)"
    line f 5 'up 0' ; commit P0 'Fix the fifth line' "Upstream-Commit: $(id u0)"
    line f 5 'line 5' ; commit R1 'Revert "Fix the fifth line"' "Upstream-Commit: $(id u0)"
    line f 5 'up 0' ; commit R2 'Reland "Fix the fifth line"' "Upstream-Commit: $(id u0)"
    line f 5 'line 5' ; commit R3 'Back out "Fix the fifth line (#11)"'
    line h 3 'up 2' ; commit R4 'Revert "[pick] Revert "Narrow the third line of h (#13)" (#14)"' "Original Commit: $(id u3)"
    line f 5 'up 0' ; commit P4 'Fix the fifth line' "Upstream-Commit: $(id u0)"
    line f 5 'line 5' ; commit R5 'the fifth line breaks things' "This reverts commit $(id P4).\n\nUpstream-Commit: $(id u0)"
  )~");
  EXPECT_EQ(fork.said(out, "P2"), "single trailer u2");
  EXPECT_EQ(fork.said(out, "P3"), "single pattern u3");
  EXPECT_EQ(fork.said(out, "P4"), "single trailer u0");
  for (const char* name : {"R1", "R2", "R3", "R4", "R5"}) EXPECT_EQ(fork.said(out, name), "left out: undone") << name;
  EXPECT_EQ(out.by_reason.at(LeftOut::undone), 5);
}

TEST(MineHistory, ASubjectCountsWordForWordOrAsATitleThatOneCommitHas) {
  Fork fork;
  const auto out = fork.mine(R"~(
    line f 5 'up 0' ; commit P1 '[fork][pick] Fix the fifth line (#11)'
    line g 9 'up 1' ; commit P2 '[Backport to 18][GEN] Widen the ninth line (#77)'
    line g 9 'up 11' ; commit P3 "Backport '[GEN] Widen the ninth line' (#12) (#78)"
    line f 30 'up 4' ; commit P4 '[pick] Update the documents (#16) (#79)'
    line f 31 'up 5' ; commit N1 '[pick] Update the documents (#80)'
    line z 1 '2' ; commit N2 'Something of our own (#11)'
    line z 1 '3' ; commit N3 'Narrow the third line of h (#81)'
    line z 1 '4' ; commit N4 'Fix the fifth line (#11)'
    line h 9 'x' ; commit N5 'After: Narrow the third line of h'
  )~");
  EXPECT_EQ(fork.said(out, "P1"), "single subject u0");
  EXPECT_EQ(fork.said(out, "P2"), "single title u1");
  EXPECT_EQ(fork.said(out, "P3"), "single title u1");
  EXPECT_EQ(fork.said(out, "P4"), "single subject u5");
  EXPECT_EQ(fork.said(out, "N1"), "left out: source_ambiguous");
  EXPECT_EQ(fork.said(out, "N2"), "no row") << "the number of a pull request of the fork is not upstream's";
  EXPECT_EQ(fork.said(out, "N3"), "left out: unconfirmed") << "touches another file";
  EXPECT_EQ(fork.said(out, "N4"), "left out: unconfirmed");
  EXPECT_EQ(fork.said(out, "N5"), "no row");
  HistoryOptions lines_only;
  lines_only.subjects = false;
  EXPECT_TRUE(must(fork.try_mine(lines_only)).rows.empty());
}

TEST(MineHistory, APickWithoutXIsKnownByItsAuthorAndDate) {
  Fork fork;
  fork.h.run("at up\nline g 30 'up 6' ; commit u6 'Nothing but words'");
  const auto out = fork.mine(R"~(
    git fetch -q ../up main ; git cherry-pick "$(id u6)" >/dev/null ; verbs_remember P1
    line g 31 'x' ; commit N1 'Nothing but words, again'
  )~");
  EXPECT_EQ(fork.said(out, "P1"), "single author u6");
  EXPECT_EQ(fork.said(out, "N1"), "no row");
}

TEST(MineHistory, ANumberCountsAfterTheWordBackportAndOnTheSamePaths) {
  Fork fork;
  const auto out = fork.mine(R"~(
    line g 9 'up 1' ; commit P1 'Make the line wider' "Backport of #12"
    line f 5 'up 0' ; line h 3 'up 2' ; commit P2 'Two at once' "This is a cherry-pick of upstream PRs: https://host.example/o/r/pull/13, #11"
    line f 5 'up x' ; commit P3 'Mistyped' "This is a backport of an upstream PR: https://host.example/o/r/pull/11\n\nReactor Cherry-pick Revision: 0123456789012345678901234567890123456789"
    line g 9 'x' ; commit N1 'Repair the line' "The cherry-picked upstream PR #12 broke it, see the backport of #12."
    line z 1 '2' ; commit N2 'Ours' "Backport of #12"
    line g 9 'y' ; commit N3 'Of nobody' "Backport of #12 and #4711"
  )~");
  EXPECT_EQ(fork.said(out, "P1"), "single number u1");
  EXPECT_EQ(fork.said(out, "P2"), "bundle number u0 u2");
  EXPECT_EQ(fork.said(out, "P3"), "single number u0");
  EXPECT_EQ(fork.said(out, "N1"), "no row");
  EXPECT_EQ(fork.said(out, "N2"), "left out: unconfirmed") << "the fork's own pull requests have numbers too";
  EXPECT_EQ(fork.said(out, "N3"), "no row");
}

TEST(MineHistory, APartOfACommitIsNoPickOfIt) {
  Fork fork;
  const auto out = fork.mine(R"~(
    line f 5 'up' ; commit N1 '[Backport] Partial pick of the fifth line' "Upstream-Commit: $(id u0)"
    line f 5 'up 0' ; commit P1 '[Backport] Pick partial sums' "Upstream-Commit: $(id u0)"
  )~");
  EXPECT_EQ(fork.said(out, "N1"), "left out: partial");
  EXPECT_EQ(fork.said(out, "P1"), "single trailer u0");
}

TEST(MineHistory, ABundleIsWholeOrLeftOut) {
  Fork fork;
  const auto out = fork.mine(R"~(
    line f 5 'a' ; commit P1 'Cherry-pick 2 upstream commits (#12, #11) (#300)' "Original Commit: $(id u1)"
    line f 5 'b' ; commit P2 '[BUNDLE] Cherry-pick 3 upstream(#11 #12' "### Picked (3)\n- #11 #12 #13\n\nDeferred (1)\n- #15"
    line f 5 'c' ; commit P3 '[BUNDLE] two' "- [1] x #11 ($(id u0 | cut -c1-9)) y\n- [2] x #12 ($(id u1)) y\n- [3] x #13 ($(id u0)) y"
    line f 5 'd' ; commit N1 'Cherry-pick 3 upstream commits' "Original Commit: $(id u0)\nOriginal Commit: $(id u1)"
    line f 5 'e' ; commit N2 '[BUNDLE] everything (#11 and 13 more)' "Original Commit: $(id u0)"
    line f 5 'f' ; commit P4 'Bundle the fifth line' "Original Commit: $(id u0)"
    line f 5 'g' ; commit N3 'two, one of them mistyped' "Original Commit: $(id u0)\nOriginal Commit: 0123456789012345678901234567890123456789"
  )~");
  EXPECT_EQ(fork.said(out, "P1"), "bundle list u0 u1");
  EXPECT_EQ(fork.said(out, "P2"), "bundle list u0 u1 u2");
  EXPECT_EQ(fork.said(out, "P3"), "bundle list u0 u1") << "number and id of the third do not agree";
  EXPECT_EQ(fork.said(out, "N1"), "left out: bundle_incomplete");
  EXPECT_EQ(fork.sources(fork.row(out, "N1")), (std::vector<std::string>{"u0", "u1"}));
  EXPECT_EQ(fork.row(out, "N1").note, "says 3, names 2");
  EXPECT_EQ(fork.said(out, "N2"), "left out: bundle_incomplete");
  EXPECT_EQ(fork.said(out, "P4"), "single pattern u0");
  EXPECT_EQ(fork.said(out, "N3"), "left out: source_missing");
}

TEST(MineHistory, ATitleOfAnotherCommitContradictsALineThatASquashCopied) {
  Fork fork;
  const auto out = fork.mine(R"~(
    line g 9 'up 1' ; line f 5 'up 0' ; commit N1 '[pick][GEN] Widen the ninth line (#90)' "* [GEN] Widen the ninth line\n* Fix the fifth line\n(cherry picked from commit $(id u0))"
    line f 5 'up' ; commit P1 '[pick] Fix the fifth line (#91)' "* Fix the fifth line\n(cherry picked from commit $(id u0))"
  )~");
  EXPECT_EQ(fork.said(out, "N1"), "left out: contradicted");
  EXPECT_EQ(fork.said(out, "P1"), "single trailer u0");
}

TEST(MineHistory, WhatIsNotUpstreamsIsCountedWithItsReason) {
  Fork fork;
  fork.h.run("at up\nbranch side ; line g 2 'side' ; commit S 'never merged' ; on main");
  const auto out = fork.mine(R"~(
    line f 5 'a' ; commit N1 'one' "Upstream-Commit: 0123456789012345678901234567890123456789"
    line f 5 'b' ; commit N2 'two' "Upstream-Commit: $(id S)"
    line f 5 'c' ; commit N3 'three' "Upstream-Commit: $(id D)"
    line f 5 'd' ; commit P1 'on the way' "(cherry picked from commit $(id u0))\n(cherry picked from commit $(id D))\n(cherry picked from commit 0123456789)"
    empty_commit N4 'five' "Upstream-Commit: $(id u0)"
  )~");
  EXPECT_EQ(fork.said(out, "N1"), "left out: source_missing");
  EXPECT_EQ(fork.said(out, "N2"), "left out: source_not_upstream");
  EXPECT_EQ(fork.said(out, "N3"), "left out: source_not_upstream");
  EXPECT_EQ(fork.said(out, "P1"), "single trailer u0");
  EXPECT_EQ(fork.said(out, "N4"), "left out: empty");
}

TEST(MineHistory, ASourceThatTheForkHadBeforeStaysWhereALineNamesIt) {
  Fork fork;
  const auto out = fork.mine(R"~(
    line h 40 'rest of it' ; commit P1 'Touch the last line (#4) (#99)' "Original Commit: $(id B)"
    line h 40 'more' ; commit N1 '[pick] Touch the last line (#4)'
    line h 40 'both' ; commit P2 'both' "Upstream-Commit: $(id u0)\nUpstream-Commit: $(id B)\nUpstream-Commit: $(id B0)"
  )~");
  EXPECT_EQ(fork.said(out, "P1"), "single pattern B");
  EXPECT_TRUE(fork.row(out, "P1").contained);
  EXPECT_EQ(fork.said(out, "N1"), "no row") << "words do not look behind the fork's base";
  EXPECT_EQ(fork.said(out, "P2"), "bundle trailer B0 B u0");
}

TEST(MineHistory, WhatUpstreamTookFromTheForkIsNoPick) {
  Fork fork;
  fork.h.run(R"~(
    at down ; line g 33 'ours first' ; commit N1 'Straighten the line thirty-three (#500)'
    echo 5000 >"$VERBS_STATE/clock"
    at up ; line g 33 'ours first' ; commit u6 'Straighten the line thirty-three (#21)'
  )~");
  const auto out = fork.mine("line g 33 'theirs' ; commit P1 '[pick] Straighten the line thirty-three (#501)'");
  EXPECT_EQ(fork.said(out, "N1"), "left out: source_younger");
  EXPECT_EQ(fork.said(out, "P1"), "single title u6");
}

TEST(MineHistory, ReleaseLinesAreReadEachFromItsOwnBeginning) {
  Fork fork;
  fork.h.run(R"~(
    at up
    line g 20 'up 6' ; commit u6 'Paint the twentieth line (#17)'
    at down
    git fetch -q ../up ; branch v1 D
    line f 5 'up 0' ; commit P1 '[v1] Fix the fifth line (#11)' ; line z 1 'v1' ; commit C1 'shared'
    branch v1-hotfix ; line g 20 'up 6' ; commit P2 'paint' "Upstream-Commit: $(id u6)"
    branch v2 "$(id u2)" ; line g 20 'up 6' ; commit P3 'Paint the twentieth line (#600)' ; line g 9 'more' ; commit N1 '[GEN] Widen the ninth line (#601)'
    on main
  )~");
  HistoryOptions options;
  options.lines = {{"v1", {}, {}}, {"v1-hotfix", {}, {}}, {"v2", {}, {}}};
  const auto out = fork.mine(":", options);
  EXPECT_EQ(fork.said(out, "P1"), "single subject u0");
  EXPECT_EQ(fork.row(out, "P1").line, "v1");
  EXPECT_EQ(fork.said(out, "P2"), "single trailer u6");
  EXPECT_EQ(fork.row(out, "P2").line, "v1-hotfix");
  EXPECT_EQ(fork.said(out, "P3"), "single title u6");
  EXPECT_EQ(fork.said(out, "N1"), "left out: source_older") << "v2 began behind it";
  EXPECT_EQ(out.scanned, 6) << "shared commits are one";
  EXPECT_EQ(counted(out), out.scanned);
}

TEST(MineHistory, MergesAreCountedAndWhatTheyBroughtIsRead) {
  Fork fork;
  const auto out = fork.mine(R"~(
    branch topic ; line f 5 'up 0' ; commit P1 'topic' "Upstream-Commit: $(id u0)"
    on main ; line z 1 '2' ; commit C1 'ours' ; merge_branch M1 topic "Merge (#11)"
    git fetch -q ../up main ; git checkout -q -b theirs "$(id u1)" ; on main ; git merge -q -X ours -m "Merge of upstream" theirs >/dev/null ; verbs_remember M2
    line h 3 'up 2' ; commit P2 'after' "Upstream-Commit: $(id u2)"
    line f 6 'residue' ; commit P3 'again' "Upstream-Commit: $(id u0)"
  )~");
  EXPECT_EQ(fork.said(out, "P1"), "single trailer u0") << "before the fork merged it";
  EXPECT_FALSE(fork.row(out, "P1").contained);
  EXPECT_EQ(fork.said(out, "P2"), "single trailer u2");
  EXPECT_TRUE(fork.row(out, "P3").contained);
  EXPECT_EQ(out.by_reason.at(LeftOut::merge), 2);
  EXPECT_EQ(counted(out), out.scanned);
}

TEST(MineHistory, ARangeADateAndALimitEndTheWalk) {
  Fork fork;
  fork.h.run(R"~(
    at down
    for n in 1 2 3 4; do line f 5 "way $n" ; commit P$n "landing $n" "Upstream-Commit: $(id u0)"; done
  )~");
  const auto names = [&](const History& out) {
    std::string all;
    for (const HistoryRow& row : out.rows) all += row.subject.back();
    return all;
  };
  EXPECT_EQ(names(must(fork.try_mine())), "1234");
  HistoryOptions options;
  options.lines = {{"range", fork.h.id("P3"), fork.h.id("P1")}};
  EXPECT_EQ(names(must(fork.try_mine(options))), "23");
  options = {};
  options.limit = 2;
  EXPECT_EQ(names(must(fork.try_mine(options))), "34");
  options = {};
  options.since = fork.row(must(fork.try_mine()), "P2").date;
  EXPECT_EQ(names(must(fork.try_mine(options))), "234");
}

TEST(MineHistory, AnErrorOfTheCallbackEndsIt) {
  Fork fork;
  fork.h.run("at down\nline f 5 'up 0' ; commit P1 'one' \"Upstream-Commit: $(id u0)\"");
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  const auto all = fork.try_mine({}, [&](std::int64_t done, std::int64_t total) -> Result<void> {
    seen.emplace_back(done, total);
    return {};
  });
  EXPECT_TRUE(all.ok());
  ASSERT_GE(seen.size(), 2U);
  EXPECT_EQ(seen.front(), std::make_pair(std::int64_t{0}, std::int64_t{2}));
  EXPECT_EQ(seen.back(), std::make_pair(std::int64_t{2}, std::int64_t{2}));
  const auto ended = fork.try_mine({}, [](std::int64_t, std::int64_t) -> Result<void> { return make_error(ErrorKind::transient, "cancelled"); });
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().message, "cancelled");
}

TEST(MineHistory, AMessageOfManyMegabytesIsReadFromItsEnd) {
  Fork fork;
  const std::string file = fork.h.path("down") + "/../message";
  {
    std::ofstream message(file, std::ios::binary);
    message << "\xff\xfe not UTF-8 \xe9\n\n";
    for (int i = 0; i < 250'000; ++i) message << "Upstream-Commit: " << std::string(32, 'a') << std::to_string(10'000'000 + i) << '\n';
    message << "Upstream-Commit: " << fork.h.id("u0") << '\n';
  }
  const auto out = fork.mine("line f 5 'up 0' ; git add -A ; git -c i18n.commitEncoding=UTF-8 commit -q -F ../message ; verbs_remember N1\n"
                             "line f 5 'up 1' ; commit P1 'next' \"Upstream-Commit: $(id u0)\"");
  EXPECT_EQ(fork.said(out, "N1"), "left out: source_missing") << "a member that nobody has";
  EXPECT_EQ(fork.sources(fork.row(out, "N1")), std::vector<std::string>{"u0"});
  EXPECT_EQ(fork.said(out, "P1"), "single trailer u0");
}

TEST(MineHistory, AnAbsentTreeLeavesARowUnconfirmed) {
  Fork fork;
  fork.h.run("at down\nline f 5 'up 0' ; commit P1 'one' \"Upstream-Commit: $(id u0)\" ; line f 5 'up' ; commit N1 '[x] Fix the fifth line (#9)'");
  const std::string tree = fork.h.tree("u0");
  ASSERT_TRUE(std::filesystem::remove(fork.h.path("up") + "/.git/objects/" + tree.substr(0, 2) + "/" + tree.substr(2)));
  std::filesystem::remove(fork.h.path("down") + "/.git/objects/" + tree.substr(0, 2) + "/" + tree.substr(2));
  const auto out = must(fork.try_mine());
  EXPECT_EQ(fork.said(out, "P1"), "single trailer u0");
  EXPECT_FALSE(fork.row(out, "P1").confirmed);
  EXPECT_EQ(fork.said(out, "N1"), "left out: unconfirmed");
}

TEST(MineHistory, NoBranchAndABadPatternAreErrors) {
  Fork fork;
  HistoryOptions options;
  options.trailers = {"^Synced: ([0-9"};
  EXPECT_EQ(fork.try_mine(options).error().kind, ErrorKind::invalid);
  const auto reader = must(git::Reader::open(fork.h.path("up")));
  EXPECT_EQ(mine_history(reader, {}, nullptr).error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace sluice::ingest::testing
