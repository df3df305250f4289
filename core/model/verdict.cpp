// SPDX-License-Identifier: Apache-2.0
#include "core/model/verdict.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/hash.h"
#include "core/model/names.h"
#include "core/text.h"

namespace sluice::model {
namespace {

using core::Json;

constexpr NameTable<Judgement, 5> judgements = {{{Judgement::pass, "pass"},
                                                 {Judgement::explain, "explain"},
                                                 {Judgement::escalate, "escalate"},
                                                 {Judgement::unresolved, "unresolved"},
                                                 {Judgement::block, "block"}}};

Json item_json(const std::string& rule, const VerdictItem& i) {
  Json j = Json::object({{"path", i.path},
                         {"line", i.line},
                         {"text", i.text},
                         {"detail", i.detail},
                         {"origin", i.origin},
                         {"introduced_by", i.introduced_by},
                         {"lifted_by", i.lifted_by},
                         {"verdict", to_string(i.judgement)}});
  if (!i.member.empty()) j.set("member", i.member);
  if (i.companion) j.set("companion", true);
  if (!i.norm_sha256.empty()) j.set("norm_sha256", i.norm_sha256);
  if (!i.proposes.empty()) j.set("proposes", i.proposes);
  if (i.judgement != Judgement::pass) j.set("id", item_id(rule, i)).set("account", i.account);
  return j;
}

Json rule_json(const RuleResult& r) {
  Json items = Json::array();
  for (const VerdictItem& i : r.items) items.push(item_json(r.id, i));
  Json j = Json::object({{"id", r.id},
                         {"title", r.title},
                         {"version", r.version},
                         {"verdict", to_string(r.judgement)},
                         {"applicable", r.applicable},
                         {"items", std::move(items)}});
  if (r.observed) j.set("observed", true);
  return j.set("mode", r.mode);
}

Json suite_json(const SuiteResult& s) {
  Json counts = Json::object();
  for (const auto& [state, n] : s.counts) counts.set(state, n);
  return Json::object({{"id", s.id},
                       {"tier", s.tier},
                       {"runner", s.runner},
                       {"verdict", to_string(s.outcome)},
                       {"grade", s.grade},
                       {"counts", std::move(counts)},
                       {"evidence", s.evidence},
                       {"reason", s.reason}});
}

// What is shown or stored and not hashed: times, ids that follow from the rest, and sentences that may name files of the
// machine.
constexpr std::pair<std::string_view, std::string_view> not_hashed[] = {
    {"", "digest"}, {"", "timings_us"}, {"rules", "mode"}, {"items", "id"}, {"items", "account"}, {"items", "proposes"}, {"suites", "reason"}};

Json hashed_part(const Json& value, std::string_view within) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& element : value.items()) out.push(hashed_part(element, within));
    return out;
  }
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [key, content] : value.members()) {
    const bool left_out = std::any_of(std::begin(not_hashed), std::end(not_hashed),
                                      [&, name = std::string_view(key)](const auto& entry) { return entry.first == within && entry.second == name; });
    if (!left_out) out.set(key, hashed_part(content, key));
  }
  return out;
}

Json record(const Verdict& v) {
  Json rules = Json::array(), suites = Json::array();
  for (const RuleResult& r : v.rules) rules.push(rule_json(r));
  for (const SuiteResult& s : v.suites) suites.push(suite_json(s));
  Json inputs = Json::array(), tools = Json::object();
  for (const VerdictInput& i : v.inputs) {
    inputs.push(Json::object({{"upstream", i.upstream},
                              {"B", i.base_tree},
                              {"U", i.upstream_tree},
                              {"D", i.onto_tree},
                              {"M", i.merge_tree},
                              {"P", i.proposed_tree},
                              {"account_sha256", i.account_sha256}}));
  }
  for (const auto& [name, version] : v.tools) tools.set(name, version);
  return Json::object({{"schema", "sluice.verdict/1"},
                       {"mode", v.mode},
                       {"base", v.base},
                       {"tree", v.tree},
                       {"verdict", to_string(v.judgement)},
                       {"rules", std::move(rules)},
                       {"suites", std::move(suites)},
                       {"inputs", std::move(inputs)},
                       {"policy_sha256", v.policy_sha256},
                       {"policy_blob", v.policy_blob},
                       {"tools", std::move(tools)},
                       {"context_sha256", v.context_sha256}});
}

}  // namespace

std::string_view to_string(Judgement j) { return name_in(judgements, j); }
std::optional<Judgement> parse_judgement(std::string_view text) { return value_in(judgements, text); }

std::string item_id(std::string_view rule, const VerdictItem& item) {
  core::Sha256 hash;
  for (const std::string& part : {std::string(rule), item.account, item.path, core::strip_space(item.text), item.member,
                                  std::string(item.companion ? "companion" : "")}) {
    hash.add(std::to_string(part.size()) + ":");  // lengths keep the parts apart
    hash.add(part);
  }
  return hash.hex().substr(0, 12);
}

int exit_status(Judgement j) {
  switch (j) {
    case Judgement::pass:
      return 0;
    case Judgement::explain:
    case Judgement::block:
      return 1;
    case Judgement::unresolved:
      return 3;
    case Judgement::escalate:
      return 4;
  }
  return 3;
}

std::string record_digest(const Json& record) { return core::sha256_hex(hashed_part(record, "").dump()); }

std::string Verdict::digest() const { return record_digest(record(*this)); }

Json to_json(const Verdict& v) {
  Json out = record(v);
  return out.set("digest", record_digest(out));
}

Json timings_json(const Verdict& v) {
  Json out = Json::object();
  for (const RuleResult& rule : v.rules) {
    if (rule.applicable) out.set(rule.id, rule.elapsed_us);
  }
  return out;
}

}  // namespace sluice::model
