// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/text.h"

namespace sluice::guardrails {
namespace {

double number_of(const model::PolicyConfig& policy, const Rule& rule, std::string_view key) {
  const auto found = policy.rules.find(std::string(rule.id));
  if (found != policy.rules.end()) {
    if (const auto set = found->second.thresholds.find(std::string(key)); set != found->second.thresholds.end()) return set->second;
  }
  const auto own = std::find_if(rule.thresholds.begin(), rule.thresholds.end(), [&](const Threshold& t) { return t.key == key; });
  SLUICE_CHECK(own != rule.thresholds.end());
  return own->value;
}

}  // namespace

double PickScope::threshold(std::string_view key) const { return number_of(view.policy(), rule, key); }
double UnitScope::threshold(std::string_view key) const { return number_of(context.policy, rule, key); }

model::RuleMode mode_of(const model::PolicyConfig& policy, const Rule& rule) {
  const auto found = policy.rules.find(std::string(rule.id));
  const int measured = found == policy.rules.end() ? 0 : found->second.calibrated;
  if (found != policy.rules.end() && found->second.mode) return *found->second.mode;
  return rule.version <= std::max(rule.calibrated, measured) ? model::RuleMode::enforce : model::RuleMode::observe;
}

std::span<const Rule* const> rules() {
  static constexpr const Rule* all[] = {
      &g01, &g02, &g03, &g04, &g05, &g06, &g10, &g11, &g12, &g13, &g14, &g15, &g16, &g20, &g21, &g22, &g23,
      &g24, &g25, &g26, &g27, &g28, &g29, &g30, &g31, &g32, &g33, &g40, &g41, &g42, &g43, &g44, &g45, &g47,
      &g48, &g49, &g50, &g53, &g54, &g61, &g68,
  };
  return all;
}

model::VerdictItem make_item(std::string path, std::string_view text, std::string detail,
                             model::Judgement judgement) {
  model::VerdictItem item;
  item.path = std::move(path);
  item.text = std::string(text.substr(0, 300));
  item.detail = std::move(detail);
  item.origin = "proposal";
  item.judgement = judgement;
  return item;
}

model::VerdictItem explainable_item(std::string path, std::string_view line, std::string account, std::string detail,
                                    model::Judgement judgement) {
  model::VerdictItem item = make_item(std::move(path), line, std::move(detail), judgement);
  item.account = std::move(account);
  item.norm_sha256 = core::sha256_hex(core::strip_space(line));
  return item;
}

void apply(const Lift& lift, model::VerdictItem& item) {
  if (!lift.found) return;
  item.judgement = lift.judgement;
  item.lifted_by = lift.lifted_by;
  if (!lift.detail.empty()) item.detail = lift.detail;
}

void cap(Items& items, std::size_t limit) {
  if (items.size() <= limit) return;
  model::VerdictItem rest;
  rest.origin = "proposal";
  rest.detail = fmt::format("{} more items like these", items.size() - limit);
  for (std::size_t i = limit; i < items.size(); ++i)
    rest.judgement = model::worse(rest.judgement, items[i].judgement);
  items.resize(limit);
  items.push_back(std::move(rest));
}

}  // namespace sluice::guardrails
