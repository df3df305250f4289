// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text.h"
#include "runners/records.h"
#include "runners/runners.h"
#include "runners/xml.h"

namespace sluice::runners {
namespace {

using model::TestState;

// 3.25 leaves the message of a failure empty; newer ones name a time-out or a signal there.
TestState failure_state(std::string_view message) {
  for (const std::string_view word : {"Timeout", "timeout"})
    if (message.find(word) != std::string_view::npos) return TestState::timeout;
  for (const std::string_view word : {"SEGFAULT", "SegFault", "Exception", "ILLEGAL", "INTERRUPT", "NUMERICAL", "Subprocess aborted"})
    if (message.find(word) != std::string_view::npos) return TestState::crash;
  return TestState::fail;
}

Result<void> add_case(pugi::xml_node test, Records& records) {
  const std::string name = test.attribute("name").value();
  const std::string_view status = test.attribute("status").value();
  const std::string_view output = test.child("system-out").child_value();
  const pugi::xml_node skipped = test.child("skipped"), failure = test.child("failure");
  const std::string why = message_of(skipped);
  if (status == "fail" || failure) {
    const std::string message = message_of(failure);
    records.add(name, failure_state(message), message.empty() ? std::string(output) : message + "\n" + std::string(output));
  } else if (status == "disabled" || why == "Disabled") {
    records.add(name, TestState::notrun, "disabled");
  } else if (why.starts_with("SKIP_RETURN_CODE") || why.starts_with("SKIP_REGULAR_EXPRESSION")) {
    records.add(name, TestState::skip, why);
  } else if (status == "notrun" || skipped) {
    // "Unable to find executable": written as <skipped>, but somebody asked for it and it did not run.
    records.add(name, TestState::notrun, why.empty() ? "not run" : why);
  } else if (status == "run") {
    records.add(name, TestState::pass, "");
  } else {
    records.add(name, TestState::unresolved, fmt::format("status '{}'", core::printable(status)));
  }
  return {};
}

}  // namespace

Result<std::vector<model::TestRecord>> parse_ctest_junit(std::string_view text) {
  constexpr std::string_view what = "ctest results";
  pugi::xml_document document;
  TRY(load_report(text, what, document));
  Records records;
  TRY(for_each_case(document, what, [&](pugi::xml_node test, pugi::xml_node) -> Result<void> {
    if (std::string_view(test.attribute("name").value()).empty())
      return make_error(ErrorKind::invalid, fmt::format("{}: <testcase> {} has no name", what, records.size() + 1));
    return add_case(test, records);
  }));
  const std::size_t declared = document.document_element().attribute("tests").as_ullong();
  if (records.size() < declared)
    return make_error(ErrorKind::invalid, fmt::format("{}: {} tests declared, {} listed", what, declared, records.size()));
  auto tests = records.take();
  TRY(check_counts(document, what, tests));
  return tests;
}

}  // namespace sluice::runners
