// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "core/model/evidence.h"
#include "core/regex.h"
#include "core/text.h"
#include "service/model/pick_checks.h"
#include "service/validating.h"

namespace sluice::service {

namespace {

// gcc, clang, nvcc and the Python compiler say where; linkers say what.
constexpr const char* place_pattern = R"(^(?:In file included from )?/?(?:src/)?([^\s:()]+)[:(](\d+)(?:[:,]\d+)?\)?: (?:fatal )?error:? ?(.*)$)";
constexpr const char* link_pattern = R"((undefined reference to .*|multiple definition of .*|ld\.lld: error: .*|ld: error: .*)$)";

}  // namespace

std::vector<tools::Finding> compile_findings(const model::Evidence& evidence, std::size_t max) {
  std::vector<tools::Finding> out;
  const std::string red = what_is_red(evidence);
  if (red.empty()) return out;
  const auto place = core::Regex::compile(place_pattern), link = core::Regex::compile(link_pattern);
  std::set<std::string> seen;
  for (const std::string_view line : core::split_lines(evidence.log)) {
    if (out.size() >= max) break;
    std::vector<std::string_view> groups;
    tools::Finding finding;
    finding.rule = evidence.suite;
    finding.judgement = model::Judgement::block;
    if (place.ok() && place->search(line, groups) && groups.size() >= 4) {
      finding.path = std::string(groups[1]);
      std::from_chars(groups[2].data(), groups[2].data() + groups[2].size(), finding.line);
      finding.text = core::printable(groups[3], 300);
    } else if (groups.clear(); link.ok() && link->search(line, groups) && groups.size() >= 2) {
      finding.text = core::printable(groups[1], 300);
    } else {
      continue;
    }
    finding.detail = "the build says so";
    if (seen.insert(fmt::format("{}:{}:{}", finding.path, finding.line, finding.text)).second) out.push_back(std::move(finding));
  }
  if (out.empty()) out.push_back({evidence.suite, model::Judgement::block, "", 0, core::printable(red, 300), "the build failed, and no line of its log names a place", "", "", 1});
  return out;
}

}  // namespace sluice::service
