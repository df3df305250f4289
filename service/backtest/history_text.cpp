// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <map>

#include "core/text.h"
#include "service/backtest/text.h"

namespace sluice::service::backtest {

namespace {

using State = PickResult::State;

void add_mined(std::string& out, const BacktestReport& report) {
  const History& m = report.mined;
  out += fmt::format("\n## What was looked at\n\n{} commits of the fork; {} single picks, {} bundles. Replayed {}: {} clean, {} with conflicts, which have {} regions; {} of these have a located\n"
                     "resolution and are the hunks of this report ({} of them repeat an earlier conflict word for word).\n",
                     m.scanned, m.singles, m.bundles, m.replayed, m.clean, m.conflicted, m.regions, report.figures.all.tally.n(), m.repeats);
  if (report.left_out.empty()) return;
  static const std::map<std::string, std::string> meanings = {
      {"context_lost", "regions: the lines around were edited too, so what stands for them cannot be told; these are the harder ones, and figures without them are optimistic"},
      {"file_gone", "regions: the file is not in what landed"},
      {"markers_landed", "regions: conflict markers were committed"},
      {"written_by_programs", "regions: lock files and change logs"},
      {"missing_object", "picks: an object is in neither repository"},
      {"bundles", "commits that bring several upstream commits"},
      {"source_missing", "commits: the upstream commit they name is in neither repository"},
      {"later", "commits from --until on"},
      {"beyond_limit", "commits older than --limit asks for"},
      {"had_it_already", "commits that name what the fork had before"}};
  out += "\nLeft out:\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& [why, n] : report.left_out) {
    const auto meaning = meanings.find(why);
    const std::string said = meaning != meanings.end() ? meaning->second : why.starts_with("conflict ") ? "files: a conflict that is not about lines" : "commits";
    rows.push_back({std::to_string(n), core::printable(why), said});
  }
  out += table({"number", "reason", "of what"}, rows);
}

struct Row {
  std::int64_t picks = 0, pass = 0, explain = 0, escalate = 0, block = 0, unresolved = 0;
  void add(const PickResult& pick) {
    ++picks;
    if (pick.verdict == "pass") ++pass;
    if (pick.verdict == "explain") ++explain;
    if (pick.verdict == "escalate") ++escalate;
    if (pick.verdict == "block") ++block;
    if (pick.verdict == "unresolved") ++unresolved;
  }
};

void add_picks(std::string& out, const BacktestReport& report) {
  std::map<State, Row> by_state;
  std::map<std::string, Row> sure;  // of picks that no candidate had a part in
  std::map<std::string, std::int64_t> open, alarms;
  for (const PickResult& pick : report.picks) {
    by_state[pick.state].add(pick);
    if (pick.state == State::not_answered) ++open[pick.why];
    const bool only_sure = !pick.rungs.empty() && std::all_of(pick.rungs.begin(), pick.rungs.end(), [](const std::string& rung) { return rung == "proven" || rung == "remembered"; });
    if (only_sure && pick.state != State::not_answered) sure[std::string(to_string(pick.state))].add(pick);
    for (const std::string& alarm : pick.alarms) ++alarms[alarm];
  }
  out += "\n## Picks from end to end\n\nEvery region of the pick, also those whose truth is not located, goes through the ladder; when all are answered, the result is judged by the rules of a pick\n"
         "with the record that the rungs write, and its conflicted files are compared with what landed, byte by byte.\n\n";
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, const Row& row) {
    rows.push_back({name, std::to_string(row.picks), std::to_string(row.pass), std::to_string(row.explain), std::to_string(row.escalate), std::to_string(row.block), std::to_string(row.unresolved)});
  };
  for (const auto& [state, words] : {std::pair{State::same, "all answered, files as landed"}, {State::format, "all answered, apart from formatting as landed"}, {State::differs, "all answered, a file differs"},
                                     {State::unresolved, "cannot be judged"}, {State::not_answered, "not all answered: a model's or a person's"}})
    if (by_state.contains(state)) add(words, by_state[state]);
  for (const auto& [state, row] : sure) add(fmt::format("of these by proven and remembered answers alone: {}", state), row);
  out += table({"picks with conflicts", "n", "pass", "explain", "escalate", "block", "unresolved"}, rows);
  const auto list = [&](const char* head, const std::map<std::string, std::int64_t>& counts) {
    std::vector<std::string> said;
    for (const auto& [what, n] : counts) said.push_back(fmt::format("{} {}", core::printable(what), n));
    if (!said.empty()) out += fmt::format("\n{}: {}.\n", head, core::join(said, ", "));
  };
  list("Not all answered because of", open);
  list("Rules above pass on whole answers", alarms);
}

}  // namespace

void add_history(std::string& out, const BacktestReport& report) {
  add_mined(out, report);
  add_picks(out, report);
}

}  // namespace sluice::service::backtest
