// SPDX-License-Identifier: Apache-2.0
// What is learned of one landed pick, and how it is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/model/oid.h"
#include "core/model/verdict.h"
#include "core/result.h"
#include "guardrails/measure.h"

namespace sluice::service::calibrate {

using model::Oid;

// One landed commit with the upstream commits that it brings, in upstream order.
struct Row {
  Oid commit, parent;
  std::vector<Oid> upstream;
  std::int64_t date = 0;
};

// as_merged: a clean merge that landed as the machine made it. otherwise: clean, and something else landed.
// unresolved: it cannot be said, for a missing object or git's trouble.
enum class Kind { as_merged, otherwise, conflict, unresolved };
inline constexpr int kinds = 4;
std::string_view to_string(Kind kind);

struct Alarm {
  std::string rule;
  model::Judgement judgement = model::Judgement::pass;
  std::int64_t items = 0;  // above PASS
};

struct Sample {
  Oid commit, upstream;
  bool member = false;         // of a bundle, as its fold has it
  bool noted = false;          // the landed message speaks of a conflict
  Kind kind = Kind::unresolved;
  std::string why;             // unresolved
  std::vector<std::string> asked;  // rules that were judged; empty when unresolved
  std::vector<Alarm> alarms;       // of these the ones above PASS
  guardrails::PickMeasure measure;

  const Alarm* alarm(std::string_view rule) const;  // null = none
  bool was_asked(std::string_view rule) const;
};

// Upstream commits of a bundle that are no sample, and why.
struct Skipped {
  std::string why;
  std::int64_t members = 0;
};

struct RowResult {
  Oid commit;
  std::vector<Sample> samples;
  std::vector<Skipped> skipped;
};

core::Json to_json(const RowResult& result);
Result<RowResult> parse_result(const core::Json& json);

}  // namespace sluice::service::calibrate
