// SPDX-License-Identifier: Apache-2.0
// `sluice calibrate`: the fork's own landed picks say what the numbers and the modes of the rules should be. Each is
// picked again by machine and judged as it landed; what people accepted without an edit should raise no alarm.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "config/edit.h"
#include "core/json.h"
#include "service/app.h"
#include "service/calibrate/figures.h"
#include "service/calibrate/propose.h"

namespace sluice::service {

struct CalibrateOptions {
  // The operator's file. Alone: the store's repositories as last fetched, trunk, trailer patterns. Beside repositories:
  // the policy, and what --apply changes; empty = the built-in policy.
  std::string config;
  std::string fork_repo, upstream_repo;  // without a store; upstream_repo empty = the fork's
  std::vector<std::string> branches;     // of the fork, mined; empty = HEAD
  std::string upstream_tip;              // empty = HEAD of an upstream repository of its own
  std::string rows;                      // a table of landed commits in place of mining
  std::int64_t since = 0;                // committer time
  std::size_t limit = 0;                 // newest landed commits; 0 = all
  std::vector<std::string> rules;        // empty = all
  std::vector<std::string> drop_missing; // as [[path]] missing = "drop"
  std::string out_dir;                   // where results are kept; empty = the store, without one nowhere
  int jobs = 0;                          // 0 = number of cores
  calibrate::Limits limits;
  Progress progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

struct CalibrateReport {
  std::string source;                             // for people: which commits
  std::int64_t scanned = 0, singles = 0, bundles = 0, kept = 0;
  std::map<std::string, std::int64_t> left_out;   // reason -> commits, or members of bundles
  std::map<std::string, std::int64_t> unresolved; // reason -> picks
  calibrate::Population population;
  std::vector<calibrate::Figure> figures;
  std::map<std::string, calibrate::RuleFigures> rules;
  std::vector<calibrate::ProposedNumber> numbers;
  std::vector<calibrate::ProposedMode> modes;
  calibrate::Limits limits;
  std::vector<config::SectionEdit> edits;  // what to change; empty = nothing
  // The operator's file with the changes; no file, or a policy that stands elsewhere: empty, and `elsewhere` says so.
  std::string file, elsewhere;
  std::string text_before;                 // as it was read before anything was judged
  config::EditedText edited;
  bool applied = false;
};

// Errors: invalid (options, configuration, table), not_found (repository, names, nothing fetched yet), conflict
// (another one is at work with the same results), transient (cancelled).
Result<CalibrateReport> calibrate_rules(const CalibrateOptions& options);

// Writes the operator's file, whole or not at all. Errors: conflict where it is not the text that was measured with;
// invalid where there is no file to change, or the changed text would not say what was meant.
Result<void> apply_calibration(CalibrateReport& report);

std::string calibrate_text(const CalibrateReport& report);
core::Json calibrate_json(const CalibrateReport& report);  // sluice.calibrate/1

}  // namespace sluice::service
