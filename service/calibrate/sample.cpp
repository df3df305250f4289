// SPDX-License-Identifier: Apache-2.0
#include "service/calibrate/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"

namespace sluice::service::calibrate {

namespace {

constexpr std::array<std::string_view, kinds> kind_names{"as_merged", "otherwise", "conflict", "unresolved"};

using Field = std::int64_t guardrails::PickMeasure::*;
constexpr std::pair<std::string_view, Field> fields[] = {
    {"files_outside", &guardrails::PickMeasure::files_outside},   {"changed_lines", &guardrails::PickMeasure::changed_lines},
    {"conflict_lines", &guardrails::PickMeasure::conflict_lines}, {"changed_files", &guardrails::PickMeasure::changed_files},
    {"upstream_added", &guardrails::PickMeasure::upstream_added}, {"upstream_missing", &guardrails::PickMeasure::upstream_missing},
    {"own_added", &guardrails::PickMeasure::own_added}};

// Zeros are left out: most picks have nothing else.
core::Json measure_json(const guardrails::PickMeasure& measure) {
  core::Json out = core::Json::object();
  for (const auto& [name, field] : fields) {
    if (measure.*field != 0) out.set(name, measure.*field);
  }
  if (measure.conflicted) out.set("conflicted", true);
  if (measure.identical) out.set("identical", true);
  if (measure.lines_beyond[0] != 0) out.set("lines_beyond", core::Json::array_of(measure.lines_beyond));
  return out;
}

Result<guardrails::PickMeasure> parse_measure(const core::Json& json) {
  guardrails::PickMeasure out;
  for (const auto& [name, field] : fields) out.*field = json[name].as_int();
  out.conflicted = json["conflicted"].as_bool();
  out.identical = json["identical"].as_bool();
  if (const auto& beyond = json["lines_beyond"].items(); !beyond.empty()) {
    if (beyond.size() != out.lines_beyond.size()) return make_error(ErrorKind::invalid, "lines_beyond has another length");
    for (std::size_t i = 0; i < beyond.size(); ++i) out.lines_beyond[i] = beyond[i].as_int();
  }
  return out;
}

core::Json sample_json(const Sample& sample) {
  core::Json alarms = core::Json::array();
  for (const Alarm& alarm : sample.alarms) {
    alarms.push(core::Json::object({{"rule", alarm.rule}, {"verdict", model::to_string(alarm.judgement)}, {"items", alarm.items}}));
  }
  core::Json out = core::Json::object({{"upstream", sample.upstream}, {"kind", to_string(sample.kind)}, {"asked", core::join(sample.asked, " ")}, {"alarms", std::move(alarms)}});
  if (sample.member) out.set("member", true);
  if (sample.noted) out.set("noted", true);
  if (!sample.why.empty()) out.set("why", sample.why);
  out.set("measure", measure_json(sample.measure));
  return out;
}

Result<Sample> parse_sample(const core::Json& json, const Oid& commit) {
  Sample out;
  out.commit = commit;
  out.upstream = json["upstream"].as_string();
  const auto kind = std::find(kind_names.begin(), kind_names.end(), json["kind"].as_string());
  if (!model::is_oid(out.upstream) || kind == kind_names.end()) return make_error(ErrorKind::invalid, "no upstream commit or no kind");
  out.kind = static_cast<Kind>(kind - kind_names.begin());
  for (const std::string_view id : core::split(json["asked"].as_string(), ' ')) {
    if (!id.empty()) out.asked.emplace_back(id);
  }
  for (const core::Json& each : json["alarms"].items()) {
    const auto judgement = model::parse_judgement(each["verdict"].as_string());
    if (!judgement) return make_error(ErrorKind::invalid, "an alarm without a verdict");
    out.alarms.push_back({each["rule"].as_string(), *judgement, each["items"].as_int()});
  }
  out.member = json["member"].as_bool();
  out.noted = json["noted"].as_bool();
  out.why = json["why"].as_string();
  TRY_ASSIGN(out.measure, parse_measure(json["measure"]));
  return out;
}

}  // namespace

std::string_view to_string(Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

const Alarm* Sample::alarm(std::string_view rule) const {
  const auto found = std::find_if(alarms.begin(), alarms.end(), [&](const Alarm& each) { return each.rule == rule; });
  return found == alarms.end() ? nullptr : &*found;
}

bool Sample::was_asked(std::string_view rule) const { return std::find(asked.begin(), asked.end(), rule) != asked.end(); }

core::Json to_json(const RowResult& result) {
  core::Json samples = core::Json::array(), skipped = core::Json::array();
  for (const Sample& sample : result.samples) samples.push(sample_json(sample));
  for (const Skipped& each : result.skipped) skipped.push(core::Json::object({{"why", each.why}, {"members", each.members}}));
  return core::Json::object({{"commit", result.commit}, {"samples", std::move(samples)}, {"skipped", std::move(skipped)}});
}

Result<RowResult> parse_result(const core::Json& json) {
  RowResult out;
  out.commit = json["commit"].as_string();
  if (!model::is_oid(out.commit)) return make_error(ErrorKind::invalid, "no commit");
  for (const core::Json& each : json["samples"].items()) {
    TRY_ASSIGN(Sample sample, parse_sample(each, out.commit));
    out.samples.push_back(std::move(sample));
  }
  for (const core::Json& each : json["skipped"].items()) out.skipped.push_back({each["why"].as_string(), each["members"].as_int()});
  return out;
}

}  // namespace sluice::service::calibrate
