// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "core/model/accounting.h"
#include "core/model/disposition.h"
#include "core/model/judge_context.h"
#include "core/model/proposal.h"
#include "core/model/unit.h"
#include "core/model/verdict.h"

namespace sluice::model {
namespace {

using core::Json;

const Oid a(40, 'a'), b(40, 'b');

TEST(Names, every_word_is_read_back_to_its_value) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(Disposition::wont_port); ++i) {
    const auto d = static_cast<Disposition>(i);
    EXPECT_EQ(parse_disposition(to_string(d)), d);
    words.insert(to_string(d));
  }
  EXPECT_EQ(words.size(), 12u);
  for (int i = 0; i <= static_cast<int>(TestState::missing); ++i) {
    EXPECT_EQ(parse_test_state(to_string(static_cast<TestState>(i))), static_cast<TestState>(i));
  }
  for (int i = 0; i <= static_cast<int>(UnitState::dropped); ++i) {
    EXPECT_EQ(parse_unit_state(to_string(static_cast<UnitState>(i))), static_cast<UnitState>(i));
  }
  for (int i = 0; i <= static_cast<int>(Judgement::block); ++i) {
    EXPECT_EQ(parse_judgement(to_string(static_cast<Judgement>(i))), static_cast<Judgement>(i));
  }
  EXPECT_EQ(parse_unit_kind("chain"), UnitKind::chain);
  EXPECT_FALSE(parse_disposition("Picked"));
  EXPECT_FALSE(parse_unit_kind(""));
  EXPECT_EQ(to_string(Rung::proven), "proven");
  EXPECT_EQ(to_string(PickStatus::empty), "empty");
  EXPECT_EQ(to_string(ChangeStatus::type_changed), "type_changed");
  EXPECT_EQ(to_string(CommitKind::ci), "ci");
}

TEST(Disposition, settled_moves_the_contiguous_pin_and_backlog_counts_holes) {
  int settled = 0, dispositioned = 0, backlog = 0;
  for (int i = 0; i <= static_cast<int>(Disposition::wont_port); ++i) {
    const auto d = static_cast<Disposition>(i);
    settled += is_settled(d);
    dispositioned += is_dispositioned(d);
    backlog += is_backlog(d);
    EXPECT_TRUE(is_dispositioned(d) || !(is_settled(d) || is_backlog(d)));
    EXPECT_FALSE(is_settled(d) && is_backlog(d));
  }
  EXPECT_EQ(settled, 8);
  EXPECT_EQ(dispositioned, 11);
  EXPECT_EQ(backlog, 2);
  EXPECT_EQ(fork_word(Disposition::adapted), "PICKED");
  EXPECT_EQ(fork_word(Disposition::deferred), "DEFERRED_BLOCKED");
  EXPECT_EQ(fork_word(Disposition::already), "already");
}

TEST(Unit, id_depends_on_kind_members_and_their_order) {
  const std::string id = unit_id(UnitKind::bundle, {a, b});
  EXPECT_EQ(id, unit_id(UnitKind::bundle, {a, b}));
  EXPECT_EQ(id.substr(0, 2), "b-");
  EXPECT_EQ(id.size(), 12u);
  EXPECT_NE(id, unit_id(UnitKind::bundle, {b, a}));
  EXPECT_NE(id.substr(2), unit_id(UnitKind::chain, {a, b}).substr(2));
  EXPECT_EQ(unit_id(UnitKind::pin, {a})[0], 'p');
  EXPECT_TRUE(is_oid(a));
  EXPECT_FALSE(is_oid("HEAD"));
}

Evidence sample() {
  Evidence e;
  e.suite = "lit";
  e.kind = "lit";
  e.tier = "L1";
  e.tree = a;
  e.grade = "observed";
  e.exit_code = 1;
  e.tests = {
      {"A", TestState::pass, ""}, {"B", TestState::fail, "at /build/x\xff"}, {"C", TestState::pass, ""}};
  return e;
}

TEST(Evidence, id_ignores_times_logs_and_nonces_and_nothing_else) {
  const Evidence e = sample();
  Evidence other = e;
  other.nonce = "n2";
  other.started_at = 5;
  other.wall_ms = 7;
  other.log = "host: x";
  other.log_bytes = 9;
  other.trouble_detail = "in /tmp/x";
  other.tests[1].detail = "at /elsewhere";
  EXPECT_EQ(e.id(), other.id());
  EXPECT_EQ(e.id().size(), 64u);
  Evidence changed = e;
  changed.tests[1].state = TestState::pass;
  EXPECT_NE(changed.id(), e.id());
  changed = e;
  changed.tree = b;
  EXPECT_NE(changed.id(), e.id());
  changed = e;
  changed.trouble = "timeout";
  EXPECT_NE(changed.id(), e.id());
  changed = e;
  changed.tests.pop_back();
  EXPECT_NE(changed.id(), e.id());
}

TEST(Evidence, is_read_back_from_its_own_json) {
  Evidence e = sample();
  e.nonce = "n";
  e.log = "text";
  e.wall_ms = 12;
  e.warnings = 3;
  const auto json = Json::parse(to_json(e).dump());
  ASSERT_TRUE(json.ok());
  const auto back = parse_evidence(*json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->id(), e.id());
  EXPECT_EQ(to_json(*back).dump(), to_json(e).dump());
}

TEST(Evidence, what_is_no_evidence_is_refused) {
  EXPECT_FALSE(parse_evidence(Json()).ok());
  EXPECT_FALSE(parse_evidence(Json::object({{"schema", "sluice.evidence/2"}})).ok());
  Json j = to_json(sample());
  j.set("tests", Json::array().push(Json::object({{"id", "A"}, {"state", "green"}})));
  const auto r = parse_evidence(j);
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.error().message.find("green"), std::string::npos);
  j = to_json(sample());
  j.set("tree", "");
  EXPECT_FALSE(parse_evidence(j).ok());
}

TEST(Evidence, states_map_to_outcomes_and_only_pass_clears) {
  EXPECT_EQ(outcome_of(TestState::xpass), Outcome::fail);
  EXPECT_EQ(outcome_of(TestState::crash), Outcome::fail);
  EXPECT_EQ(outcome_of(TestState::missing), Outcome::unresolved);
  EXPECT_EQ(outcome_of(TestState::notrun), Outcome::unresolved);
  EXPECT_EQ(outcome_of(TestState::skip), Outcome::unsupported);
  EXPECT_EQ(outcome_of(TestState::flakypass), Outcome::pass);
  const auto counts = count_states(sample().tests);
  EXPECT_EQ(counts, (std::map<std::string, int>{{"fail", 1}, {"pass", 2}}));
}

Verdict verdict() {
  Verdict v;
  v.mode = "unit";
  v.base = a;
  v.tree = b;
  v.judgement = Judgement::block;
  RuleResult r;
  r.id = "G23";
  r.title = "fork lines";
  r.judgement = Judgement::block;
  VerdictItem item;
  item.path = "a.c";
  item.line = 3;
  item.text = "x\xff";
  item.origin = "proposal";
  r.items = {item};
  v.rules = {r};
  SuiteResult s;
  s.id = "lit";
  s.outcome = Outcome::pass;
  s.counts = {{"pass", 2}};
  s.reason = "in /tmp/x";
  v.suites = {s};
  return v;
}

TEST(Verdict, json_has_the_fields_of_its_schema) {
  const Json j = to_json(verdict());
  EXPECT_EQ(j["schema"].as_string(), "sluice.verdict/1");
  for (const char* f : {"mode", "base", "tree", "verdict", "rules", "suites"}) EXPECT_TRUE(j.has(f)) << f;
  EXPECT_EQ(j["verdict"].as_string(), "block");
  const Json& rule = j["rules"].items().at(0);
  for (const char* f : {"id", "title", "verdict", "applicable", "items"}) EXPECT_TRUE(rule.has(f)) << f;
  const Json& item = rule["items"].items().at(0);
  for (const char* f : {"path", "line", "text", "detail", "origin", "introduced_by", "lifted_by"})
    EXPECT_TRUE(item.has(f)) << f;
  const Json& suite = j["suites"].items().at(0);
  for (const char* f : {"id", "tier", "runner", "verdict", "grade", "counts", "evidence"})
    EXPECT_TRUE(suite.has(f)) << f;
  EXPECT_EQ(suite["counts"]["pass"].as_int(), 2);
  EXPECT_EQ(j["digest"].as_string(), verdict().digest());
}

TEST(Verdict, digest_changes_with_what_was_found_and_not_with_sentences_about_the_machine) {
  Verdict v = verdict();
  v.suites[0].reason = "elsewhere";
  EXPECT_EQ(v.digest(), verdict().digest());
  v.rules[0].items[0].line = 4;
  EXPECT_NE(v.digest(), verdict().digest());
  v = verdict();
  v.context_sha256 = "x";
  EXPECT_NE(v.digest(), verdict().digest());
}

TEST(Verdict, exit_status_and_order_of_severity) {
  EXPECT_EQ(exit_status(Judgement::pass), 0);
  EXPECT_EQ(exit_status(Judgement::explain), 1);
  EXPECT_EQ(exit_status(Judgement::block), 1);
  EXPECT_EQ(exit_status(Judgement::unresolved), 3);
  EXPECT_EQ(exit_status(Judgement::escalate), 4);
  EXPECT_EQ(worse(Judgement::unresolved, Judgement::escalate), Judgement::unresolved);
  EXPECT_EQ(worse(Judgement::block, Judgement::unresolved), Judgement::block);
}

TEST(JudgeContext, hash_ignores_now_and_nonces) {
  JudgeContext c;
  c.landed = {a};
  c.base_evidence["lit"] = sample();
  const std::string before = c.hash();
  c.now = 99;
  c.nonces = {"n"};
  c.committer.time = 3;
  EXPECT_EQ(c.hash(), before);
  c.open_deferrals.insert("D-1");
  EXPECT_NE(c.hash(), before);
}

AccountEntry line_entry() {
  return {.kind = "upstream_added",
          .path = "a.c",
          .norm_sha256 = std::string(64, '0'),
          .count = 2,
          .code = "RENAMED",
          .arg = "old new",
          .because = "renamed in the fork"};
}

TEST(Account, is_read_back_from_its_own_json) {
  const std::vector<AccountEntry> entries = {line_entry(),
                                             {.kind = "proven",
                                              .path = "b.py",
                                              .norm_sha256 = "",
                                              .count = 0,
                                              .code = "FORMAT_EQUAL",
                                              .arg = "0123456789ab",
                                              .because = ""}};
  const auto back = parse_account(to_json(entries));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(to_json(*back).dump(), to_json(entries).dump());
  EXPECT_EQ(back->at(0).count, 2);
}

TEST(Account, errors_name_the_entry_the_field_and_what_is_allowed) {
  struct Row {
    const char* field;
    Json value;
    const char* want;
  };
  const Row table[] = {{"kind", "other", "allowed are upstream_added"},
                       {"kind", 3, "must be a string"},
                       {"reason_code", "BECAUSE", "ALREADY_PRESENT"},
                       {"reason_code", "FORMAT_EQUAL", "allowed are"},
                       {"path", "", "path is missing"},
                       {"norm_sha256", "xyz", "64 lower-case hex digits"},
                       {"count", 0, "at least 1"},
                       {"count", -1, "whole number"},
                       {"because", std::string(601, 'x'), "the limit is 600"}};
  for (const Row& r : table) {
    const Json good = to_json(line_entry());
    const auto parsed = parse_account(Json::array().push(good).push(Json(good).set(r.field, r.value)));
    ASSERT_FALSE(parsed.ok()) << r.field;
    EXPECT_NE(parsed.error().message.find("entry 1"), std::string::npos) << parsed.error().message;
    EXPECT_NE(parsed.error().message.find(r.want), std::string::npos) << parsed.error().message;
  }
  EXPECT_FALSE(parse_account(Json::object()).ok());
  EXPECT_FALSE(parse_account(Json::array().push(1)).ok());
}

constexpr const char* two_entries = R"([
  {"kind": "adapt", "path": "a, {b}.c", "norm_sha256": "0000000000000000000000000000000000000000000000000000000000000000",
   "reason_code": "INCLUDE", "line": 12, "text": "a \"quoted, [line]"},
  {"kind": "proven", "path": "b.py", "code": "FORMAT_EQUAL", "arg": "0123456789ab",
   "upstream": "1111111111111111111111111111111111111111"}
])";

TEST(Account, a_file_is_read_with_what_stands_there_for_people) {
  const auto parsed = parse_account_text(two_entries, "acc.json");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  ASSERT_EQ(parsed->size(), 2u);
  EXPECT_EQ(parsed->at(0).path, "a, {b}.c");
  EXPECT_EQ(parsed->at(1).code, "FORMAT_EQUAL") << "the name that the code uses is taken, too";
  EXPECT_EQ(parsed->at(1).upstream, std::string(40, '1'));
}

TEST(Account, an_error_in_a_file_names_file_line_and_field) {
  std::string text = two_entries;
  text.replace(text.find("FORMAT_EQUAL"), 12, "SIDE");
  const auto parsed = parse_account_text(text, "acc.json");
  ASSERT_FALSE(parsed.ok());
  EXPECT_TRUE(parsed.error().message.starts_with("acc.json:4: account entry 1: code is 'SIDE'")) << parsed.error().message;
  const auto broken = parse_account_text("[\n  {},\n  oops\n]", "acc.json");
  ASSERT_FALSE(broken.ok());
  EXPECT_TRUE(broken.error().message.starts_with("acc.json:3: not JSON")) << broken.error().message;
  const auto unfilled = parse_account_text(R"([{"kind": "adapt", "path": "a", "reason_code": ""}])", "t");
  ASSERT_FALSE(unfilled.ok());
  EXPECT_NE(unfilled.error().message.find("reason_code is empty"), std::string::npos) << unfilled.error().message;
  const auto large = parse_account_text(std::string(account_cap + 1, ' '), "acc.json");
  ASSERT_FALSE(large.ok());
  EXPECT_NE(large.error().message.find("4194304"), std::string::npos) << large.error().message;
}

TEST(Account, a_message_carries_it_in_fenced_blocks_of_that_name_alone) {
  const std::string entries = two_entries;
  const std::string message = "pick of #1\n\n```json\n" + entries + "\n```\n\n````sluice-account\r\n" + entries + "\n````\n~~~ sluice-account\n[]\n~~~\nbye\n";
  const auto found = account_in_text(message, "message");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->size(), 2u);
  EXPECT_TRUE(account_in_text("no block\n    ```sluice-account\n", "message")->empty()) << "four blanks are no fence";
}

TEST(Account, a_block_that_is_wrong_or_open_is_an_error_with_its_line) {
  const auto open = account_in_text("subject\n\n```sluice-account\n[]\n", "body");
  ASSERT_FALSE(open.ok());
  EXPECT_TRUE(open.error().message.starts_with("body:3: ")) << open.error().message;
  const auto wrong = account_in_text("subject\n\n```sluice-account\n[\n{\"kind\": \"adapt\"}]\n```\n", "body");
  ASSERT_FALSE(wrong.ok());
  EXPECT_TRUE(wrong.error().message.starts_with("body:5: account entry 0: path")) << wrong.error().message;
}

}  // namespace
}  // namespace sluice::model
