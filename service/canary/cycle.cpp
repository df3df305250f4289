// SPDX-License-Identifier: Apache-2.0
#include "service/canary/cycle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/log.h"
#include "service/canary/hostile.h"

namespace sluice::service {
namespace {

using core::Json;

std::string words(const std::vector<std::string>& gates, const std::string& finding) {
  if (gates.empty()) return {};
  return fmt::format("the canary of {} was not caught: a gate that cannot fail proves nothing, so nothing lands{}", fmt::join(gates, ", "),
                     finding.empty() ? "" : " (" + finding + ")");
}

}  // namespace

Result<std::string> prove_gates(App& app) {
  app.progress("canaries", 0, 0);
  TRY_ASSIGN(CanaryRun run, run_canaries(app.config.policy));
  TRY_ASSIGN(auto hostile, hostile_harness(app));
  if (hostile) run.results.push_back(std::move(*hostile));
  const std::vector<std::string> bad = run.quarantined();
  std::string finding;
  std::int64_t red = 0;
  for (const CanaryResult& result : run.results) {
    if (result.caught == Caught::red || result.caught == Caught::noisy) ++red;
    if (finding.empty() && (result.caught == Caught::green || result.caught == Caught::error)) {
      finding = result.fault + (result.finding.empty() ? "" : ": " + result.finding);
    }
    if (result.caught == Caught::noisy) {
      core::log_info(fmt::format("canary of {} ({}): {} objected as well", result.gate, result.fault, fmt::join(result.also, ", ")));
    }
  }
  const std::string said = words(bad, finding);
  TRY_ASSIGN(const std::string before, unproven_gates(app));
  TRY_ASSIGN(auto transaction, app.store.begin());
  TRY(app.store.put_value(canaries_key, Json::object({{"at", core::format_utc(app.clock.now())},
                                                      {"red", red},
                                                      {"quarantined", Json::array_of(bad)},
                                                      {"unproven", Json::array_of(run.unproven)},
                                                      {"words", said}})
                                            .dump()));
  if (said != before) {
    TRY(app.store.append_event(said.empty() ? "gates.proven" : "gates.quarantined", app.config.fork.branch,
                               Json::object({{"gates", Json::array_of(bad)}, {"finding", finding}}), app.clock.now()));
  }
  TRY(transaction.commit());
  return said;
}

Result<std::string> unproven_gates(App& app) {
  TRY_ASSIGN(const auto stored, app.store.value(canaries_key));
  if (!stored) return std::string();
  TRY_ASSIGN(const Json json, Json::parse(*stored));
  return json["words"].as_string();
}

}  // namespace sluice::service
