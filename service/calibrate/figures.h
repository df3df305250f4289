// SPDX-License-Identifier: Apache-2.0
// The judged picks as numbers: how far what landed went from the machine merge, and how often each rule objected.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "service/calibrate/sample.h"

namespace sluice::service::calibrate {

// 95 %, Wilson.
struct Interval {
  double low = 0, high = 1;
};
Interval wilson(std::int64_t hits, std::int64_t n);
// Nearest rank; 0 of nothing. `values` in any order, p in 0..1.
double percentile(std::vector<double> values, double p);

struct Share {
  std::int64_t hits = 0, n = 0;
  double rate() const { return n == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(n); }
};

// One line of the first table. `values`: percentiles and the like, in order.
struct Figure {
  std::string key, label;  // key: in JSON
  std::int64_t n = 0;      // picks that it is about
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::pair<std::string, Share>> shares;
};

struct Population {
  std::int64_t picks[kinds] = {};  // single picks, by Kind
  std::int64_t members = 0;        // members of bundles that landed as merged
};

Population population_of(const std::vector<Sample>& samples);
std::vector<Figure> figures_of(const std::vector<Sample>& samples);

struct RuleFigures {
  std::string id;
  Share as_merged;  // single picks and members of bundles: every alarm is a false one
  Share otherwise, conflict;
  std::map<std::string, std::int64_t> verdicts;  // of all alarms
  std::vector<Oid> false_examples, examples;     // landed commits: as_merged, and the others
};
// By rule, those that were asked.
std::map<std::string, RuleFigures> rules_of(const std::vector<Sample>& samples);

// What single conflicted picks give for the numbers of the rules.
std::vector<double> numbers_of(const std::vector<Sample>& samples, double (*number)(const guardrails::PickMeasure&));

}  // namespace sluice::service::calibrate
