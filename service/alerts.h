// SPDX-License-Identifier: Apache-2.0
// What somebody should look at: each alert has one identity, one sentence and one command to start with. They
// follow from what is stored and from the clock; one that was raised is closed when its condition is gone.
//
// The end of every run stores them. `status` computes them anew, so that it also tells what no run could have
// told: that there was none. docs/operations.md says what to do about each kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "service/app.h"

namespace sluice::service {

inline constexpr std::int64_t alert_fetch_stale_s = 3 * 86400;  // no good fetch
inline constexpr std::int64_t alert_no_run_s = 26 * 3600;       // no complete run: a nightly has failed, or its timer
inline constexpr std::int64_t alert_paused_s = 24 * 3600;
// A unit whose validation was begun this often without an end: trunk moves faster than its suites, or they die.
inline constexpr std::int64_t alert_validations = 6;
inline constexpr std::int64_t alert_disk_bytes = std::int64_t{1} << 30;
inline constexpr int alert_disk_percent = 5;

// What the run that is ending found out. The sentences are the run's own; empty = it was not so.
struct RunFacts {
  bool failed = false;        // an outside failure left work undone
  std::string push_refused;   // the fork would not take a push: a person must change something there
  std::string trunk_red;      // trunk's own suites are red
};

// At the end of a run: stores what is open and closes what is over. Returns the sentences of new alerts that the
// run has not said in its own words: they are notices of this run and of no later one. REQUIRES: app.lock.
Result<std::vector<std::string>> refresh_alerts(App& app, const RunFacts& run);
// What is open now, oldest first. Stores nothing.
Result<std::vector<store::AlertRow>> open_alerts(App& app);

core::Json alerts_json(App& app, const std::vector<store::AlertRow>& alerts);  // [{kind, text, command, opened_at, age_s}]
std::string alerts_text(App& app, const std::vector<store::AlertRow>& alerts);  // empty when there are none

// Every kind that is raised here, for the documentation's test.
std::vector<std::string> alert_kinds();

// Empty: enough room. Both in bytes.
std::string disk_words(std::uint64_t available, std::uint64_t total);

}  // namespace sluice::service
