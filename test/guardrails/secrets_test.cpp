// SPDX-License-Identifier: Apache-2.0
// What is a secret, and G61: none in what a proposal adds, and none in what is said about it.
#include "guardrails/scan/secrets.h"

#include "core/log.h"
#include "test/guardrails/unit_support.h"

namespace sluice::guardrails::testing {
namespace {

std::string kinds(std::string_view text, const std::vector<std::string>& held = {}) {
  std::vector<std::string> out;
  for (const SecretFound& found : find_secrets(text, held)) out.emplace_back(found.kind);
  return core::join(out, ", ");
}

// Made up, and put together here, so that no scanner takes this file for a leak.
std::string made(std::string_view prefix, std::size_t n) {
  constexpr std::string_view digits = "a1B2c3D4e5F6g7H8i9J0";
  std::string out(prefix);
  for (std::size_t i = 0; i < n; ++i) out += digits[i % digits.size()];
  return out;
}

TEST(Secrets, KnownFormsOfTokensAreFoundAndShorterOnesAreNot) {
  const std::string upper(16, 'Q');
  const std::tuple<const char*, std::string, std::string> rows[] = {
      {"github token", made("ghp_", 36), made("ghp_", 20)},
      {"github token", made("gho_", 36), "the prefix gho_ alone"},
      {"github token", made("github_pat_", 60), made("github_pat_", 8)},
      {"aws key id", "AKIA" + upper, "AKIA" + upper + "MORE"},
      {"slack token", made("xoxb-", 24), "xoxb-"},
      {"anthropic key", made("sk-ant-", 40), "sk-ant-x"},
      {"openai key", made("sk-", 48), "sk-learn-is-a-library-of-python-that-is-long"},
      {"private key", "-----BEGIN OPENSSH PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----"},
      {"json web token", made("eyJ", 20) + "." + made("eyJ", 30) + "." + made("", 40), made("eyJ", 20) + "." + made("abc", 30)},
  };
  for (const auto& [kind, fires, near] : rows) {
    EXPECT_EQ(kinds("x = \"" + fires + "\";"), kind) << fires;
    EXPECT_EQ(kinds("x = \"" + near + "\";"), "") << near;
    EXPECT_EQ(redact("a " + fires + " b").find(fires), std::string::npos);
  }
  EXPECT_EQ(redact("a " + made("ghp_", 36) + " b"), "a [redacted:github token] b");
}

TEST(Secrets, RandomTextBesideAWordForASecretIsOneAndTheWordsOfACompilerAreNot) {
  const std::string random = "aB3dE5gH7jK9mN1pQ3sT";
  for (const char* before : {"password = \"", "API_KEY: ", "my_secret_value=", "Authorization: Bearer "})
    EXPECT_EQ(kinds(before + random), "random text beside a word for a secret") << before;
  for (const std::string& line : std::vector<std::string>{
           "Token tok = getTokenForIdentifierName2AndKind3(lexer);", "token_type_ids_2d_mask_from_v3 = tokens[0];",
           "// secret: see the page on passwords and credentials of 2024", "password = os.environ['PASSWORD_OF_THE_DATABASE1']",
           "uint64_t rapid_secret[3] = {0x2d358dccaa6c78a5ull, 0x8bb84b93962eacc9ull};",
           "token = \"2ba3c1bdc5d0a1f4f9e1d5b9d5d2ba3c1bdc5d0a\"  # an object id", "hash = \"" + random + "\""}) {
    EXPECT_EQ(kinds(line), "") << line;
  }
}

TEST(Secrets, AHeldValueIsFoundInEveryFormThatItMayTake) {
  const std::vector<std::string> held = {"correct horse/battery"};
  for (const std::string& form : core::secret_forms(held[0])) EXPECT_EQ(kinds("<" + form + ">", held), "held secret") << form;
  EXPECT_EQ(kinds("636f727265637420686f7273652f62617474657279", held), "held secret") << "hex";
  EXPECT_EQ(kinds("correct horse%2Fbattery", held), "") << "half encoded is nothing that a program writes";
  EXPECT_EQ(kinds("correct%20horse%2Fbattery", held), "held secret");
  EXPECT_EQ(kinds("dXNlcjpjb3JyZWN0IGhvcnNlL2JhdHRlcnk=", held), "held secret") << "base64 of user:value";
  EXPECT_EQ(kinds("correct horses and batteries", held), "");
  EXPECT_EQ(kinds("anything", {"", "abc"}), "") << "what is too short would be everywhere";
}

TEST(Secrets, AnyBytesAreSearched) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 7919 % 256);
  EXPECT_EQ(redact(bytes), bytes);
  EXPECT_EQ(kinds("ghp_"), "");
  EXPECT_EQ(kinds("-----BEGIN "), "");
  EXPECT_EQ(kinds("password"), "");
  EXPECT_EQ(kinds(""), "");
}

constexpr const char* quiet_history = R"sh(
  repo up; base40 f.cpp; put g.txt "one\n"; commit B "b"
  fork up down; line f.cpp 3 "line 3 of the fork"; commit D "fork"
  at up; line f.cpp 3 "line 3 of upstream"; put key.txt "password = \"zY9xW7vU5tS3rQ1pO2nM\"\n"; commit U1 "Change line 3"
)sh";

// The one member, conflicted in f.cpp, with `answer` as the whole file.
void answer_with(UnitCase& unit, const std::string& answer) {
  const Oid blob = must(unit.repo.write_blob(answer));
  model::ProposalMember& member = unit.proposal.members[0];
  member.tree = must(unit.repo.write_tree(member.tree, {{"f.cpp", git::TreeEntry{0100644, blob}}}));
  unit.finish();
}

TEST(SecretsRule, ATokenInALineOfTheProposalBlocksAndIsNotShown) {
  UnitCase unit(quiet_history, {"U1"}, "U1");
  const std::string token = made("ghp_", 36);
  answer_with(unit, "auto t = \"" + token + "\";\n");
  const model::Verdict verdict = unit.judge(model::UnitKind::chain);
  EXPECT_EQ(unit.of("G61", model::UnitKind::chain), Judgement::block);
  EXPECT_EQ(model::to_json(verdict).dump().find(token), std::string::npos);
  const model::RuleResult rule = unit.rule("G61", model::UnitKind::chain);
  const auto own = std::find_if(rule.items.begin(), rule.items.end(), [](const auto& i) { return i.judgement == Judgement::block; });
  ASSERT_NE(own, rule.items.end());
  EXPECT_EQ(own->path, "f.cpp");
  EXPECT_EQ(own->line, 1);
  EXPECT_EQ(own->norm_sha256, "");
  answer_with(unit, "auto t = token_of(x);\n");
  EXPECT_EQ(unit.of("G61", model::UnitKind::chain), Judgement::pass);
}

TEST(SecretsRule, UpstreamsOwnSecretIsListedAndPasses) {
  UnitCase unit(quiet_history, {"U1"}, "U1");
  const model::RuleResult rule = unit.rule("G61");
  EXPECT_EQ(rule.judgement, Judgement::pass);
  ASSERT_EQ(rule.items.size(), 1u);
  EXPECT_EQ(rule.items[0].origin, "upstream");
  EXPECT_EQ(rule.items[0].path, "key.txt");
  // The same value, held by the process, is nobody's own.
  unit.context.held_secrets = {"zY9xW7vU5tS3rQ1pO2nM"};
  EXPECT_EQ(unit.of("G61"), Judgement::block);
}

TEST(SecretsRule, MessagesAndRecordsAreSearchedToo) {
  const std::string token = made("ghp_", 36);
  const std::pair<const char*, void (*)(UnitCase&, const std::string&)> rows[] = {
      {"message", [](UnitCase& u, const std::string& t) { u.proposal.members[0].message += "see " + t + "\n"; }},
      {"account", [](UnitCase& u, const std::string& t) { u.proposal.members[0].account.push_back({"adapt", "f.cpp", "", 0, "INCLUDE", "", "with " + t}); }},
      {"resolution", [](UnitCase& u, const std::string& t) { u.proposal.members[0].resolutions.push_back({"f.cpp", "", model::Rung::person, "", "ours", t}); }},
      {"merge", [](UnitCase& u, const std::string& t) { u.proposal.merge_message = t; }},
  };
  for (const auto& [name, put] : rows) {
    UnitCase unit;
    EXPECT_EQ(unit.of("G61"), Judgement::pass) << name;
    put(unit, token);
    EXPECT_EQ(unit.of("G61"), Judgement::block) << name;
    EXPECT_EQ(model::to_json(unit.judge()).dump().find(token), std::string::npos) << name;
  }
}

TEST(SecretsRule, NoRuleShowsAHeldValueThatItQuotesNorIsItHashed) {
  UnitCase unit(quiet_history, {"U1"}, "U1");
  const std::string before = unit.context.hash();
  unit.context.held_secrets = {"line 3 of the fork"};  // G23 quotes the line that is lost
  answer_with(unit, "nothing\n");
  const std::string verdict = model::to_json(unit.judge(model::UnitKind::chain)).dump();
  EXPECT_EQ(unit.of("G23", model::UnitKind::chain), Judgement::explain) << verdict;
  EXPECT_EQ(verdict.find("line 3 of the fork"), std::string::npos);
  UnitCase same(quiet_history, {"U1"}, "U1");
  same.context.held_secrets = {"another value"};
  EXPECT_EQ(same.context.hash(), before);
}

TEST(Honesty, TheLabelsAreTheFacts) {
  UnitCase unit;
  EXPECT_EQ(unit.of("G68"), Judgement::pass);
  std::string& message = unit.proposal.members[0].message;
  const std::string as_it_was = message;
  message.replace(message.find("Resolution: clean"), 17, "Resolution: resolved");
  EXPECT_EQ(unit.of("G68"), Judgement::block);
  EXPECT_EQ(unit.why("G68"), "labelled resolved, and the machine merge is clean");
  message = "no label\n";
  EXPECT_EQ(unit.of("G68"), Judgement::block);
  message = as_it_was;
  unit.proposal.members[0].tree = unit.proposal.base_tree;
  EXPECT_EQ(unit.why("G68"), "labelled clean, and its tree is not the machine merge (G02)");

  UnitCase conflicted(quiet_history, {"U1"}, "U1");
  EXPECT_EQ(conflicted.of("G68"), Judgement::pass) << "resolved, as its label says";
  std::string& label = conflicted.proposal.members[0].message;
  label.replace(label.find("Resolution: resolved"), 20, "Resolution: clean");
  EXPECT_EQ(conflicted.of("G68"), Judgement::block);
}

TEST(Honesty, DeclaredDropsAreThoseOfTheRecord) {
  UnitCase unit;
  model::ProposalMember& member = unit.proposal.members[0];
  member.account = {{"downstream_lost", "f.cpp", std::string(64, 'a'), 1, "ALREADY_PRESENT", "", "why"},
                    {"downstream_lost", "f.cpp", std::string(64, 'b'), 2, "ALREADY_PRESENT", "", "why"}};
  const std::string plain = member.message;
  const auto say = [&](const std::vector<model::AccountEntry>& entries) {
    member.message = "text\n```sluice-account\n" + model::to_json(entries).dump() + "\n```\n" + plain;
  };
  say({member.account[1], member.account[0]});
  EXPECT_EQ(unit.of("G68"), Judgement::pass) << "in any order" << unit.why("G68");
  say({member.account[0]});
  EXPECT_EQ(unit.why("G68"), "the drops that the message declares are not those of the record: 1 left out, 0 that it does not hold");
  member.message = "```sluice-account\nnothing\n```\n" + plain;
  EXPECT_EQ(unit.of("G68"), Judgement::block);
  member.message = plain;
  EXPECT_EQ(unit.of("G68"), Judgement::pass) << "a message need not declare any";
}

}  // namespace
}  // namespace sluice::guardrails::testing
