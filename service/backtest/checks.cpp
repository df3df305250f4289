// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/checks.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/text.h"

namespace sluice::service::backtest {

namespace {

constexpr std::array<std::string_view, 4> gates = {"pass", "explain", "escalate", "block"};

using Names = std::unordered_set<std::string_view>;

void add_names(Names& names, std::string_view text) {
  for (const std::string_view name : core::identifiers(text, 2)) names.insert(name);
}

bool all_in(std::string_view text, const Names& names) {
  const auto found = core::identifiers(text, 2);
  return std::all_of(found.begin(), found.end(), [&](std::string_view name) { return names.contains(name); });
}

// A name that `side` brought and the answer does not have.
bool loses(std::string_view side, const Names& base, const Names& answer) {
  const auto found = core::identifiers(side, 2);
  return std::any_of(found.begin(), found.end(), [&](std::string_view name) { return !base.contains(name) && !answer.contains(name); });
}

// Seven characters, or the 31 of machine merges, alone or followed by a blank and words.
bool is_marker(std::string_view line) {
  if (line.size() < 7) return false;
  const char c = line[0];
  if (c != '<' && c != '>' && c != '|' && c != '=') return false;
  const std::size_t run = std::min(line.find_first_not_of(c), line.size());
  if (run != 7 && run != 31) return false;
  const std::string_view rest = line.substr(run);
  return rest.empty() || rest[0] == '\r' || (c != '=' && rest[0] == ' ');
}

bool blank(std::string_view text) { return core::trim(text).empty(); }

}  // namespace

std::string_view to_string(Gate gate) { return gates[static_cast<std::size_t>(gate)]; }

bool parse_gate(std::string_view word, Gate& out) {
  const auto found = std::find(gates.begin(), gates.end(), word);
  if (found == gates.end()) return false;
  out = static_cast<Gate>(found - gates.begin());
  return true;
}

const std::vector<HunkCheck>& hunk_checks() {
  static const std::vector<HunkCheck> checks = {
      {"markers", "a line that is a conflict marker", "G20", Gate::block},
      {"empties", "leaves nothing where both sides have text", "-", Gate::escalate},
      {"unknown_name", "an identifier that stands in none of base, ours, theirs and the lines around", "G31", Gate::escalate},
      {"longer", "more lines than ours and theirs together", "G32", Gate::escalate},
      {"loses_theirs", "an identifier that upstream brought is gone", "G33", Gate::explain},
      {"loses_ours", "an identifier that the fork brought is gone", "G33", Gate::explain},
  };
  return checks;
}

std::vector<Alarm> check_hunk(const Case& one, std::string_view answer) {
  Names base, known, mine;
  add_names(base, one.base);
  add_names(mine, answer);
  for (const std::string* text : {&one.base, &one.ours, &one.theirs, &one.before, &one.after}) add_names(known, *text);
  const auto lines = core::split_lines(answer);
  const std::array<bool, 6> fires = {
      std::any_of(lines.begin(), lines.end(), is_marker),
      blank(answer) && !blank(one.ours) && !blank(one.theirs),
      !all_in(answer, known),
      lines.size() > core::split_lines(one.ours).size() + core::split_lines(one.theirs).size(),
      loses(one.theirs, base, mine),
      loses(one.ours, base, mine),
  };
  std::vector<Alarm> out;
  for (std::size_t k = 0; k < fires.size(); ++k)
    if (fires[k]) out.push_back({hunk_checks()[k].id, hunk_checks()[k].gate});
  return out;
}

Gate worst(const std::vector<Alarm>& alarms) {
  Gate gate = Gate::pass;
  for (const Alarm& alarm : alarms) gate = std::max(gate, alarm.gate);
  return gate;
}

}  // namespace sluice::service::backtest
