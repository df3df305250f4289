// SPDX-License-Identifier: Apache-2.0
#include "runners/xml.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace sluice::runners {
namespace {

std::ptrdiff_t line_of(std::string_view text, std::ptrdiff_t offset) {
  const auto end = text.begin() + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text.size()));
  return 1 + std::count(text.begin(), end, '\n');
}

using Visit = std::function<Result<void>(pugi::xml_node, pugi::xml_node)>;

Result<void> descend(pugi::xml_node node, pugi::xml_node suite, int depth, std::string_view what, const Visit& each) {
  if (depth > xml_depth_cap)
    return make_error(ErrorKind::invalid, fmt::format("{}: elements nested deeper than {}", what, xml_depth_cap));
  for (const pugi::xml_node child : node.children()) {
    const std::string_view name = child.name();
    if (name == "testcase") TRY(each(child, suite));
    else if (name == "testsuite") TRY(descend(child, child, depth + 1, what, each));
    else if (name == "testsuites") TRY(descend(child, suite, depth + 1, what, each));
  }
  return {};
}

}  // namespace

Result<void> load_report(std::string_view text, std::string_view what, pugi::xml_document& document) {
  const auto invalid = [&](std::string message) { return make_error(ErrorKind::invalid, fmt::format("{}: {}", what, message)); };
  if (text.size() > xml_cap) return invalid(fmt::format("{} bytes, more than the {} MiB that are read", text.size(), xml_cap >> 20));
  // pugixml would take a NUL for the end of the text and answer with what came before it.
  if (const auto at = text.find('\0'); at != std::string_view::npos) return invalid(fmt::format("NUL byte at offset {}", at));
  constexpr unsigned flags = pugi::parse_default | pugi::parse_doctype;
  const auto result = document.load_buffer(text.data(), text.size(), flags, pugi::encoding_utf8);
  if (!result) return invalid(fmt::format("line {}: {}", line_of(text, result.offset), core::to_lower(result.description())));
  int roots = 0;
  for (const pugi::xml_node node : document.children()) {
    if (node.type() == pugi::node_doctype) return invalid("a document type declaration; reports have none");
    if (node.type() == pugi::node_element) ++roots;
  }
  const std::string_view root = document.document_element().name();
  if (roots != 1) return invalid(fmt::format("{} root elements instead of one", roots));
  if (root != "testsuites" && root != "testsuite")
    return invalid(fmt::format("root element <{}> instead of <testsuites> or <testsuite>", core::printable(root)));
  return {};
}

Result<void> for_each_case(const pugi::xml_document& document, std::string_view what, const Visit& each) {
  return descend(document, pugi::xml_node(), 0, what, each);
}

Result<void> check_counts(const pugi::xml_document& document, std::string_view what, const std::vector<model::TestRecord>& tests) {
  const pugi::xml_node counted = document.select_node("//*[@failures > 0 or @errors > 0]").node();
  const bool listed = std::any_of(tests.begin(), tests.end(), [](const model::TestRecord& test) {
    const model::Outcome outcome = model::outcome_of(test.state);
    return outcome != model::Outcome::pass && outcome != model::Outcome::unsupported;
  });
  if (!counted || listed) return {};
  return make_error(ErrorKind::invalid, fmt::format("{}: <{}> counts {} failures and {} errors, and lists no failed test", what, counted.name(),
                                                    counted.attribute("failures").as_int(), counted.attribute("errors").as_int()));
}

std::string message_of(pugi::xml_node node) {
  std::string message = node.attribute("message").value();
  const std::string_view text = core::trim(node.child_value());
  if (text.starts_with(message)) return std::string(text);
  if (!text.empty()) message.append("\n").append(text);
  return message;
}

}  // namespace sluice::runners
