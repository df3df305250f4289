// SPDX-License-Identifier: Apache-2.0
// The findings of `sluice gate` as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"): what code hosts turn
// into annotations. One result a finding; equal findings are one result with their number.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/gate.h"

namespace sluice::service {

namespace {

using core::Json;
using model::Judgement;

// error | warning | note. What is lifted or only observed stops nothing.
const char* level_of(Judgement judgement, bool counts) {
  if (!counts || judgement == Judgement::pass) return "note";
  return judgement == Judgement::block || judgement == Judgement::unresolved ? "error" : "warning";
}

// A path as the reference of RFC 3986 that SARIF asks for: git's bytes, percent-encoded where they are no letters.
std::string uri_of(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Json text(std::string_view words) { return Json::object({{"text", words}}); }

std::string sentence(const std::string& label, const std::string& words) { return words.empty() ? "" : fmt::format("\n\n{}: {}", label, words); }

Json rule_json(const guardrails::RuleInfo& rule) {
  const std::string help = fmt::format("Holds when: {}.", rule.passes) + sentence("When it does not hold", rule.fail) + sentence("What lifts it", rule.lift) +
                           sentence("Seen in practice", rule.example);
  // Level of the rule itself: the worst that it may say.
  const bool blocks = rule.fail.find("BLOCK") != std::string::npos;
  return Json::object({{"id", rule.id},
                       {"name", rule.title},
                       {"shortDescription", text(rule.title)},
                       {"fullDescription", text(rule.passes.empty() ? rule.title : rule.passes)},
                       {"help", Json::object({{"text", help}, {"markdown", help}})},
                       {"defaultConfiguration", Json::object({{"level", blocks ? "error" : "warning"}})},
                       {"properties", Json::object({{"version", rule.version}})}});
}

class Run {
 public:
  Run(const GateReport& report, std::string_view version) : report_(report), version_(version) {
    for (const guardrails::RuleInfo& rule : guardrails::catalogue()) add_rule(rule.id, rule_json(rule));
  }

  Json json() {
    for (const JudgedCommit& commit : report_.commits) {
      for (const model::RuleResult& rule : commit.verdict.rules) {
        if (!rule.applicable) continue;
        std::map<std::string, std::size_t> seen;  // by finding
        for (const model::VerdictItem& item : rule.items) {
          // What upstream itself did, and passes, is nobody's to look at here.
          if (item.judgement == Judgement::pass && item.lifted_by.empty()) continue;
          const std::string id = model::item_id(rule.id, item);
          if (const auto known = seen.find(id); known != seen.end()) {
            ++times_[known->second];
            continue;
          }
          seen.emplace(id, results_.size());
          add(commit, rule, item, id);
        }
      }
    }
    Json results = Json::array();
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (times_[i] > 1) {
        std::string words = results_[i]["message"]["text"].as_string() + fmt::format(" ({} times)", times_[i]);
        results_[i].set("message", text(words));
      }
      results.push(std::move(results_[i]));
    }
    const bool judged = report_.judgement() != Judgement::unresolved;
    Json driver = Json::object({{"name", "sluice"}, {"version", version_}, {"rules", std::move(rules_)}});
    return Json::object({{"tool", Json::object({{"driver", std::move(driver)}})},
                         {"columnKind", "utf16CodeUnits"},
                         {"automationDetails", Json::object({{"id", "sluice/gate/"}})},
                         {"invocations", Json::array().push(Json::object({{"executionSuccessful", judged}}))},
                         {"properties", Json::object({{"verdict", model::to_string(report_.judgement())}, {"result", report_.result}})},
                         {"results", std::move(results)}});
  }

 private:
  void add_rule(const std::string& id, Json rule) {
    index_.emplace(id, rules_.items().size());
    rules_.push(std::move(rule));
  }

  std::string message(const JudgedCommit& commit, const model::RuleResult& rule, const model::VerdictItem& item) const {
    std::string out = fmt::format("{} {}: {}", rule.id, rule.title, item.detail.empty() ? std::string(model::to_string(item.judgement)) : core::printable(item.detail, 600));
    if (!item.text.empty()) out += fmt::format(": `{}`", core::printable(item.text, 300));
    if (!item.introduced_by.empty()) out += fmt::format(" (written by {} of the fork)", item.introduced_by);
    if (!item.lifted_by.empty()) out += fmt::format(" (lifted by {})", core::printable(item.lifted_by));
    if (rule.observed) out += " (observed only)";
    if (!commit.commit.empty() && report_.form != "pick") out += fmt::format(" [in {}]", model::short_oid(commit.commit));
    return out;
  }

  void add(const JudgedCommit& commit, const model::RuleResult& rule, const model::VerdictItem& item, const std::string& id) {
    if (!index_.contains(rule.id)) {
      add_rule(rule.id, Json::object({{"id", rule.id}, {"name", rule.title}, {"shortDescription", text(rule.title)}}));
    }
    // Hosts refuse a result without a place.
    const std::string path = !item.path.empty() ? item.path : !commit.some_path.empty() ? commit.some_path : std::string(".");
    Json where = Json::object({{"artifactLocation", Json::object({{"uri", uri_of(path)}, {"uriBaseId", "%SRCROOT%"}})}});
    where.set("region", Json::object({{"startLine", std::max<std::int64_t>(item.path.empty() ? 1 : item.line, 1)}}));
    Json result = Json::object({{"ruleId", rule.id},
                                {"ruleIndex", index_.at(rule.id)},
                                {"level", level_of(item.judgement, !rule.observed)},
                                {"message", text(message(commit, rule, item))},
                                {"locations", Json::array().push(Json::object({{"physicalLocation", std::move(where)}}))},
                                {"partialFingerprints", Json::object({{"sluiceItem/v1", id}})},
                                {"properties", Json::object({{"verdict", model::to_string(item.judgement)}, {"commit", commit.commit}})}});
    if (item.judgement == Judgement::pass) {
      result.set("suppressions", Json::array().push(Json::object({{"kind", "external"}, {"status", "accepted"}, {"justification", item.lifted_by}})));
    }
    results_.push_back(std::move(result));
    times_.push_back(1);
  }

  const GateReport& report_;
  std::string version_;
  Json rules_ = Json::array();
  std::map<std::string, std::size_t> index_;
  std::vector<Json> results_;
  std::vector<int> times_;
};

}  // namespace

Json gate_sarif(const GateReport& report, std::string_view version) {
  return Json::object({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                       {"version", "2.1.0"},
                       {"runs", Json::array().push(Run(report, version).json())}});
}

}  // namespace sluice::service
