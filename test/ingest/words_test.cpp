// SPDX-License-Identifier: Apache-2.0
// What is read out of messages and lines: mentions of other commits, trailers, symbols, kinds of paths.
#include <gtest/gtest.h>

#include <algorithm>

#include "ingest/message.h"
#include "ingest/path_class.h"
#include "ingest/symbols.h"
#include "ingest/trailers.h"

namespace sluice::ingest {
namespace {

using Kind = model::RevertLink::Kind;
using model::Disposition;

MessageRules rules() {
  auto compiled = MessageRules::compile();
  EXPECT_TRUE(compiled.ok()) << compiled.error().message;
  return std::move(compiled).value();
}

TEST(Message, TheTrailingPullRequestNumberIsTheLastOne) {
  EXPECT_EQ(trailing_pr("Fix (#12) again (#3456)"), 3456);
  EXPECT_EQ(trailing_pr("Fix #12"), 0);
  EXPECT_EQ(trailing_pr("Fix (#12x)"), 0);
  EXPECT_EQ(trailing_pr("Fix (#999999999999999999999999)"), 0);
  EXPECT_EQ(trailing_pr(""), 0);
}

TEST(Message, EveryFormOfARevertIsRead) {
  const std::string sha = "0123456789abcdef0123456789abcdef01234567";
  struct Case {
    std::string subject, body;
    Kind kind;
    std::vector<std::string> shas;
  };
  const std::vector<Case> cases = {
      {"Revert \"x\"", "This reverts commit " + sha + ".", Kind::revert, {sha}},
      {"undo", "This reverts commit 0123456789.", Kind::revert, {"0123456789"}},
      {"undo", "this reverts\ncommit " + sha, Kind::revert, {sha}},
      {"undo", "This reverts commits " + sha + " and abcdef0123.", Kind::revert, {sha, "abcdef0123"}},
      {"undo", "Reverts owner/repo#12", Kind::revert, {}},
      {"undo", "reverts #12", Kind::revert, {}},
      {"undo", "This reverts #10715 and follow up fixes", Kind::revert, {}},
      {"Partially revert #10815", "", Kind::partial_revert, {}},
      {"Revert \"x\" (#12)", "", Kind::revert, {}},
      {"[BACKEND] Revert \"x\"", "", Kind::revert, {}},
      {"Back out \"x\"", "", Kind::revert, {}},
      {"Reapply \"x\"", "", Kind::reland, {}},
      {"[Reland] x", "", Kind::reland, {}},
      {"Reland \"x\"", "", Kind::reland, {}},
      {"x", "Reland #12", Kind::reland, {}},
      {"Resurrect x", "", Kind::reland, {}},
      {"Reland \"x\"", "This reverts commit " + sha, Kind::reland, {sha}},
  };
  const MessageRules read = rules();
  for (const Case& c : cases) {
    const auto found = read.mentions(c.subject, c.subject + "\n\n" + c.body);
    ASSERT_FALSE(found.empty()) << c.subject << " / " << c.body;
    EXPECT_EQ(found[0].kind, c.kind) << c.subject << " / " << c.body;
    EXPECT_EQ(found[0].shas, c.shas) << c.subject << " / " << c.body;
    EXPECT_FALSE(found[0].text.empty());
  }
}

TEST(Message, OrdinaryWordsRevertNothing) {
  const MessageRules read = rules();
  for (const char* text :
       {"Fix the reverted order of operands", "Handle a revert commit message that was defaced",
        "Irrevertible", "Follow-up of #12", "Use commit 0123456789abcdef", "Backport outlining"})
    EXPECT_TRUE(read.mentions(text, text).empty()) << text;
}

TEST(Message, TheWordsOfAMentionAreAtMost200BytesOfWholeCharacters) {
  const auto words = [](const std::string& subject) { return rules().mentions(subject, subject).at(0).text; };
  const std::string head = "Revert \"";  // 8 bytes
  EXPECT_EQ(words(head + std::string(300, 'a')), head + std::string(192, 'a'));
  EXPECT_EQ(words(head + std::string(190, 'a') + "\xE2\x82\xAC\xE2\x82\xAC"), head + std::string(190, 'a')) << "the sign needs three";
  EXPECT_EQ(words(head + "\xff" + std::string(300, 'a')), head + "\xEF\xBF\xBD" + std::string(189, 'a'));
}

TEST(Message, ALongHostileMessageGivesABoundedAnswer) {
  std::string text;
  for (int k = 0; k < 100'000; ++k) text += "This reverts commit 0123456789. ";
  EXPECT_LE(rules().mentions("x", text).size(), 128U);
}

BodyTrailers scan(const std::string& text, const std::vector<std::string>& patterns = {}) {
  auto compiled = TrailerRules::compile(patterns);
  EXPECT_TRUE(compiled.ok()) << compiled.error().message;
  return compiled->scan(text);
}

TEST(Trailers, AreFoundAnywhereInTheBody) {
  const auto body = scan(
      "bundle\n\nUpstream-Commit: 0123456789abcdef0123456789abcdef01234567\n---\ntext after\n\n"
      "(cherry picked from commit ABCDEF0123)\n  Upstream-Commit: 1111111111\n\nReviewed-by: x\n");
  ASSERT_EQ(body.carried.size(), 3U);
  EXPECT_EQ(body.carried[1].sha, "abcdef0123");
  EXPECT_EQ(body.carried[2].sha, "1111111111");
}

TEST(Trailers, QuotedLinesAndOtherTextAreNotTrailers) {
  EXPECT_TRUE(
      scan(
          "x\n\n> Upstream-Commit: 0123456789\nthe Upstream-Commit: 0123456789 line\nUpstream-Commit: none\n")
          .carried.empty());
}

TEST(Trailers, AResolvedPickIsAdaptedEachWithItsOwnLine) {
  const auto body = scan(
      "x\n\nUpstream-Commit: aaaaaaaaaa\nSluice-Unit: b-1\nSluice-Resolution: clean\n"
      "Upstream-Commit: bbbbbbbbbb\nSluice-Unit: b-1\nSluice-Resolution: resolved\n");
  ASSERT_EQ(body.carried.size(), 2U);
  EXPECT_EQ(body.carried[0].disposition, Disposition::picked);
  EXPECT_EQ(body.carried[1].disposition, Disposition::adapted);
  EXPECT_EQ(body.unit, "b-1");
}

TEST(Trailers, ConfiguredPatternsMaySayDeferOrWontPort) {
  const auto body = scan(
      "x\n\nReactor Cherry-pick Revision: aaaaaaaaaa\nReactor Defer Revision: bbbbbbbbbb\nReactor WontPort "
      "Revision: cccccccccc\n",
      {"Reactor [A-Za-z-]+ Revision: ([0-9a-f]{7,40})"});
  ASSERT_EQ(body.carried.size(), 3U);
  EXPECT_EQ(body.carried[0].disposition, Disposition::picked);
  EXPECT_EQ(body.carried[1].disposition, Disposition::deferred);
  EXPECT_EQ(body.carried[2].disposition, Disposition::wont_port);
}

TEST(Trailers, APatternWithoutAGroupIsRefusedByName) {
  const auto compiled = TrailerRules::compile({"Original Commit: [0-9a-f]+"});
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().kind, ErrorKind::invalid);
  EXPECT_NE(compiled.error().message.find("Original Commit"), std::string::npos);
}

std::vector<std::string> names(const std::string& path, const std::string& line) {
  std::vector<std::string> out;
  for (const auto& d : definitions(path, line)) out.push_back(d.name);
  return out;
}
using Names = std::vector<std::string>;

TEST(Symbols, DefinitionsOfEachLanguageAreFound) {
  EXPECT_EQ(names("a.h", "int f(int);"), Names{"f"});
  EXPECT_EQ(names("a.cpp", "static LogicalResult lowerTile(Operation *op,"), Names{"lowerTile"});
  EXPECT_EQ(names("a.cpp", "void Pass::runOnOperation() {"), Names{"runOnOperation"});
  EXPECT_EQ(names("a.cpp", "  bool isTile(const Type &type) const;"), Names{"isTile"});
  EXPECT_EQ(names("a.h", "class TileOp : public Op<TileOp> {"), Names{"TileOp"});
  EXPECT_EQ(names("a.h", "enum class Kind {"), Names{"Kind"});
  EXPECT_EQ(names("a.h", "#define TILE_MAX 8"), Names{"TILE_MAX"});
  EXPECT_EQ(names("a.h", "using Pair = std::pair<int, int>;"), Names{"Pair"});
  EXPECT_EQ(names("a.cu", "__global__ void copy_tile(float *out, int n) {"), Names{"copy_tile"});
  EXPECT_EQ(names("a.py", "def lower(x):"), Names{"lower"});
  EXPECT_EQ(names("a.py", "    async def run(self):"), Names{"run"});
  EXPECT_EQ(names("a.py", "class Tile(Base):"), Names{"Tile"});
  EXPECT_EQ(names("a.py", "LIMIT = 3"), Names{"LIMIT"});
  EXPECT_EQ(names("ops.td", "def Tile_LoadOp : Tile_Op<\"load\", [Pure]> {"), (Names{"Tile_LoadOp", "load"}));
  EXPECT_EQ(names("CMakeLists.txt", "add_mlir_dialect_library(TileIR"), Names{"TileIR"});
  EXPECT_EQ(names("x.cmake", "function(tile_test name)"), Names{"tile_test"});
}

TEST(Symbols, CallsVariablesAndCommentsDefineNothing) {
  for (const char* line :
       {"  return f(2);", "  foo(a, b);", "  OpBuilder builder(ctx);", "  if (int x = f(1))",
        "// int f(int);", "  x = f(int(3));", "  auto v = make(a);", "  a.run(int x);", "#include \"f.h\"",
        "class Forward;", "using namespace std;", "  bool operator()(int a, int b) const {", ""})
    EXPECT_EQ(names("a.cpp", line), Names{}) << line;
  EXPECT_EQ(names("a.py", "    x = f(1)"), Names{});
  EXPECT_EQ(names("a.py", "if x == 1:"), Names{});
  EXPECT_EQ(names("notes.md", "def f(x):"), Names{});
}

TEST(Symbols, AMoveIsNeitherAndANewSignatureIsARemoval) {
  SymbolScan scan;
  scan.add("a.cpp", {"int moved(int x) {", "int f(int);", "int gone(int);"},
           {"int f(int, int);", "int fresh(int);"});
  scan.add("b.cpp", {}, {"int moved(int x) {"});
  const Symbols out = scan.finish();
  EXPECT_EQ(out.removed, (Names{"f", "gone"}));
  EXPECT_EQ(out.defined, Names{"fresh"});
  EXPECT_TRUE(std::binary_search(out.named.begin(), out.named.end(), "moved"));
}

TEST(Symbols, WhatEveryProgramHasIsNobodysSymbol) {
  SymbolScan scan;
  scan.add("a.py", {"def __init__(self, a):", "__all__ = ['f']"}, {"def __init__(self, a, b):", "def __x():"});
  scan.add("a.cpp", {"int main(int argc, char** argv) {"}, {});
  const Symbols out = scan.finish();
  EXPECT_TRUE(out.removed.empty());
  EXPECT_EQ(out.defined, Names{"__x"});
}

TEST(Symbols, ABodyOnTheSameLineIsNoPartOfTheSignature) {
  SymbolScan scan;
  scan.add("u.c", {"int a(){return f(1);}"}, {"int a(){return f(1,0);}"});
  const Symbols out = scan.finish();
  EXPECT_TRUE(out.removed.empty());
  EXPECT_TRUE(out.defined.empty());
}

TEST(PathClass, TheFirstEntryThatSetsAClassDecides) {
  model::PolicyConfig policy;
  policy.paths = {{.glob = "third_party/", .upstream = model::UpstreamSay::ours, .owner = {}},
                  {.glob = "*.txt", .klass = model::PathClass::pin, .owner = {}},
                  {.glob = "third_party/", .klass = model::PathClass::risk, .owner = {}}};
  EXPECT_EQ(class_of(policy, "third_party/a.txt"), model::PathClass::pin);
  EXPECT_EQ(class_of(policy, "third_party/a.cpp"), model::PathClass::risk);
  EXPECT_EQ(class_of(policy, "lib/a.cpp"), model::PathClass::none);
  EXPECT_EQ(upstream_say(policy, "third_party/a.cpp"), model::UpstreamSay::ours);
}

TEST(PathClass, AKindNeedsAllFilesAndAPinOne) {
  const auto kind = [](std::vector<std::string> paths) {
    model::UpstreamCommit commit;
    for (auto& path : paths) {
      model::FileChange file;
      file.path = file.old_path = path;
      commit.files.push_back(file);
    }
    model::PolicyConfig policy;
    policy.paths = {{.glob = "cmake/llvm-hash.txt", .klass = model::PathClass::pin, .owner = {}}};
    return std::string(model::to_string(kind_of(policy, commit)));
  };
  EXPECT_EQ(kind({".github/workflows/ci.yml"}), "ci");
  EXPECT_EQ(kind({".github/workflows/ci.yml", "f.cpp"}), "code");
  EXPECT_EQ(kind({"docs/a.md", "README.md"}), "docs");
  EXPECT_EQ(kind({"test/Tile/a.mlir", "python/test_x.py"}), "test");
  EXPECT_EQ(kind({"f.cpp", "cmake/llvm-hash.txt"}), "pin");
  EXPECT_EQ(kind({}), "code");
}

}  // namespace
}  // namespace sluice::ingest
