// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/case.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "core/text.h"

namespace sluice::service::backtest {

namespace {

constexpr std::array<std::string_view, 4> outcomes = {"exact", "format", "refused", "different"};

// Lines without whitespace, blank ones left out.
std::vector<std::string> bare_lines(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view line : core::split_lines(text)) {
    std::string bare = core::strip_space(line);
    if (!bare.empty()) out.push_back(std::move(bare));
  }
  return out;
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::size_t lines_in(const std::string& text) { return core::split_lines(text).size(); }

}  // namespace

std::string_view to_string(Outcome outcome) { return outcomes[static_cast<std::size_t>(outcome)]; }

bool parse_outcome(std::string_view word, Outcome& out) {
  const auto found = std::find(outcomes.begin(), outcomes.end(), word);
  if (found == outcomes.end()) return false;
  out = static_cast<Outcome>(found - outcomes.begin());
  return true;
}

Outcome compare(std::string_view answer, std::string_view resolved) {
  if (bare_lines(answer) == bare_lines(resolved)) return Outcome::exact;
  return core::loose_form(answer) == core::loose_form(resolved) ? Outcome::format : Outcome::different;
}

std::string class_of(const Case& one) {
  const auto base = bare_lines(one.base), ours = bare_lines(one.ours), theirs = bare_lines(one.theirs), landed = bare_lines(one.resolved);
  if (landed == ours && landed == theirs) return "ours=theirs";
  if (landed == ours) return "ours";
  if (landed == theirs) return "theirs";
  if (landed == base) return "base";
  if (landed.empty()) return "deleted";
  if (!ours.empty() && !theirs.empty() && landed == joined(ours, theirs)) return "ours+theirs";
  if (!ours.empty() && !theirs.empty() && landed == joined(theirs, ours)) return "theirs+ours";
  std::unordered_set<std::string> known(base.begin(), base.end());
  known.insert(ours.begin(), ours.end());
  known.insert(theirs.begin(), theirs.end());
  const bool mixed = std::all_of(landed.begin(), landed.end(), [&](const std::string& line) { return known.contains(line); });
  return mixed ? "mixed" : "new-lines";
}

std::string lang_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name == "CMakeLists.txt") return "cmake";
  if (name == "Makefile") return "make";
  const std::string ending = core::to_lower(name.substr(std::min(name.size(), name.rfind('.') + 1)));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 22> known = {{
      {"py", "python"},       {"pyi", "python"}, {"c", "c"},          {"cc", "c++"},    {"cpp", "c++"},  {"cxx", "c++"}, {"cu", "c++"},  {"hip", "c++"},
      {"h", "c/c++ header"},  {"hh", "c/c++ header"}, {"hpp", "c/c++ header"}, {"hxx", "c/c++ header"}, {"cuh", "c/c++ header"}, {"td", "tablegen"},
      {"mlir", "mlir"},       {"cmake", "cmake"}, {"mk", "make"},     {"sh", "shell"},  {"yml", "yaml"}, {"yaml", "yaml"}, {"tcl", "tcl"}, {"inc", "c/c++ header"},
  }};
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& entry) { return entry.first == ending; });
  return found == known.end() ? "text" : std::string(found->second);
}

std::string size_of(const Case& one) {
  const std::size_t lines = std::max({lines_in(one.base), lines_in(one.ours), lines_in(one.theirs)});
  return lines <= 3 ? "<=3" : lines <= 12 ? "<=12" : lines <= 50 ? "<=50" : ">50";
}

}  // namespace sluice::service::backtest
