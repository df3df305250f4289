// SPDX-License-Identifier: Apache-2.0
#include "core/model/judge_context.h"

#include "core/hash.h"
#include "core/json.h"

namespace sluice::model {
namespace {

using core::Json;

Json register_json(const std::vector<RegisterEntry>& entries) {
  Json out = Json::array();
  for (const RegisterEntry& e : entries) {
    out.push(Json::object({{"suite", e.suite}, {"test", e.test}, {"fingerprint", e.fingerprint}, {"owner", e.owner}, {"expires", e.expires}}));
  }
  return out;
}

// The policy stands for itself by the hash of its text. A context that a test or `gate` built without a
// text has no such hash: then the parsed entries stand in for it.
Json policy_json(const PolicyConfig& p) {
  Json paths = Json::array(), suites = Json::array(), rules = Json::object();
  for (const PathConfig& c : p.paths) {
    paths.push(Json::object({{"glob", c.glob},
                             {"class", static_cast<int>(c.klass)},
                             {"upstream", static_cast<int>(c.upstream)},
                             {"missing", static_cast<int>(c.missing)},
                             {"owner", c.owner}}));
  }
  for (const SuiteConfig& s : p.suites) {
    Json steps = Json::array();
    for (const auto& argv : s.steps) steps.push(Json::array_of(argv));
    Json skips = Json::object();
    for (const auto& [test, reason] : s.allowed_skips) skips.set(test, reason);
    suites.push(Json::object({{"id", s.id},
                              {"kind", s.kind},
                              {"tier", s.tier},
                              {"steps", std::move(steps)},
                              {"results", s.results},
                              {"needs", s.needs},
                              {"environment", s.environment},
                              {"runner", s.runner},
                              {"timeout_s", s.timeout_s},
                              {"memory_mib", s.memory_mib},
                              {"pids", s.pids},
                              {"disk_mib", s.disk_mib},
                              {"required_for", Json::array_of(s.required_for)},
                              {"allowed_skips", std::move(skips)}}));
  }
  for (const auto& [id, r] : p.rules) {
    Json numbers = Json::object();
    for (const auto& [key, value] : r.thresholds) numbers.set(key, value);
    rules.set(id, Json::object({{"mode", r.mode ? static_cast<int>(*r.mode) : -1}, {"calibrated", r.calibrated}, {"thresholds", std::move(numbers)}}));
  }
  Json invariants = Json::array();
  for (const InvariantConfig& i : p.invariants) invariants.push(Json::object({{"path", i.path}, {"pattern", i.pattern}, {"min", i.min}}));
  return Json::object({{"paths", std::move(paths)},
                       {"suites", std::move(suites)},
                       {"rules", std::move(rules)},
                       {"fork_surface", Json::array_of(p.fork_surface)},
                       {"invariants", std::move(invariants)},
                       {"flakes", register_json(p.flakes)},
                       {"known_failures", register_json(p.known_failures)},
                       {"sha256", p.sha256}});
}

}  // namespace

// Left out: `now` and the nonces, which differ between two judgements of the same facts, and the secrets.
std::string JudgeContext::hash() const {
  Json evidence = Json::object(), skips = Json::object();
  for (const auto& [suite, e] : base_evidence) evidence.set(suite, e.id());
  for (const auto& [suite, tests] : allowed_skips) {
    Json one = Json::object();
    for (const auto& [test, reason] : tests) one.set(test, reason);
    skips.set(suite, std::move(one));
  }
  Json repetitions = Json::array(), first = Json::object(), used = Json::object();
  for (const Evidence& e : base_repetitions) repetitions.push(e.id());
  for (const auto& [suite, e] : failing_first) first.set(suite, e.id());
  for (const auto& [name, version] : tools) used.set(name, version);
  Json carried = Json::object();
  for (const auto& [upstream, downstream] : landed_as) carried.set(upstream, downstream);
  Json all =
      Json::object({{"upstream_tip", upstream_tip},
                    {"landed", Json::array_of(landed)},
                    {"open_deferrals", Json::array_of(open_deferrals)},
                    {"base_evidence", std::move(evidence)},
                    {"base_repetitions", std::move(repetitions)},
                    {"failing_first", std::move(first)},
                    {"tools", std::move(used)},
                    {"allowed_skips", std::move(skips)},
                    {"required_suites", Json::array_of(required_suites)},
                    {"accepted_environments", Json::array_of(accepted_environments)},
                    {"policy", policy_json(policy)},
                    {"upstream_repo", upstream_repo},
                    {"committer", Json::object({{"name", committer.name}, {"email", committer.email}})},
                    {"max_evidence_age_s", max_evidence_age_s}});
  if (!landed_as.empty()) all.set("landed_as", std::move(carried)).set("revert_reason", revert_reason);
  return core::sha256_hex(all.dump());
}

}  // namespace sluice::model
