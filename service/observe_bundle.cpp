// SPDX-License-Identifier: Apache-2.0
#include "service/observe_bundle.h"

#include <algorithm>
#include <charconv>

#include "core/regex.h"
#include "core/text.h"

namespace sluice::service {

namespace {

constexpr std::size_t max_members = 1000;

std::int64_t number(std::string_view digits) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return error == std::errc() && end == digits.data() + digits.size() ? n : 0;
}

// Distinct `#N` in order of appearance.
std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> out;
  for (std::size_t at = text.find('#'); at != std::string_view::npos && out.size() < max_members; at = text.find('#', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const std::int64_t n = end - at > 1 && end - at < 10 ? number(text.substr(at + 1, end - at - 1)) : 0;
    if (n > 0 && std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
  }
  return out;
}

}  // namespace

Result<BundleWords> bundle_words(std::string_view message) {
  BundleWords out;
  TRY_ASSIGN(const core::Regex title, core::Regex::compile(R"((?i)(?:cherry-?pick|backport)\s+(\d{1,4})\s+upstream)"));
  TRY_ASSIGN(const core::Regex picked, core::Regex::compile(R"((?i)^[#*\s-]*(?:picked|applied)\W{0,3}\((\d{1,4})\)(.*)$)"));
  TRY_ASSIGN(const core::Regex member, core::Regex::compile(R"(^\s*[-*]?\s*\[\d{1,4}\].*#(\d{1,7})\s*\W{0,3}([0-9a-f]{7,40})\b)"));
  std::vector<std::string_view> groups;
  const std::string_view subject = message.substr(0, message.find('\n'));
  if (title.search(subject, groups)) {
    out.declared = number(groups[1]);
    const std::string_view rest = subject.substr(static_cast<std::size_t>(groups[1].data() - subject.data()));
    const std::string_view list = rest.substr(0, rest.find(')'));
    if (auto found = numbers_in(list); static_cast<std::int64_t>(found.size()) == out.declared) out.numbers = std::move(found);
  }
  for (const std::string_view line : core::split_lines(message)) {
    if (out.lines.size() < max_members && member.search(line, groups)) out.lines.emplace_back(number(groups[1]), std::string(groups[2]));
    if (!picked.search(line, groups)) continue;
    if (out.declared == 0) out.declared = number(groups[1]);
    if (auto found = numbers_in(groups[2]); out.numbers.empty() && static_cast<std::int64_t>(found.size()) == out.declared)
      out.numbers = std::move(found);
  }
  return out;
}

}  // namespace sluice::service
