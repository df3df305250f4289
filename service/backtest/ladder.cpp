// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "agent/rules/rules.h"

namespace sluice::service::backtest {

namespace {

using model::Rung;

// Of the rules, which are one ordered set, the proven ones are a rung of their own.
std::vector<std::string_view> rules_of(bool proven, const std::vector<std::string>& wanted) {
  std::vector<std::string_view> out;
  for (const agent::RuleInfo& rule : agent::region_rules())
    if (rule.proven == proven && (wanted.empty() || std::find(wanted.begin(), wanted.end(), rule.id) != wanted.end())) out.push_back(rule.id);
  return out;
}

}  // namespace

std::string Ladder::version() const {
  std::string out = fmt::format("rules {}", agent::region_rules_version);
  for (const std::string& rule : rules) out += (&rule == &rules.front() ? " only " : "+") + rule;
  if (memory != nullptr && !memory->empty()) out += ", memory " + memory->digest();
  for (const HunkAnswerer* answerer : further) out += fmt::format(", {} {}", model::to_string(answerer->rung()), answerer->version());
  return out;
}

Result<Climbed> climb(const Ladder& ladder, const Case& one) {
  Climbed out;
  const auto take = [&](Rung rung, std::string_view rule, std::string text) {
    out.answered = true;
    out.rung = rung;
    out.rule = rule;
    out.text = std::move(text);
  };
  out.cause = "no rule answers";
  if (ladder.memory != nullptr) {
    const Memory::Recalled recalled = ladder.memory->recall(one);
    if (recalled.text) {
      take(Rung::remembered, "remembered", *recalled.text);
      return out;
    }
    if (recalled.several) out.cause = "several answers landed to this conflict";
    out.declined.push_back(Rung::remembered);
  }
  const std::vector<std::string_view> proven = rules_of(true, ladder.rules), candidates = rules_of(false, ladder.rules);
  const agent::RegionText region{one.base, one.ours, one.theirs, one.language()};
  for (const auto& [rung, rules] : {std::pair{Rung::proven, &proven}, {Rung::candidate, &candidates}}) {
    auto answer = rules->empty() ? std::nullopt : agent::first_answer(region, *rules);  // there, none would mean all
    if (answer) {
      take(rung, answer->rule, std::move(answer->text));
      return out;
    }
    out.declined.push_back(rung);
  }
  for (HunkAnswerer* answerer : ladder.further) {
    TRY_ASSIGN(HunkReply reply, answerer->answer(one));
    out.cost += reply.cost;
    if (reply.kind == HunkReply::Kind::answered) {
      take(answerer->rung(), reply.rule, std::move(reply.text));
      out.invalid = false;
      return out;
    }
    out.cause = reply.cause;
    out.invalid = reply.kind == HunkReply::Kind::invalid;
    out.declined.push_back(answerer->rung());
  }
  return out;
}

}  // namespace sluice::service::backtest
