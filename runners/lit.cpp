// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "core/json.h"
#include "core/text.h"
#include "runners/records.h"
#include "runners/runners.h"

namespace sluice::runners {
namespace {

using model::TestState;

// EXCLUDED and SKIPPED are left out of the file by lit 14-17; newer ones may write them. FIXED (a test that
// an updater rewrote until it passed) and codes of a suite's own stay in doubt.
std::optional<TestState> state_of(std::string_view code) {
  if (code == "PASS") return TestState::pass;
  if (code == "FLAKYPASS") return TestState::flakypass;
  if (code == "XFAIL") return TestState::xfail;
  if (code == "FAIL") return TestState::fail;
  if (code == "XPASS") return TestState::xpass;
  if (code == "TIMEOUT") return TestState::timeout;
  if (code == "UNRESOLVED") return TestState::unresolved;
  if (code == "UNSUPPORTED") return TestState::unsupported;
  if (code == "EXCLUDED" || code == "SKIPPED") return TestState::notrun;
  return std::nullopt;
}

// "Exit Code: -11" is how lit says that a command of the test died of a signal.
std::string signal_note(std::string_view output) {
  constexpr std::string_view key = "Exit Code: -";
  const auto at = output.find(key);
  if (at == std::string_view::npos) return "";
  std::string_view digits = output.substr(at + key.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  return digits.empty() ? "" : fmt::format("signal {}\n", digits);
}

}  // namespace

Result<std::vector<model::TestRecord>> parse_lit_json(std::string_view text) {
  auto parsed = core::Json::parse(text);
  if (!parsed.ok()) return make_error(ErrorKind::invalid, "lit results: " + parsed.error().message);
  const core::Json& tests = (*parsed)["tests"];
  if (!tests.is_array()) return make_error(ErrorKind::invalid, "lit results: no array 'tests'; is this what lit -o wrote?");
  Records records;
  for (std::size_t i = 0; i < tests.items().size(); ++i) {
    const core::Json& test = tests.items()[i];
    const std::string& name = test["name"].as_string();
    const std::string& code = test["code"].as_string();
    if (name.empty() || code.empty())
      return make_error(ErrorKind::invalid, fmt::format("lit results: tests[{}] lacks a name or a code", i));
    const auto state = state_of(code);
    std::string detail;
    if (!state) detail = fmt::format("lit code {}\n", core::printable(code));
    if (!state || *state != TestState::pass) detail += signal_note(test["output"].as_string()) + test["output"].as_string();
    records.add(name, state.value_or(TestState::unresolved), detail);
  }
  return records.take();
}

}  // namespace sluice::runners
