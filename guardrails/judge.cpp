// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "core/hash.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "guardrails/member_change.h"
#include "guardrails/policy.h"
#include "guardrails/rules/rule.h"
#include "guardrails/scan/secrets.h"
#include "guardrails/suites.h"

namespace sluice::guardrails {
namespace {

using model::Judgement;

// The judge could not judge: named, and never a pass.
model::VerdictItem unresolved(const std::string& why) {
  model::VerdictItem item = make_item("", "", why, Judgement::unresolved);
  return item;
}

template <class Call>
Items guarded(model::RuleResult& result, Call&& call) {
  const auto started = std::chrono::steady_clock::now();
  Items out;
  try {
    Result<Items> items = call();
    out = items.ok() ? std::move(items).value() : Items{unresolved(items.error().message)};
  } catch (const std::exception& e) {  // a crash inside one rule must not take the other verdicts along
    out = {unresolved(fmt::format("the rule failed: {}", e.what()))};
  }
  result.elapsed_us += std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started).count();
  return out;
}

bool selected(const RuleFilter& filter, std::string_view id) {
  return filter.rules.empty() ||
         std::find(filter.rules.begin(), filter.rules.end(), id) != filter.rules.end();
}

model::RuleResult start(const Rule& rule, const model::PolicyConfig& policy) {
  model::RuleResult result;
  result.id = std::string(rule.id);
  result.title = std::string(rule.title);
  result.version = rule.version;
  const model::RuleMode mode = mode_of(policy, rule);
  result.applicable = mode != model::RuleMode::off && (rule.pick != nullptr || rule.unit != nullptr);
  result.observed = mode == model::RuleMode::observe;
  result.mode = mode == model::RuleMode::off ? "off" : mode == model::RuleMode::observe ? "observe" : "enforce";
  return result;
}

void add(model::RuleResult& result, Items items) {
  for (model::VerdictItem& item : items) {
    result.judgement = model::worse(result.judgement, item.judgement);
    result.items.push_back(std::move(item));
  }
}

// A verdict is stored and printed: whatever rule quotes a line, a secret in it is not shown.
void redact(model::Verdict& verdict, const SecretScanner& scanner) {
  const auto hide = [&](std::string& text) {
    std::string shown = scanner.redact(text);
    const bool hidden = shown != text;
    text = std::move(shown);
    return hidden;
  };
  for (model::RuleResult& rule : verdict.rules) {
    for (model::VerdictItem& item : rule.items) {
      if (hide(item.text)) item.norm_sha256.clear();
      hide(item.detail);
    }
  }
  for (model::SuiteResult& suite : verdict.suites) hide(suite.reason);
}

void conclude(model::Verdict& verdict, std::span<const std::string> held) {
  redact(verdict, SecretScanner(held));
  verdict.judgement = Judgement::pass;
  for (const model::RuleResult& rule : verdict.rules) {
    if (rule.applicable && !rule.observed)
      verdict.judgement = model::worse(verdict.judgement, rule.judgement);
  }
}

// Facts of a member, with B and U read from the store and not from what the proposal says of them.
Result<PickFacts> facts_of(const git::Reader& reader, const model::Proposal& proposal,
                           const model::ProposalMember& member) {
  const model::Pick& pick = member.pick;
  if (pick.status == model::PickStatus::error || pick.status == model::PickStatus::unknown) {
    return make_error(ErrorKind::invalid,
                      fmt::format("there is no machine merge of {} ({} {})", member.upstream.oid,
                                  model::to_string(pick.status), pick.detail));
  }
  TRY_ASSIGN(const MemberChange change, change_of(reader, member));
  PickFacts facts;
  facts.upstream = change.upstream;
  facts.upstream_parent = change.before_commit;
  if (!change.before_commit.empty()) facts.base_tree = change.before;
  facts.upstream_tree = change.after;
  facts.onto_tree = member.onto;
  facts.merge_tree = pick.tree;
  facts.proposed_tree = member.tree;
  facts.onto_commit = proposal.base;
  facts.conflicted = pick.status == model::PickStatus::conflict;
  facts.renames_skipped = pick.renames_skipped;
  facts.conflicts = pick.conflicts;
  facts.dropped = pick.dropped;
  facts.resolutions = member.resolutions;
  facts.account = member.account;
  return facts;
}

// What a person adds to a pick is judged as a change of its own: from the pick's tree, by nobody but the
// person. B is upstream's tree, so that the lines which only the fork has are known (G23); a companion may
// change what the pick just brought, that is what it is for.
PickFacts companion_facts(PickFacts facts, const model::ProposalMember& member) {
  facts.base_tree = facts.upstream_tree;
  facts.onto_tree = facts.merge_tree = member.tree;
  facts.proposed_tree = member.companion->tree;
  facts.conflicted = facts.renames_skipped = false;
  facts.conflicts.clear();
  facts.resolutions.clear();
  return facts;
}

void judge_facts(const git::Reader& reader, const Result<PickFacts>& facts, const Oid& upstream, bool companion,
                 model::UnitKind lane, const model::JudgeContext& context, SymbolIndex& symbols,
                 std::vector<model::RuleResult>& results) {
  const RuleFilter everything;
  const PickFacts none;
  PickView view(reader, facts.ok() ? *facts : none, context.policy, everything, symbols);
  Account account(view, &context.open_deferrals);
  for (std::size_t i = 0; i < rules().size(); ++i) {
    const Rule& rule = *rules()[i];
    if (rule.pick == nullptr || !results[i].applicable) continue;
    if (companion && !rule.companion) continue;
    Items items;
    if (facts.ok()) {
      PickScope scope{view, account, lane, rule, companion, context.held_secrets};
      items = guarded(results[i], [&] { return rule.pick(scope); });
    } else {
      items.push_back(unresolved(facts.error().message));
    }
    for (model::VerdictItem& item : items) {
      item.member = upstream;
      item.companion = companion;
    }
    add(results[i], std::move(items));
  }
}

model::VerdictInput input_of(const PickFacts& facts) {
  model::VerdictInput input{facts.upstream, facts.base_tree, facts.upstream_tree, facts.onto_tree, facts.merge_tree, facts.proposed_tree, {}};
  if (!facts.account.empty()) input.account_sha256 = core::sha256_hex(model::to_json(facts.account).dump());
  return input;
}

void judge_member(const git::Reader& reader, const model::Proposal& proposal,
                  const model::ProposalMember& member, model::UnitKind lane,
                  const model::JudgeContext& context, SymbolIndex& symbols, model::Verdict& verdict) {
  const Result<PickFacts> facts = facts_of(reader, proposal, member);
  if (facts.ok()) verdict.inputs.push_back(input_of(*facts));
  judge_facts(reader, facts, member.upstream.oid, false, lane, context, symbols, verdict.rules);
  if (!member.companion || !facts.ok()) return;
  judge_facts(reader, companion_facts(*facts, member), member.upstream.oid, true, lane, context, symbols, verdict.rules);
}

// Of the fork's own work: what nobody writes on purpose.
bool reads_text_alone(std::string_view id) { return id == "G16" || id == "G20" || id == "G61"; }

enum class Suites { judged, left_out };

model::Verdict judge(const git::Reader& reader, const model::Proposal& proposal, model::UnitKind lane,
                     std::span<const model::Evidence> evidence, const model::JudgeContext& context,
                     Suites suites) {
  model::Verdict verdict;
  verdict.mode = suites == Suites::judged ? "unit" : "diff";
  verdict.base = proposal.base;
  verdict.tree = proposal.tree;
  verdict.policy_sha256 = context.policy.sha256;
  verdict.policy_blob = context.policy.blob;
  verdict.context_sha256 = context.hash();
  verdict.tools = context.tools;
  for (const Rule* rule : rules()) {
    verdict.rules.push_back(start(*rule, context.policy));
    if (rule->needs_suites && suites == Suites::left_out) verdict.rules.back().applicable = false;
  }
  SymbolIndex symbols;  // one for all members: consecutive trees share nearly every blob
  for (const model::ProposalMember& member : proposal.members) {
    judge_member(reader, proposal, member, lane, context, symbols, verdict);
  }
  for (std::size_t i = 0; i < rules().size(); ++i) {
    const Rule& rule = *rules()[i];
    if (rule.unit == nullptr || !verdict.rules[i].applicable) continue;
    const UnitScope scope{reader, proposal, lane, evidence, context, rule};
    add(verdict.rules[i], guarded(verdict.rules[i], [&] { return rule.unit(scope); }));
  }
  if (suites == Suites::judged) {
    for (const std::string& id : required_suites(context, lane)) {
      const auto accepted = accepted_red({reader, proposal, evidence, context}, id);  // an error makes G44 unresolved
      verdict.suites.push_back(suite_result(id, evidence_for(evidence, id, proposal.tree), context,
                                            accepted.ok() ? *accepted : std::map<std::string, std::string>{}));
    }
  }
  conclude(verdict, context.held_secrets);
  return verdict;
}

}  // namespace

JudgeMemory::JudgeMemory() : symbols_(std::make_unique<SymbolIndex>()) {}
JudgeMemory::JudgeMemory(JudgeMemory&&) noexcept = default;
JudgeMemory& JudgeMemory::operator=(JudgeMemory&&) noexcept = default;
JudgeMemory::~JudgeMemory() = default;

model::Verdict judge_pick(const git::Reader& reader, const PickFacts& pick, const model::PolicyConfig& policy,
                          const RuleFilter& filter, Judged what, JudgeMemory* memory) {
  model::Verdict verdict;
  verdict.mode = what == Judged::pick ? "pick" : what == Judged::companion ? "companion" : "own change";
  verdict.base = pick.onto_commit.empty() ? pick.onto_tree : pick.onto_commit;
  verdict.tree = pick.proposed_tree;
  verdict.policy_sha256 = policy.sha256;
  verdict.policy_blob = policy.blob;
  verdict.inputs.push_back(input_of(pick));
  SymbolIndex own;
  PickView view(reader, pick, policy, filter, memory != nullptr ? memory->symbols() : own);
  Account account(view, nullptr);
  for (const Rule* each : rules()) {
    const Rule& rule = *each;
    model::RuleResult result = start(rule, policy);
    // A rule that also reads a unit's words (G61) belongs to the unit.
    const bool asked = what == Judged::pick ? rule.unit == nullptr && (!rule.needs_record || !pick.resolutions.empty()) : rule.companion;
    result.applicable = result.applicable && rule.pick != nullptr && asked && selected(filter, rule.id);
    if (what == Judged::own_change && !reads_text_alone(rule.id)) result.observed = true;
    if (result.applicable) {
      PickScope scope{view, account, std::nullopt, rule, what != Judged::pick};
      Items items = guarded(result, [&] { return rule.pick(scope); });
      for (model::VerdictItem& item : items) {
        item.member = pick.upstream;
        item.companion = what != Judged::pick;
      }
      add(result, std::move(items));
    }
    verdict.rules.push_back(std::move(result));
  }
  conclude(verdict, {});
  return verdict;
}

model::Verdict judge_unit(const git::Reader& reader, const model::Proposal& proposal, model::UnitKind lane,
                          std::span<const model::Evidence> evidence, const model::JudgeContext& context) {
  return judge(reader, proposal, lane, evidence, context, Suites::judged);
}

model::Verdict judge_diff(const git::Reader& reader, const model::Proposal& proposal, model::UnitKind lane,
                          const model::JudgeContext& context) {
  return judge(reader, proposal, lane, {}, context, Suites::left_out);
}

}  // namespace sluice::guardrails
