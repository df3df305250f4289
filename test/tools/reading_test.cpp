// SPDX-License-Identifier: Apache-2.0
// The tools that look: what they show, how it is marked, and what they keep to themselves.
#include <algorithm>
#include <cstdio>

#include "test/tools/support.h"

namespace sluice::tools::testing {
namespace {

using Plain = Bench<ListedChecks>;
using Paths = std::vector<std::string>;

Json lines_of(std::string_view rev, std::string_view path, int start, int end) {
  return Json::object({{"rev", rev}, {"path", path}, {"start", start}, {"end", end}});
}
Json for_text(std::string_view rev, std::string_view text) { return Json::object({{"rev", rev}, {"text", text}}); }

bool untrusted(const Json& value) { return value["untrusted"].as_bool() && value["text"].is_string() && !value["source"].as_string().empty(); }

TEST(ListConflicts, NamesEveryPlaceAndWhetherItIsAnswered) {
  Plain bench(two_regions);
  Answer answer = bench.call("list_conflicts", "{}");
  ASSERT_EQ(answer.body["conflicts"].items().size(), 2U) << answer.body.dump();
  EXPECT_EQ(answer.body["open"].as_int(), 2);
  const Json first = answer.body["conflicts"].items()[0];
  EXPECT_EQ(first["region_id"].as_string(), bench.pick.id(0));
  EXPECT_EQ(first["kind"].as_string(), "contents");
  EXPECT_EQ(first["lines"]["ours"].as_int(), 1);
  EXPECT_FALSE(first.has("answered"));
  EXPECT_TRUE(answer.paths.empty()) << "no line is shown";
  bench.resolve(0, "int ten_up;\n", "theirs");
  answer = bench.call("list_conflicts", "{}");
  EXPECT_EQ(answer.body["open"].as_int(), 1);
  EXPECT_EQ(answer.body["conflicts"].items()[1]["region_id"].as_string(), bench.pick.id(0)) << "those that wait come first";
  EXPECT_EQ(answer.body["conflicts"].items()[1]["answered"]["action"].as_string(), "theirs");
}

TEST(GetRegion, ShowsTheThreeTextsAndTheLinesAround) {
  Plain bench(two_regions);
  const Answer answer = bench.call("get_region", Json::object({{"region_id", bench.pick.id(1)}, {"context", 2}}));
  EXPECT_EQ(answer.paths, Paths{"f.cpp"});
  for (const char* part : {"base", "ours", "theirs", "before", "after"}) EXPECT_TRUE(untrusted(answer.body[part])) << part;
  EXPECT_EQ(answer.body["ours"]["text"].as_string(), "int thirty_down;\n");
  EXPECT_EQ(answer.body["base"]["text"].as_string(), "line 30\n");
  EXPECT_EQ(answer.body["before"]["text"].as_string(), "line 28\nline 29\n");
  EXPECT_EQ(answer.body["after"]["text"].as_string(), "line 31\nline 32\n");
  EXPECT_FALSE(answer.body.has("answer"));
}

TEST(GetRegion, TheLinesAroundAreThoseOfTheAnswersSoFar) {
  Plain bench(two_regions);
  ASSERT_EQ(bench.pick.adapt("f.cpp", "line 9\n", "line nine\n"), "");
  bench.resolve(0, "int ten_down;\nint ten_up;\n", "both_ours_first");
  const Answer answer = bench.call("get_region", Json::object({{"region_id", bench.pick.id(0)}, {"context", 1}}));
  EXPECT_EQ(answer.body["before"]["text"].as_string(), "line nine\n");
  EXPECT_EQ(answer.body["after"]["text"].as_string(), "line 11\n");
  EXPECT_EQ(answer.body["answer"]["text"].as_string(), "int ten_down;\nint ten_up;\n");
  EXPECT_TRUE(bench.call("get_region", Json::object({{"region_id", "000000000000"}})).is_error);
}

TEST(GetRegion, ALongSideIsCutAndSaysSo) {
  Plain bench(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; { seq -f 'long line of the fork %06.0f' 1 2000; } | put f.cpp; commit D "d"
    at up; line f.cpp 10 "ten up"; commit U "u"
  )");
  const Answer answer = bench.call("get_region", Json::object({{"region_id", bench.pick.id(0)}}));
  EXPECT_LE(answer.body["ours"]["text"].as_string().size(), 20'000U);
  EXPECT_TRUE(answer.body["ours"]["text"].as_string().ends_with("\n")) << "whole lines";
  const auto shown = std::count(answer.body["ours"]["text"].as_string().begin(), answer.body["ours"]["text"].as_string().end(), '\n');
  EXPECT_EQ(answer.body["ours"]["left_out_lines"].as_int() + shown, std::count(bench.pick.place().region.ours.begin(), bench.pick.place().region.ours.end(), '\n'));
}

TEST(GetRegion, AFileOfOneSideIsShownWithWhoDeletedIt) {
  Plain bench(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; drop f.cpp; commit D "d"
    at up; line f.cpp 10 "ten up"; commit U "u"
  )");
  const Answer answer = bench.call("get_region", Json::object({{"region_id", bench.pick.id(0)}}));
  EXPECT_TRUE(answer.body["ours"].is_null());
  EXPECT_EQ(answer.body["deleted_by"].as_string(), "ours");
  EXPECT_NE(answer.body["theirs"]["text"].as_string().find("ten up"), std::string::npos);
}

TEST(ReadLines, OfEveryRevWithNumbers) {
  Plain bench(two_regions);
  const auto text = [&](std::string_view rev) {
    const Answer answer = bench.call("read_lines", lines_of(rev, "f.cpp", 9, 11));
    EXPECT_EQ(answer.paths, Paths{"f.cpp"});
    EXPECT_TRUE(untrusted(answer.body["content"]));
    return answer.body["content"]["text"].as_string();
  };
  EXPECT_EQ(text("base"), "9\tline 9\n10\tline 10\n11\tline 11\n");
  EXPECT_EQ(text("ours"), "9\tline 9\n10\tint ten_down;\n11\tline 11\n");
  EXPECT_EQ(text("theirs"), "9\tline 9\n10\tint ten_up;\n11\tline 11\n");
  EXPECT_NE(text("merged").find("10\t<<<<<<<"), std::string::npos);
  EXPECT_EQ(text("proposed"), text("merged"));
  bench.resolve(0, "", "mixed");
  EXPECT_EQ(text("proposed"), "9\tline 9\n10\tline 11\n11\tline 12\n");
}

TEST(ReadLines, RefusesWhatIsNoPlaceInTheTree) {
  Plain bench(R"(
    repo up; base40 f.cpp; base40 dir/g.cpp; put bin "a\0b"; commit B "b"
    fork up down; line f.cpp 10 "ten down"; commit D "d"
    at up; line f.cpp 10 "ten up"; commit U "u"
  )");
  for (const char* path : {"/etc/passwd", "../f.cpp", "dir/../f.cpp", "./f.cpp", "dir//g.cpp", "dir/", ".git/config", "DIR/.GIT/x"})
    EXPECT_NE(bench.error("read_lines", lines_of("ours", path, 1, 2)).find("no path"), std::string::npos) << path;
  EXPECT_NE(bench.error("read_lines", lines_of("ours", "absent.cpp", 1, 2)).find("there is no file absent.cpp in ours"), std::string::npos);
  EXPECT_NE(bench.error("read_lines", lines_of("ours", "dir", 1, 2)).find("there is no file dir"), std::string::npos);
  EXPECT_NE(bench.error("read_lines", lines_of("ours", "bin", 1, 2)).find("binary"), std::string::npos);
  EXPECT_NE(bench.error("read_lines", lines_of("ours", "f.cpp", 5, 4)).find("no range"), std::string::npos);
  EXPECT_NE(bench.error("read_lines", lines_of("ours", "f.cpp", 41, 50)).find("has 40 lines"), std::string::npos);
  EXPECT_FALSE(bench.call("read_lines", lines_of("ours", "f.cpp", 40, 1'000'000'000)).is_error) << "up to the end";
}

TEST(ReadLines, ALongAnswerIsCutAndSaysWhereItGoesOn) {
  Plain bench(R"(
    repo up; base40 f.cpp; seq -f 'number %.0f' 1 3000 | put long.txt; { printf 'x%.0s' $(seq 1 5000); echo; } | put wide.txt
    put latin.txt "caf\xe9\n"; commit B "b"
    fork up down; line f.cpp 10 "ten down"; commit D "d"
    at up; line f.cpp 10 "ten up"; commit U "u"
  )");
  const Answer answer = bench.call("read_lines", lines_of("ours", "long.txt", 1, 3000));
  EXPECT_EQ(answer.body["next"].as_int(), 401);
  EXPECT_EQ(answer.body["lines"].as_int(), 3000);
  EXPECT_TRUE(answer.body["content"]["text"].as_string().ends_with("400\tnumber 400\n"));
  EXPECT_TRUE(answer.body.has("left_out"));
  const Answer wide = bench.call("read_lines", lines_of("ours", "wide.txt", 1, 1));
  EXPECT_NE(wide.body["content"]["text"].as_string().find("[3000 bytes more]"), std::string::npos);
  EXPECT_EQ(bench.call("read_lines", lines_of("ours", "latin.txt", 1, 1)).body["content"]["text"].as_string(), "1\tcaf\xef\xbf\xbd\n");
}

TEST(Search, FindsFixedTextAndIdentifiers) {
  Plain bench(two_regions);
  const Answer answer = bench.call("search", for_text("ours", "g()"));
  EXPECT_EQ(answer.body["hits"].as_int(), 2) << answer.body.dump();
  EXPECT_EQ(answer.body["lines"]["text"].as_string(), "g.cpp:1: int g();\ng.cpp:3: int g_user() { return g(); }\n");
  EXPECT_TRUE(untrusted(answer.body["lines"]));
  EXPECT_EQ(answer.paths, Paths{"g.cpp"});
  Json word = for_text("ours", "ten_down");
  word.set("whole_word", true);
  EXPECT_EQ(bench.call("search", word).body["hits"].as_int(), 1);
  word.set("text", "ten_dow");
  EXPECT_EQ(bench.call("search", word).body["hits"].as_int(), 0);
  word.set("whole_word", false);
  EXPECT_EQ(bench.call("search", word).body["hits"].as_int(), 1);
  EXPECT_EQ(bench.call("search", for_text("theirs", "ten_down")).body["hits"].as_int(), 0);
  EXPECT_NE(bench.error("search", for_text("ours", "a\nb")).find("one line"), std::string::npos);
  EXPECT_TRUE(bench.call("search", for_text("merged", "ten")).schema_error) << "not offered";
}

TEST(Search, ReadsTheAnswersSoFar) {
  Plain bench(two_regions);
  EXPECT_EQ(bench.call("search", for_text("proposed", "ten_both")).body["hits"].as_int(), 0);
  bench.resolve(0, "int ten_both;\n", "new");
  EXPECT_EQ(bench.call("search", for_text("proposed", "ten_both")).body["lines"]["text"].as_string(), "f.cpp:10: int ten_both;\n");
  EXPECT_EQ(bench.call("search", for_text("ours", "ten_both")).body["hits"].as_int(), 0);
}

TEST(Search, AFileThatIsToGoIsNotFound) {
  Plain bench(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; drop f.cpp; commit D "d"
    at up; line f.cpp 10 "ten up"; commit U "u"
  )");
  EXPECT_EQ(bench.call("search", for_text("proposed", "ten up")).body["hits"].as_int(), 1);
  bench.resolve(0, "", "ours");
  EXPECT_EQ(bench.call("search", for_text("proposed", "ten up")).body["hits"].as_int(), 0);
}

TEST(Search, KeepsToThePrefixAndStopsAtFiftyPlaces) {
  Plain bench(R"(
    repo up; base40 f.cpp; base40 lib/a.cpp; base40 lib/sub/b.cpp; base40 library.cpp; commit B "b"
    fork up down; line f.cpp 10 "ten down"; commit D "d"
    at up; line f.cpp 10 "ten up"; commit U "u"
  )");
  const auto with = [](std::string_view text, std::string_view prefix) { return for_text("ours", text).set("path_prefix", prefix); };
  EXPECT_EQ(bench.call("search", with("line 20", "lib")).body["hits"].as_int(), 3);
  EXPECT_EQ(bench.call("search", with("line 20", "lib/")).body["lines"]["text"].as_string(), "lib/a.cpp:20: line 20\nlib/sub/b.cpp:20: line 20\n");
  EXPECT_EQ(bench.call("search", with("line 20", "lib/s")).body["lines"]["text"].as_string(), "lib/sub/b.cpp:20: line 20\n");
  EXPECT_EQ(bench.call("search", with("line 20", "none/")).body["hits"].as_int(), 0);
  EXPECT_NE(bench.error("search", with("line 20", "../")).find("path_prefix"), std::string::npos);
  EXPECT_NE(bench.error("search", with("line 20", "/")).find("path_prefix"), std::string::npos);
  const Answer many = bench.call("search", for_text("ours", "line"));
  EXPECT_EQ(many.body["hits"].as_int(), 50);
  EXPECT_NE(many.body["stopped"].as_string().find("at 50 places"), std::string::npos);
  EXPECT_EQ(many.body.dump(), bench.call("search", for_text("ours", "line")).body.dump()) << "the same in every call";
}

TEST(Search, ReadsSoMuchAndNoMoreAndSaysWhereItStopped) {
  Plain bench(R"(
    repo up; base40 f.cpp; seq -f 'a row of a table %06.0f' 1 80000 > big00; for i in $(seq 1 39); do cp big00 big$(printf %02d $i); done
    seq -f 'a row of a table %06.0f' 1 130000 > huge; put zz.cpp "needle\n"; commit B "b"
    fork up down; line f.cpp 10 "ten down"; commit D "d"
    at up; line f.cpp 10 "ten up"; commit U "u"
  )");
  const Answer all = bench.call("search", for_text("ours", "needle"));
  EXPECT_EQ(all.body["hits"].as_int(), 0);
  EXPECT_NE(all.body["stopped"].as_string().find("give a path_prefix"), std::string::npos) << all.body.dump();
  EXPECT_LT(all.body["files_searched"].as_int(), 40);
  const Answer narrow = bench.call("search", for_text("ours", "needle").set("path_prefix", "zz"));
  EXPECT_EQ(narrow.body["hits"].as_int(), 1);
  EXPECT_FALSE(narrow.body.has("stopped"));
  EXPECT_EQ(bench.call("search", for_text("ours", "needle").set("path_prefix", "huge")).body["files_too_large_or_absent"].as_int(), 1);
}

TEST(Absent, WhatTheStoreDoesNotHoldIsNamedAndEndsNoRun) {
  Plain bench(R"(
    repo up; base40 f.cpp; put g.cpp "int g;\n"; put h.cpp "int h;\n"; commit B "b"
    fork up down; line f.cpp 10 "ten down"; commit D "d"
    at up; line f.cpp 10 "ten up"; put h.cpp "int h_up;\n"; commit U "u"
  )");
  for (const auto& [tree, path] : {std::pair{bench.pick.world.ours_tree, "g.cpp"}, std::pair{bench.pick.world.theirs_tree, "h.cpp"}}) {
    const std::string blob = must(bench.pick.repo.reader().entry(tree, path))->oid;
    for (const char* repository : {"up", "down"})
      std::remove((bench.pick.history.path(repository) + "/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2)).c_str());
  }
  EXPECT_NE(bench.error("read_lines", lines_of("ours", "g.cpp", 1, 1)).find("not in the store"), std::string::npos);
  EXPECT_NE(bench.error("read_lines", lines_of("proposed", "g.cpp", 1, 1)).find("not in the store"), std::string::npos);
  EXPECT_NE(bench.error("why_line", R"({"path":"g.cpp","line":1})").find("not in the store"), std::string::npos);
  EXPECT_NE(bench.error("adapt_lines", R"({"path":"g.cpp","old":"int","new":"x","reason_code":"SIGNATURE","reason":"r"})").find("not in the store"), std::string::npos);
  const Answer found = bench.call("search", for_text("ours", "line 20"));
  EXPECT_EQ(found.body["hits"].as_int(), 1);
  EXPECT_EQ(found.body["files_too_large_or_absent"].as_int(), 1);
  const Answer patch = bench.call("upstream_patch", "{}");
  EXPECT_EQ(patch.body["not_in_the_store"].items().at(0).as_string(), "h.cpp");
  EXPECT_EQ(patch.paths, Paths{"f.cpp"});
}

TEST(WhyLine, NamesTheCommitThatWroteALineOfOurs) {
  Plain bench(two_regions);
  Answer answer = bench.call("why_line", R"({"path":"f.cpp","line":10})");
  EXPECT_EQ(answer.body["commit"].as_string(), bench.pick.history.id("D"));
  EXPECT_EQ(answer.body["subject"]["text"].as_string(), "fork: two lines");
  EXPECT_TRUE(untrusted(answer.body["subject"]));
  EXPECT_EQ(answer.body["written_by"].as_string(), "fork");
  EXPECT_EQ(answer.paths, Paths{"f.cpp"});
  answer = bench.call("why_line", R"({"path":"f.cpp","line":11})");
  EXPECT_EQ(answer.body["written_by"].as_string(), "upstream");
  EXPECT_NE(bench.error("why_line", R"({"path":"f.cpp","line":41})").find("no line 41"), std::string::npos);
  EXPECT_NE(bench.error("why_line", R"({"path":"f.cpp","line":9000000000000000000})").find("no line"), std::string::npos);
  bench.pick.world.onto_commit.clear();
  EXPECT_NE(bench.error("why_line", R"({"path":"f.cpp","line":10})").find("not known"), std::string::npos);
}

TEST(WhyLine, RefusesALineThatTheHistoryDoesNotHave) {
  Plain bench(two_regions);
  bench.pick.world.ours_tree = bench.pick.world.theirs_tree;  // as if other members had been picked before
  EXPECT_NE(bench.error("why_line", R"({"path":"f.cpp","line":10})").find("not in ours as"), std::string::npos);
}

TEST(UpstreamPatch, ShowsTheWholeChangeOrOneFile) {
  Plain bench(R"(
    repo up; base40 f.cpp; base40 g.cpp; base40 old.cpp; put bin "a\0b"; commit B "b"
    fork up down; line f.cpp 10 "ten down"; commit D "d"
    at up; line f.cpp 10 "ten up"; insert f.cpp 14 "after fourteen"; cut_lines f.cpp 40 41; line g.cpp 1 "one up"; drop old.cpp; put new.cpp "int n;\n"; put bin "a\0c"; commit U "u"
  )");
  Answer answer = bench.call("upstream_patch", R"({"path":"f.cpp"})");
  EXPECT_TRUE(untrusted(answer.body["patch"]));
  EXPECT_EQ(answer.paths, Paths{"f.cpp"});
  EXPECT_EQ(answer.body["patch"]["text"].as_string(),
            "--- f.cpp\n+++ f.cpp\n@@ line 7 of base @@\n line 7\n line 8\n line 9\n-line 10\n+ten up\n line 11\n line 12\n line 13\n line 14\n"
            "+after fourteen\n line 15\n line 16\n line 17\n@@ line 36 of base @@\n line 36\n line 37\n line 38\n-line 39\n-line 40\n");
  answer = bench.call("upstream_patch", "{}");
  const std::string& text = answer.body["patch"]["text"].as_string();
  EXPECT_EQ(answer.paths, (Paths{"bin", "f.cpp", "g.cpp", "new.cpp", "old.cpp"}));
  EXPECT_NE(text.find("--- bin\n+++ bin\nbinary\n"), std::string::npos);
  EXPECT_NE(text.find("--- (absent)\n+++ new.cpp\n@@ line 1 of base @@\n+int n;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("--- old.cpp\n+++ (absent)\n"), std::string::npos);
  EXPECT_NE(bench.error("upstream_patch", R"({"path":"absent.cpp"})").find("does not change"), std::string::npos);
  EXPECT_NE(bench.error("upstream_patch", R"({"path":"../f.cpp"})").find("no path"), std::string::npos);
}

TEST(UpstreamPatch, FilesThatDoNotFitAreNamed) {
  Plain bench(R"(
    repo up; base40 f.cpp; commit B "b"
    fork up down; line f.cpp 10 "ten down"; commit D "d"
    at up; line f.cpp 10 "ten up"; seq -f 'a %.0f' 1 5000 | put a.txt; seq -f 'b %.0f' 1 8000 | put z.txt; commit U "u"
  )");
  const Answer answer = bench.call("upstream_patch", "{}");
  EXPECT_LT(answer.body.dump().size(), 60'000U);
  EXPECT_EQ(answer.paths, (Paths{"a.txt", "f.cpp"}));
  EXPECT_TRUE(answer.body["patch"]["text"].as_string().starts_with("--- f.cpp\n")) << "what waits for an answer comes first";
  ASSERT_EQ(answer.body["left_out"].items().size(), 1U);
  EXPECT_EQ(answer.body["left_out"].items()[0].as_string(), "z.txt");
  EXPECT_GT(bench.call("upstream_patch", R"({"path":"z.txt"})").body["patch"]["left_out_lines"].as_int(), 0) << "asked for alone it is cut";
}

// ---- what may not be shown ---------------------------------------------------------------------------------------

TEST(Withheld, NoLineOfSuchAPathLeaves) {
  Plain bench(R"(
    repo up; base40 f.cpp; base40 secret/k.cpp; commit B "b"
    fork up down; line f.cpp 10 "ten down"; line secret/k.cpp 10 "token ours"; commit D "d"
    at up; line f.cpp 10 "ten up"; line secret/k.cpp 10 "token theirs"; commit U "u"
  )");
  bench.pick.world.may_send = [](std::string_view path) { return !path.starts_with("secret/"); };
  const std::size_t k = bench.pick.place(0).path == "f.cpp" ? 1 : 0;
  ASSERT_EQ(bench.pick.place(k).path, "secret/k.cpp");
  const Json id = Json::object({{"region_id", bench.pick.id(k)}});
  std::vector<std::pair<std::string, Json>> calls = {{"get_region", id}, {"upstream_patch", Json::object({{"path", "secret/k.cpp"}})},
                                                     {"why_line", Json::object({{"path", "secret/k.cpp"}, {"line", 10}})}};
  for (const char* rev : {"base", "ours", "theirs", "merged", "proposed"}) calls.emplace_back("read_lines", lines_of(rev, "secret/k.cpp", 9, 11));
  for (const auto& [name, arguments] : calls) {
    const Answer answer = bench.call(name, arguments);
    EXPECT_TRUE(answer.is_error) << name;
    EXPECT_NE(answer.body["error"].as_string().find("withheld"), std::string::npos) << name;
    EXPECT_TRUE(answer.paths.empty()) << name;
    EXPECT_EQ(answer.body.dump().find("token"), std::string::npos) << name;
  }
  for (const char* rev : {"base", "ours", "theirs", "proposed"}) {
    const Answer answer = bench.call("search", for_text(rev, "token"));
    EXPECT_EQ(answer.body["hits"].as_int(), 0);
    EXPECT_EQ(answer.body["withheld_files"].as_int(), 1);
    EXPECT_FALSE(answer.body.has("lines"));
  }
  const Answer patch = bench.call("upstream_patch", "{}");
  EXPECT_EQ(patch.body["withheld"].items().at(0).as_string(), "secret/k.cpp");
  EXPECT_EQ(patch.paths, Paths{"f.cpp"});
  EXPECT_EQ(patch.body.dump().find("token"), std::string::npos);
  const Answer list = bench.call("list_conflicts", "{}");
  EXPECT_NE(list.body.dump().find("\"withheld\":true"), std::string::npos);
  EXPECT_EQ(list.body.dump().find("token"), std::string::npos);
  EXPECT_TRUE(bench.resolve(k, "token ours\n", "ours").is_error) << "nobody answers what nobody may read";
  EXPECT_TRUE(bench.call("adapt_lines", R"({"path":"secret/k.cpp","old":"line 30","new":"x","reason_code":"SIGNATURE","reason":"r"})").is_error);
  EXPECT_FALSE(bench.resolve(1 - k, "ten up\n", "theirs").is_error);
}

TEST(Withheld, OfAFindingThereOnlyItsPlaceIsTold) {
  Plain bench(two_regions, [](Level, const Draft&) {
    return std::vector<Finding>{{"G23", Judgement::explain, "f.cpp", 10, "int ten_down;", "the line is gone", core::sha256_hex("x"), "downstream_lost", 1},
                                {"G23", Judgement::explain, "g.cpp", 1, "int g();", "the line is gone", core::sha256_hex("y"), "downstream_lost", 1}};
  });
  bench.pick.world.may_send = [](std::string_view path) { return path != "f.cpp"; };
  const Answer answer = bench.call("run_checks", R"({"level":"static"})");
  ASSERT_EQ(answer.body["findings"].items().size(), 2U);
  EXPECT_TRUE(answer.body["findings"].items()[0]["withheld"].as_bool());
  EXPECT_EQ(answer.body.dump().find("ten_down"), std::string::npos);
  EXPECT_EQ(answer.body.dump().find(core::sha256_hex("x")), std::string::npos);
  EXPECT_EQ(answer.body["findings"].items()[1]["text"].as_string(), "int g();");
  EXPECT_EQ(answer.paths, Paths{"g.cpp"});
}

}  // namespace
}  // namespace sluice::tools::testing
