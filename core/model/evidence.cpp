// SPDX-License-Identifier: Apache-2.0
#include "core/model/evidence.h"

#include <fmt/format.h>

#include "core/hash.h"
#include "core/model/names.h"
#include "core/text.h"

namespace sluice::model {
namespace {

using core::Json;

constexpr NameTable<TestState, 12> states = {{{TestState::pass, "pass"},
                                              {TestState::fail, "fail"},
                                              {TestState::xfail, "xfail"},
                                              {TestState::xpass, "xpass"},
                                              {TestState::flakypass, "flakypass"},
                                              {TestState::timeout, "timeout"},
                                              {TestState::unresolved, "unresolved"},
                                              {TestState::crash, "crash"},
                                              {TestState::skip, "skip"},
                                              {TestState::unsupported, "unsupported"},
                                              {TestState::notrun, "notrun"},
                                              {TestState::missing, "missing"}}};
constexpr NameTable<Outcome, 5> outcomes = {{{Outcome::pass, "pass"},
                                             {Outcome::fail, "fail"},
                                             {Outcome::timeout, "timeout"},
                                             {Outcome::unsupported, "unsupported"},
                                             {Outcome::unresolved, "unresolved"}}};

Json tests_json(const std::vector<TestRecord>& tests, bool with_detail) {
  Json j = Json::array();
  for (const TestRecord& t : tests) {
    Json one = Json::object({{"id", t.id}, {"state", to_string(t.state)}});
    if (with_detail && !t.detail.empty()) one.set("detail", t.detail);
    j.push(std::move(one));
  }
  return j;
}

// What is equal when the same tree gave the same results: no times, no nonce, and none of the texts
// that hold paths and names of the machine (details, log, the path of the sandbox program).
Json identity(const Evidence& e) {
  Json j = Json::object({{"suite", e.suite},
                       {"kind", e.kind},
                       {"tier", e.tier},
                       {"tree", e.tree},
                       {"environment", e.environment},
                       {"runner", e.runner},
                       {"sandbox", e.sandbox},
                       {"limits", e.limits},
                       {"grade", e.grade},
                       {"exit_code", e.exit_code},
                       {"trouble", e.trouble},
                       {"tests", tests_json(e.tests, false)},
                       {"warnings", e.warnings},
                       {"artefact_digest", e.artefact_digest}});
  if (!e.selected.empty()) j.set("selected", Json::array_of(e.selected));
  return j;
}

Result<TestRecord> parse_test(const Json& json, std::size_t index) {
  const auto state = parse_test_state(json["state"].as_string());
  if (!state || !json["id"].is_string()) {
    return make_error(ErrorKind::invalid,
                      fmt::format("evidence: test {} needs an id and a known state, it has state '{}'", index,
                                  core::printable(json["state"].as_string(), 40)));
  }
  return TestRecord{json["id"].as_string(), *state, json["detail"].as_string()};
}

}  // namespace

std::string_view to_string(TestState s) { return name_in(states, s); }
std::string_view to_string(Outcome o) { return name_in(outcomes, o); }
std::optional<TestState> parse_test_state(std::string_view text) { return value_in(states, text); }

Outcome outcome_of(TestState s) {
  switch (s) {
    case TestState::pass:
    case TestState::xfail:
    case TestState::flakypass:
      return Outcome::pass;
    case TestState::fail:
    case TestState::xpass:
    case TestState::crash:
      return Outcome::fail;
    case TestState::timeout:
      return Outcome::timeout;
    case TestState::skip:
    case TestState::unsupported:
      return Outcome::unsupported;
    case TestState::unresolved:
    case TestState::notrun:
    case TestState::missing:
      return Outcome::unresolved;
  }
  return Outcome::unresolved;
}

std::string Evidence::id() const { return core::sha256_hex(identity(*this).dump()); }

Json to_json(const Evidence& e) {
  Json j = identity(e);
  j.set("schema", "sluice.evidence/1")
      .set("nonce", e.nonce)
      .set("trouble_detail", e.trouble_detail)
      .set("tests", tests_json(e.tests, true))
      .set("log", e.log)
      .set("log_bytes", e.log_bytes)
      .set("started_at", e.started_at)
      .set("wall_ms", e.wall_ms);
  return j;
}

Result<Evidence> parse_evidence(const Json& json) {
  if (json["schema"].as_string() != "sluice.evidence/1") {
    return make_error(ErrorKind::invalid,
                      fmt::format("evidence has schema '{}', this version reads sluice.evidence/1",
                                  core::printable(json["schema"].as_string(), 60)));
  }
  for (const char* field : {"suite", "kind", "tree"}) {
    if (!json[field].is_string() || json[field].as_string().empty()) {
      return make_error(ErrorKind::invalid, fmt::format("evidence lacks the field '{}'", field));
    }
  }
  Evidence e;
  for (const auto& [field, to] : {std::pair{"suite", &e.suite},
                                  {"kind", &e.kind},
                                  {"tier", &e.tier},
                                  {"tree", &e.tree},
                                  {"environment", &e.environment},
                                  {"runner", &e.runner},
                                  {"sandbox", &e.sandbox},
                                  {"limits", &e.limits},
                                  {"nonce", &e.nonce},
                                  {"grade", &e.grade},
                                  {"trouble", &e.trouble},
                                  {"trouble_detail", &e.trouble_detail},
                                  {"artefact_digest", &e.artefact_digest},
                                  {"log", &e.log}}) {
    *to = json[field].as_string();
  }
  e.exit_code = static_cast<int>(json["exit_code"].as_int(-1));
  e.warnings = static_cast<int>(json["warnings"].as_int());
  e.log_bytes = static_cast<std::uint64_t>(json["log_bytes"].as_int());
  e.started_at = json["started_at"].as_int();
  e.wall_ms = json["wall_ms"].as_int();
  for (const Json& test : json["selected"].items()) e.selected.push_back(test.as_string());
  const auto& tests = json["tests"].items();
  for (std::size_t i = 0; i < tests.size(); ++i) {
    TRY_ASSIGN(TestRecord t, parse_test(tests[i], i));
    e.tests.push_back(std::move(t));
  }
  return e;
}

std::map<std::string, int> count_states(const std::vector<TestRecord>& tests) {
  std::map<std::string, int> counts;
  for (const TestRecord& t : tests) ++counts[std::string(to_string(t.state))];
  return counts;
}

}  // namespace sluice::model
