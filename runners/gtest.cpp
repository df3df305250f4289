// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "runners/records.h"
#include "runners/runners.h"
#include "runners/xml.h"

namespace sluice::runners {
namespace {

using model::TestState;

void add_case(pugi::xml_node test, pugi::xml_node suite, Records& records) {
  std::string_view group = test.attribute("classname").value(), name = test.attribute("name").value();
  // Failures outside of any test (an environment's SetUp) come as a nameless case of a suite of their own.
  if (group.empty()) group = suite.attribute("name").value();
  const std::string id = name.empty() ? std::string(group) : fmt::format("{}.{}", group, name);
  const std::string_view status = test.attribute("status").value(), result = test.attribute("result").value();

  std::string failures;
  for (const pugi::xml_node failure : test.children("failure")) failures += message_of(failure) + "\n";
  const pugi::xml_node skipped = test.child("skipped");
  if (!failures.empty()) records.add(id, TestState::fail, failures);
  else if (status == "notrun") records.add(id, TestState::notrun, name.find("DISABLED_") != std::string_view::npos || result == "suppressed" ? "disabled" : "not run");
  else if (skipped || result == "skipped") records.add(id, TestState::skip, message_of(skipped));
  else if (status == "run" && (result.empty() || result == "completed")) records.add(id, TestState::pass, "");
  else records.add(id, TestState::unresolved, fmt::format("status '{}', result '{}'", status, result));
}

}  // namespace

Result<std::vector<model::TestRecord>> parse_gtest_xml(std::string_view text) {
  constexpr std::string_view what = "GoogleTest results";
  pugi::xml_document document;
  TRY(load_report(text, what, document));
  Records records;
  TRY(for_each_case(document, what, [&](pugi::xml_node test, pugi::xml_node suite) -> Result<void> {
    if (!test.attribute("name"))
      return make_error(ErrorKind::invalid, fmt::format("{}: <testcase> {} has no name", what, records.size() + 1));
    add_case(test, suite, records);
    return {};
  }));
  const std::size_t declared = document.document_element().attribute("tests").as_ullong();
  if (records.size() < declared)
    return make_error(ErrorKind::invalid, fmt::format("{}: {} tests declared, {} listed", what, declared, records.size()));
  auto tests = records.take();
  TRY(check_counts(document, what, tests));
  return tests;
}

}  // namespace sluice::runners
