// SPDX-License-Identifier: Apache-2.0
// XML reports from outside. pugixml is included in runners/*.cpp alone.
#pragma once

#include <functional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/evidence.h"
#include "core/result.h"

namespace sluice::runners {

inline constexpr std::size_t xml_cap = 64u << 20;
inline constexpr int xml_depth_cap = 64;

// One well-formed document whose root is <testsuites> or <testsuite>. pugixml knows no entities but the five
// of XML and reads no DTD, so a document can neither grow nor open files; one with a DOCTYPE is refused.
// Errors: invalid (too large, NUL byte, not well-formed, cut off, another root).
Result<void> load_report(std::string_view text, std::string_view what, pugi::xml_document& document);

// Calls `each` for every <testcase> with the innermost <testsuite> around it (which may be empty), in
// document order. Errors: invalid (nested too deeply), and those of `each`.
Result<void> for_each_case(const pugi::xml_document& document, std::string_view what,
                           const std::function<Result<void>(pugi::xml_node test, pugi::xml_node suite)>& each);

// A report that was cut or written by hand can count failures that it does not list: then it is none.
// (`tests` is no such check: some frameworks count assertions there.) Errors: invalid.
Result<void> check_counts(const pugi::xml_document& document, std::string_view what, const std::vector<model::TestRecord>& tests);

// message attribute and text of <failure>, <error>, <skipped>: the message, then the text unless it repeats it.
std::string message_of(pugi::xml_node node);

}  // namespace sluice::runners
