// SPDX-License-Identifier: Apache-2.0
// What should run again, and what on trunk can be judged against all the same.
#include <algorithm>
#include <cmath>

#include "core/hash.h"
#include "guardrails/failure.h"
#include "guardrails/guardrails.h"
#include "guardrails/member_change.h"
#include "guardrails/pick_view.h"
#include "guardrails/policy.h"
#include "guardrails/red_tests.h"
#include "guardrails/rules/rule.h"
#include "guardrails/scan/secrets.h"
#include "guardrails/touched.h"

namespace sluice::guardrails {
namespace {

using model::Evidence;

bool has_entry(const std::vector<model::RegisterEntry>& entries, const std::string& suite, const std::string& test, std::int64_t now,
               const std::string& fingerprint) {
  return std::any_of(entries.begin(), entries.end(), [&](const model::RegisterEntry& e) {
    return e.suite == suite && e.test == test && !e.owner.empty() && now < e.expires && (e.fingerprint.empty() || e.fingerprint == fingerprint);
  });
}

// Something else than the record that counts reports on the suite.
bool repeated(const SuiteFacts& facts, const std::string& suite, const Evidence& now) {
  return std::any_of(facts.evidence.begin(), facts.evidence.end(), [&](const Evidence& e) {
    return &e != &now && e.suite == suite && e.tree == facts.proposal.tree && !is_infrastructure(e);
  });
}

// Tests that passed, chosen by the tree: nobody can know beforehand, and a second look chooses the same.
std::vector<std::string> sample_of(const Evidence& now, const model::JudgeContext& context, std::size_t most) {
  std::vector<std::pair<std::string, std::string>> order;
  for (const model::TestRecord& test : now.tests) {
    if (test.state != model::TestState::pass || has_entry(context.policy.flakes, now.suite, test.id, context.now, "")) continue;
    order.emplace_back(core::sha256_hex(now.tree + " " + test.id), test.id);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), most));
  std::vector<std::string> out;
  for (auto& [key, id] : order) out.push_back(std::move(id));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Result<std::vector<Repetition>> repetitions_wanted(const git::Reader& reader, const model::Proposal& proposal, model::UnitKind lane,
                                                   std::span<const Evidence> evidence, const model::JudgeContext& context) {
  std::vector<Repetition> out;
  const SuiteFacts facts{reader, proposal, evidence, context};
  const UnitScope flakes{reader, proposal, lane, evidence, context, g47}, runner{reader, proposal, lane, evidence, context, g44};
  const bool wanted = mode_of(context.policy, g47) != model::RuleMode::off, sampled = mode_of(context.policy, g44) != model::RuleMode::off;
  const auto most = static_cast<std::size_t>(flakes.threshold("most_tests"));
  const std::vector<std::string> suites = required_suites(context, lane);
  double left = flakes.threshold("single_quota") - spent(facts, suites);
  std::optional<TouchedArea> area;
  for (const std::string& suite : suites) {
    const Evidence* now = evidence_for(evidence, suite, proposal.tree);
    if (now == nullptr || now->kind == "build" || !(now->trouble.empty() || now->trouble == "output_cap") || repeated(facts, suite, *now)) continue;
    if (sampled && now->grade == "self-reported" && written_by_a_model(proposal)) {
      Repetition sample{suite, sample_of(*now, context, static_cast<std::size_t>(runner.threshold("sample"))), true, false};
      if (!sample.tests.empty()) out.push_back(std::move(sample));
    }
    if (!wanted) continue;
    TRY_ASSIGN(const std::vector<RedTest> reds, red_tests(facts, suite));
    Repetition again{suite, {}, false, true};
    bool late = false;
    std::size_t red = 0;
    for (const RedTest& test : reds) {
      if (!is_red(test.test->state)) continue;
      ++red;
      if (test.answer != RedTest::Answer::none) continue;
      if (!area) {
        TRY_ASSIGN(area, TouchedArea::between(reader, proposal.base_tree, proposal.tree));
      }
      if (area->holds_test(test.test->id)) continue;
      late = late || test.test->state == model::TestState::timeout;
      again.tests.push_back(test.test->id);
    }
    const double cost = flakes.threshold(late ? "timeout" : "failure");
    if (again.tests.empty() || red > most || cost > left) continue;
    left -= cost;
    out.push_back(std::move(again));
  }
  return out;
}

Result<bool> red_by_flakes_alone(const git::Reader& reader, const model::Proposal& proposal, const std::string& suite,
                                 std::span<const Evidence> evidence, const model::JudgeContext& context) {
  TRY_ASSIGN(const std::vector<RedTest> reds, red_tests({reader, proposal, evidence, context}, suite));
  std::size_t wavering = 0;
  for (const RedTest& red : reds) {
    if (!is_red(red.test->state) || red.answer == RedTest::Answer::known_failure) continue;
    if (!red.flipped) return false;
    ++wavering;
  }
  return wavering > 0;
}

bool answered_by_registers(const model::PolicyConfig& policy, const Evidence& evidence, std::int64_t now) {
  if (evidence.kind == "build" || !(evidence.trouble.empty() || evidence.trouble == "output_cap")) return false;
  const bool flakes = mode_of(policy, g47) == model::RuleMode::enforce, known = mode_of(policy, g48) == model::RuleMode::enforce;
  std::size_t red = 0;
  for (const model::TestRecord& test : evidence.tests) {
    if (!is_red(test.state)) continue;
    ++red;
    const std::string fingerprint = failure_fingerprint(test);
    const bool answered = (flakes && has_entry(policy.flakes, evidence.suite, test.id, now, "")) ||
                          (known && !fingerprint.empty() && has_entry(policy.known_failures, evidence.suite, test.id, now, fingerprint));
    if (!answered) return false;
  }
  return red > 0 && red < evidence.tests.size();
}

Result<std::map<std::string, git::TreeEntry>> new_test_files(const git::Reader& reader, const model::Proposal& proposal, const model::PolicyConfig& policy) {
  std::map<std::string, git::TreeEntry> out;
  const auto rule = policy.rules.find("G49");
  if (rule == policy.rules.end() || !rule->second.mode || *rule->second.mode == model::RuleMode::off) return out;
  for (const model::ProposalMember& member : proposal.members) {
    if (!member.reverts.empty()) continue;
    TRY_ASSIGN(const MemberChange change, change_of(reader, member));
    TRY_ASSIGN(const std::vector<git::TreeDelta> deltas, reader.diff_trees(change.before, change.after));
    for (const git::TreeDelta& delta : deltas) {
      if (!delta.before.oid.empty() || !is_blob_mode(delta.after.mode) || !is_test_path(policy, delta.path) || !reader.has(delta.after.oid)) continue;
      TRY_ASSIGN(const auto there, reader.entry(proposal.base_tree, delta.path));
      if (!there) out.insert_or_assign(delta.path, delta.after);
    }
  }
  return out;
}

std::string without_secrets(std::string_view text, std::span<const std::string> held) { return redact(text, held); }

}  // namespace sluice::guardrails
