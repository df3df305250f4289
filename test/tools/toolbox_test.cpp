// SPDX-License-Identifier: Apache-2.0
// What is offered, and that no argument at all brings a tool down.
#include <algorithm>
#include <limits>
#include <random>

#include "prompts/prompts.h"
#include "test/tools/support.h"

namespace sluice::tools::testing {
namespace {

using Plain = Bench<ListedChecks>;

// The twelve tools that only look, and those that answer: the table of tools, as text.
const char* const table =
    "list_conflicts()\nget_region(context:integer region_id:string*)\nread_lines(end:integer* path:string* rev:string* start:integer*)\n"
    "search(path_prefix:string rev:string* text:string* whole_word:boolean)\nwhy_line(line:integer* path:string*)\nupstream_patch(path:string)\n"
    "resolve_region(action:string* reason:string* region_id:string* text:string*)\n"
    "adapt_lines(new:string* old:string* path:string* reason:string* reason_code:string*)\n"
    "account(arg:string because:string* code:string* item_ids:array* kind:string* path:string*)\nrun_checks(level:string*)\n"
    "submit(confidence:string* summary:string*)\ngive_up(category:string* question:string*)\n";

TEST(Offers, AreTheTableOfTools) {
  Plain bench(two_regions);
  std::string out;
  for (const Offer& offer : bench.box.offers()) {
    EXPECT_EQ(offer.description, "what " + offer.name + " is for");
    EXPECT_FALSE(offer.schema["additionalProperties"].as_bool(true)) << offer.name;
    EXPECT_EQ(offer.schema["type"].as_string(), "object");
    std::string properties;
    for (const auto& [name, schema] : offer.schema["properties"].members()) {
      const auto& required = offer.schema["required"].items();
      const bool must_be = std::find(required.begin(), required.end(), Json(name)) != required.end();
      properties += (properties.empty() ? "" : " ") + name + ":" + schema["type"].as_string() + (must_be ? "*" : "");
      const bool bounded = schema.has("maxLength") || schema.has("enum") || schema.has("pattern") || schema["type"].as_string() != "string";
      EXPECT_TRUE(bounded) << offer.name << " " << name;
    }
    out += offer.name + "(" + properties + ")\n";
  }
  EXPECT_EQ(out, table);
  // What a recorded run was offered must still be what it says: whoever changes a schema changes this, on purpose.
  Json all = Json::array();
  for (const Offer& offer : bench.box.offers()) all.push(Json::object({{"name", offer.name}, {"parameters", offer.schema}}));
  EXPECT_EQ(core::sha256_hex(all.dump()), "265aeaab515cb268764604b125240b4a3da20bfcf283047446d02a02df53d5fb");
}

TEST(Offers, EveryToolHasOneDescriptionAndNoOtherHasAny) {
  Pick pick(two_regions);
  ListedChecks checks;
  Descriptions less = descriptions(), more = descriptions(), twice = descriptions(), empty = descriptions();
  less.pop_back();
  more.emplace_back("shell", "runs anything");
  twice.push_back(twice.front());
  empty.front().second.clear();
  for (const Descriptions& wrong : {less, more, twice, empty}) EXPECT_FALSE(Toolbox::open(pick.world, pick.buffer(), checks, wrong).ok());
  EXPECT_NE(error_of(Toolbox::open(pick.world, pick.buffer(), checks, more)).find("shell"), std::string::npos);
  EXPECT_TRUE(Toolbox::open(pick.world, pick.buffer(), checks, descriptions()).ok());
}

TEST(Offers, TheTextsThatShipDescribeEveryTool) {
  Pick pick(two_regions);
  ListedChecks checks;
  const auto box = Toolbox::open(pick.world, pick.buffer(), checks, prompts::tool_descriptions());
  ASSERT_TRUE(box.ok()) << box.error().message;
  EXPECT_EQ(box->offers().size(), 12U);
}

TEST(Call, AnUnknownToolOrWrongArgumentsAreSchemaErrorsWithAHint) {
  Plain bench(two_regions);
  const auto breaks = [&](std::string_view name, const std::optional<Json>& arguments) {
    const Answer answer = must(bench.box.call(name, arguments));
    EXPECT_TRUE(answer.is_error) << name;
    EXPECT_EQ(answer.end, Answer::End::none);
    return answer.schema_error ? answer.body["error"].as_string() : "(no schema error) " + answer.body.dump();
  };
  EXPECT_NE(breaks("shell", Json::object({})).find("list_conflicts"), std::string::npos) << "the hint names the tools";
  EXPECT_NE(breaks("shell", Json::object({})).find("\"shell\""), std::string::npos);
  EXPECT_NE(breaks("submit", std::nullopt).find("one JSON object"), std::string::npos);
  EXPECT_NE(breaks("submit", Json::array()).find("one JSON object"), std::string::npos);
  EXPECT_NE(breaks("submit", Json("text")).find("one JSON object"), std::string::npos);
  const auto text = [&](std::string_view name, const char* arguments) { return breaks(name, must(Json::parse(arguments))); };
  EXPECT_NE(text("run_checks", R"({})").find("level"), std::string::npos);
  EXPECT_NE(text("run_checks", R"({"level":"all"})").find("/level"), std::string::npos);
  EXPECT_NE(text("run_checks", R"({"level":"static","more":1})").find("more"), std::string::npos);
  EXPECT_NE(text("list_conflicts", R"({"x":1})").find("do not fit"), std::string::npos);
  EXPECT_NE(text("get_region", R"({"region_id":"XYZ"})").find("/region_id"), std::string::npos);
  EXPECT_NE(text("get_region", R"({"region_id":"0123456789ab","context":81})").find("/context"), std::string::npos);
  EXPECT_NE(text("read_lines", R"({"rev":"HEAD","path":"f.cpp","start":1,"end":2})").find("/rev"), std::string::npos) << "no free refs";
  EXPECT_NE(text("read_lines", R"({"rev":"ours","path":"f.cpp","start":"1","end":2})").find("/start"), std::string::npos) << "a number in a string";
  EXPECT_NE(text("read_lines", R"({"rev":"ours","path":"f.cpp","start":1.5,"end":2})").find("/start"), std::string::npos);
  EXPECT_NE(text("account", R"({"kind":"adapt","path":"f","item_ids":["a"],"code":"DEFERRED","because":"b"})").find("/kind"), std::string::npos);
  EXPECT_NE(text("account", R"({"kind":"upstream_added","path":"f","item_ids":[],"code":"DEFERRED","because":"b"})").find("/item_ids"), std::string::npos);
  const Answer semantic = bench.call("get_region", R"({"region_id":"0123456789ab"})");
  EXPECT_TRUE(semantic.is_error);
  EXPECT_FALSE(semantic.schema_error) << "well-formed, and wrong";
}

TEST(Call, LengthsAreCountedInCharacters) {
  Plain bench(two_regions);
  const auto give_up = [&](std::size_t n) {
    std::string question;
    for (std::size_t k = 0; k < n; ++k) question += "\xe2\x82\xac";
    return bench.call("give_up", Json::object({{"category", "needs_design"}, {"question", question}}));
  };
  EXPECT_EQ(give_up(800).end, Answer::End::gave_up);
  EXPECT_TRUE(give_up(801).schema_error);
}

TEST(Call, NulAndBytesThatAreNotUtf8AreRefusedBeforeAnyToolSeesThem) {
  Plain bench(two_regions);
  for (const std::string& bad : {std::string("a\0b", 3), std::string("a\xff"), std::string("\xed\xa0\x80")}) {
    for (const Answer& answer : {bench.call("search", Json::object({{"rev", "ours"}, {"text", bad + "b"}})),
                                 bench.call("read_lines", Json::object({{"rev", "ours"}, {"path", bad}, {"start", 1}, {"end", 1}})),
                                 bench.call("give_up", Json::object({{"category", "needs_design"}, {"question", bad}})), bench.resolve(0, bad, "new")}) {
      EXPECT_TRUE(answer.is_error);
      EXPECT_EQ(answer.end, Answer::End::none);
      EXPECT_TRUE(core::is_utf8(answer.body.dump()));
    }
  }
  EXPECT_FALSE(bench.pick.place(0).answer.has_value());
}

TEST(Call, DeepAndLargeArgumentsAreRefused) {
  Plain bench(two_regions);
  // Before the schema walks through them.
  const auto too_much = [&](std::string_view name, const Json& arguments) {
    const Answer answer = bench.call(name, arguments);
    return answer.schema_error && answer.body["error"].as_string().find("too large or too deep") != std::string::npos;
  };
  Json deep = Json::object({{"level", "static"}});
  for (int k = 0; k < 200; ++k) {
    Json outer = Json::object({});
    outer.set("level", std::move(deep));
    deep = std::move(outer);
  }
  EXPECT_TRUE(too_much("run_checks", deep));
  EXPECT_TRUE(too_much("search", Json::object({{"rev", "ours"}, {"text", std::string(2u << 20, 'x')}})));
  Json many = Json::array();
  for (int k = 0; k < 5000; ++k) many.push("x");
  EXPECT_TRUE(too_much("account", Json::object({{"item_ids", many}})));
  Json keys = Json::object({});
  for (int k = 0; k < 5000; ++k) keys.set("key" + std::to_string(k), k);
  EXPECT_TRUE(too_much("list_conflicts", keys));
}

// A value of any kind, often one that some tool knows.
class Hostile {
 public:
  Hostile(unsigned seed, std::vector<std::string> ids) : random_(seed), words_(std::move(ids)) {
    for (const char* word : {"base", "ours", "theirs", "merged", "proposed", "f.cpp", "g.cpp", "../../etc/passwd", "/", "", ".", "f.cpp/", "static", "compile", "mixed",
                             "new", "both_ours_first", "upstream_added", "downstream_lost", "RENAMED", "MOVED_TO", "DEFERRED", "SUPERSEDED_BY_FORK", "API_RENAME", "SIGNATURE",
                             "a,b", "HEAD", "refs/heads/main", "high", "needs_design", "int g();", "line 20\n", "int", "\r\n", "<<<<<<< ours", "=======", "\xff\xfe", "e\xcc\x81",
                             "\xe2\x80\xae", "$(id)", "'; drop table", "%s%n", "{}", "[[", "line 1\nline 2\n"})
      words_.emplace_back(word);
    words_.push_back(std::string("\0", 1));
    words_.push_back(std::string(70'000, 'x'));
    words_.push_back(std::string(40, 'a'));
  }
  std::size_t below(std::size_t n) { return random_() % n; }
  const std::string& word() { return words_[below(words_.size())]; }
  Json value(int depth = 0) {
    switch (below(depth > 3 ? 7 : 9)) {
      case 0: return nullptr;
      case 1: return below(2) == 0;
      case 2: return static_cast<int>(below(90));
      case 3: return below(2) == 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
      case 4: return below(2) == 0 ? 1e300 : -0.5;
      case 7: {
        Json out = Json::array();
        for (std::size_t n = below(4); n > 0; --n) out.push(value(depth + 1));
        return out;
      }
      case 8: {
        Json out = Json::object({});
        for (std::size_t n = below(4); n > 0; --n) out.set(word().substr(0, 20), value(depth + 1));
        return out;
      }
      default: return word();
    }
  }
  // Arguments that follow the schema in most of their members.
  Json arguments(const Json& schema) {
    Json out = Json::object({});
    for (const auto& [name, property] : schema["properties"].members()) {
      if (below(12) == 0) continue;
      const auto& words = property["enum"].items();
      if (below(8) == 0)
        out.set(name, value());
      else if ((name == "path" || name == "old") && below(2) == 0)
        out.set(name, name == "path" ? (below(2) == 0 ? "f.cpp" : "g.cpp") : (below(2) == 0 ? "line 20\n" : "int h();"));
      else if (!words.empty())
        out.set(name, words[below(words.size())]);
      else if (property["type"].as_string() == "integer")
        out.set(name, static_cast<int>(below(60)));
      else if (property["type"].as_string() == "boolean")
        out.set(name, below(2) == 0);
      else if (property["type"].as_string() == "array")
        out.set(name, Json::array().push(word()));
      else
        out.set(name, word());
    }
    return out;
  }

 private:
  std::mt19937 random_;
  std::vector<std::string> words_;
};

TEST(Call, NoArgumentsBringAToolDownOrChangeALineOutside) {
  Pick pick(two_regions);
  pick.world.protected_why = [](std::string_view path) { return path == "g.cpp" ? std::string("protected") : std::string(); };
  ListedChecks checks([](Level, const Draft& draft) {
    std::vector<Finding> out;
    for (const DraftFile& file : draft.files)
      out.push_back({"G23", Judgement::explain, file.path, 1, "line \xff", "detail", std::string(40, 'a'), "downstream_lost", 1});
    return out;
  });
  Toolbox box = must(Toolbox::open(pick.world, pick.buffer(), checks, descriptions()));
  Hostile hostile(20260105, {pick.id(0), pick.id(1), "0123456789ab"});
  std::size_t answered = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const Offer& offer = box.offers()[hostile.below(box.offers().size())];
    std::optional<Json> arguments;
    if (hostile.below(20) != 0) arguments = hostile.below(4) == 0 ? hostile.value() : hostile.arguments(offer.schema);
    const auto answer = box.call(hostile.below(30) == 0 ? hostile.word() : offer.name, arguments);
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    ++(answer->is_error ? refused : answered);
    EXPECT_TRUE(!answer->schema_error || answer->is_error);
    EXPECT_EQ(answer->is_error, answer->body.has("error")) << answer->body.dump();
    EXPECT_TRUE(core::is_utf8(answer->body.dump()));
    EXPECT_LT(answer->body.dump().size(), 300'000U);
  }
  EXPECT_GT(answered, 100U);
  EXPECT_GT(refused, 100U);
  EXPECT_EQ(pick.proposed("g.cpp"), pick.text(pick.world.merged_tree, "g.cpp")) << "a protected file";
  EXPECT_FALSE(pick.buffer().adaptations().empty());
  const Draft draft = must(pick.buffer().draft());
  for (const DraftFile& file : draft.files) EXPECT_EQ(file.path, "f.cpp");
}

}  // namespace
}  // namespace sluice::tools::testing
