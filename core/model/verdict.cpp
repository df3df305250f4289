// SPDX-License-Identifier: Apache-2.0
#include "core/model/verdict.h"

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

// `reason` of a suite is a sentence and may name files of the machine: it is shown, not hashed.
enum class Reasons { shown, left_out };

Json item_json(const std::string& rule, const VerdictItem& i, Reasons reasons) {
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
  if (reasons == Reasons::shown && !i.proposes.empty()) j.set("proposes", i.proposes);
  if (reasons == Reasons::shown && i.judgement != Judgement::pass) j.set("id", item_id(rule, i)).set("account", i.account);
  return j;
}

Json rule_json(const RuleResult& r, Reasons reasons) {
  Json items = Json::array();
  for (const VerdictItem& i : r.items) items.push(item_json(r.id, i, reasons));
  Json j = Json::object({{"id", r.id},
                         {"title", r.title},
                         {"version", r.version},
                         {"verdict", to_string(r.judgement)},
                         {"applicable", r.applicable},
                         {"items", std::move(items)}});
  if (r.observed) j.set("observed", true);
  if (reasons == Reasons::shown) j.set("elapsed_us", r.elapsed_us).set("mode", r.mode);
  return j;
}

Json suite_json(const SuiteResult& s, Reasons reasons) {
  Json counts = Json::object();
  for (const auto& [state, n] : s.counts) counts.set(state, n);
  Json j = Json::object({{"id", s.id},
                         {"tier", s.tier},
                         {"runner", s.runner},
                         {"verdict", to_string(s.outcome)},
                         {"grade", s.grade},
                         {"counts", std::move(counts)},
                         {"evidence", s.evidence}});
  if (reasons == Reasons::shown) j.set("reason", s.reason);
  return j;
}

Json record(const Verdict& v, Reasons reasons) {
  Json rules = Json::array(), suites = Json::array();
  for (const RuleResult& r : v.rules) rules.push(rule_json(r, reasons));
  for (const SuiteResult& s : v.suites) suites.push(suite_json(s, reasons));
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

std::string Verdict::digest() const { return core::sha256_hex(record(*this, Reasons::left_out).dump()); }

Json to_json(const Verdict& v) { return record(v, Reasons::shown).set("digest", v.digest()); }

}  // namespace sluice::model
