// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "runners/records.h"
#include "runners/runners.h"
#include "runners/xml.h"

namespace sluice::runners {
namespace {

using model::TestState;

struct Verdict {
  TestState state = TestState::pass;
  std::string detail;
};

// pytest says a strict XPASS, a time-out and a dead worker in words only.
TestState failure_state(std::string_view message) {
  if (message.starts_with("[XPASS(strict)]")) return TestState::xpass;
  if (message.starts_with("Failed: Timeout")) return TestState::timeout;
  if (message.starts_with("worker '") && message.find("crashed while running") != std::string_view::npos) return TestState::crash;
  return TestState::fail;
}

// Dialects say the state in an attribute, in one of many words; an unknown word is not a pass.
TestState attribute_state(pugi::xml_node test) {
  for (const char* key : {"result", "status"}) {
    const std::string word = core::to_lower(test.attribute(key).value());
    if (word.empty()) continue;
    const auto is = [&](std::initializer_list<std::string_view> words) { return std::find(words.begin(), words.end(), word) != words.end(); };
    if (is({"run", "completed", "passed", "pass", "success", "successful", "succeeded", "ok"})) continue;
    if (is({"failed", "failure", "fail", "error", "errored", "broken"})) return TestState::fail;
    if (is({"skipped", "skip", "ignored", "pending"})) return TestState::skip;
    if (is({"notrun", "disabled", "suppressed", "not_run"})) return TestState::notrun;
    return TestState::unresolved;
  }
  return TestState::pass;
}

// Several results in one case: the worst one counts (a failed test whose teardown was skipped has failed).
int weight(TestState state) {
  switch (state) {
    case TestState::crash: return 9;
    case TestState::timeout: return 8;
    case TestState::fail: return 7;
    case TestState::xpass: return 6;
    case TestState::unresolved: return 5;
    case TestState::missing:
    case TestState::notrun: return 4;
    case TestState::skip:
    case TestState::unsupported: return 3;
    case TestState::xfail: return 2;
    case TestState::flakypass: return 1;
    case TestState::pass: return 0;
  }
  return 9;
}

Verdict judge(pugi::xml_node test) {
  Verdict verdict{attribute_state(test), ""};
  const auto worsen = [&](TestState state, std::string detail) {
    if (weight(state) <= weight(verdict.state) && !(state == verdict.state && verdict.detail.empty())) return;
    verdict = {state, std::move(detail)};
  };
  for (const pugi::xml_node child : test.children()) {
    const std::string_view name = child.name();
    const std::string message = message_of(child);
    if (name == "failure" || name == "error") worsen(failure_state(message), message);
    else if (name == "skipped") worsen(std::string_view(child.attribute("type").value()) == "pytest.xfail" ? TestState::xfail : TestState::skip, message);
    else if (name == "disabled") worsen(TestState::notrun, "disabled");
    // Surefire: re-runs that ended in a pass are flaky*, those that did not are rerun* beside a <failure>.
    else if (name == "flakyFailure" || name == "flakyError") worsen(TestState::flakypass, message);
    else if (name == "rerunFailure" || name == "rerunError") worsen(TestState::fail, message);
  }
  return verdict;
}

std::string id_of(pugi::xml_node test, pugi::xml_node suite) {
  const std::string name = test.attribute("name").value();
  // An empty classname is the module itself (pytest); only an absent one is filled in.
  const pugi::xml_attribute group = test.attribute("classname") ? test.attribute("classname") : suite.attribute("name");
  const std::string_view prefix = group.value();
  return prefix.empty() ? name : fmt::format("{}.{}", prefix, name);
}

}  // namespace

Result<std::vector<model::TestRecord>> parse_junit_xml(std::string_view text) {
  constexpr std::string_view what = "JUnit results";
  pugi::xml_document document;
  TRY(load_report(text, what, document));
  Records records;
  TRY(for_each_case(document, what, [&](pugi::xml_node test, pugi::xml_node suite) -> Result<void> {
    if (std::string_view(test.attribute("name").value()).empty())
      return make_error(ErrorKind::invalid, fmt::format("{}: <testcase> {} has no name", what, records.size() + 1));
    Verdict verdict = judge(test);
    records.add(id_of(test, suite), verdict.state, verdict.detail);
    return {};
  }));
  auto tests = records.take();
  TRY(check_counts(document, what, tests));
  return tests;
}

}  // namespace sluice::runners
