// SPDX-License-Identifier: Apache-2.0
#include "service/run_end.h"

#include <fmt/format.h>

#include "core/log.h"
#include "service/alerts.h"
#include "service/observe.h"

namespace sluice::service {

namespace {

// A first run on an old fork must not spend its night on the past; the next ones go on.
constexpr std::int64_t landings_a_run = 100;

}  // namespace

Result<void> end_of_run(App& app, const std::string& command, const Plan& after, SyncReport& report) {
  if (app.config.autonomy == model::Autonomy::observe && command == "sync") {
    const auto observed = observe(app, after, {.since = 0, .until = 0, .at_most = landings_a_run});
    if (!observed.ok()) core::log_warning("what the team landed was not scored: " + observed.error().message);
    else if (observed->scored_now > 0)
      core::log_info(fmt::format("{} of the team's landings scored: `sluice report --observe` shows them", observed->scored_now));
  }
  TRY_ASSIGN(const auto news, refresh_alerts(app, {.failed = !report.errors.empty(), .push_refused = report.push_refused, .trunk_red = report.trunk_red}));
  report.notices.insert(report.notices.end(), news.begin(), news.end());
  return {};
}

void end_of_failed_run(App& app) {
  const auto done = refresh_alerts(app, {.failed = true, .push_refused = {}, .trunk_red = {}});
  if (!done.ok()) core::log_warning("alerts could not be stored: " + done.error().message);
}

}  // namespace sluice::service
