// SPDX-License-Identifier: Apache-2.0
// The report for people, in Markdown. It holds ids, names and counts: no line of code and no directory.
#include <fmt/format.h>

#include <algorithm>

#include "agent/rules/rules.h"
#include "core/text.h"
#include "service/backtest.h"
#include "service/backtest/text.h"

namespace sluice::service {

namespace backtest {

std::string per_cent(std::int64_t part, std::int64_t of) {
  if (of == 0) return "-";
  if (of < least_for_per_cent) return fmt::format("{} of {}", part, of);
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(of));
}

std::string precision_of(const Tally& tally) {
  if (tally.answered() < least_for_per_cent) return per_cent(tally.right(), tally.answered());
  const calibrate::Interval ci = tally.ci95();
  return fmt::format("{} [{:.1f}-{:.1f}]", per_cent(tally.right(), tally.answered()), 100 * ci.low, 100 * ci.high);
}

std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::string out = "| " + core::join(head, " | ") + " |\n|" ;
  for (std::size_t k = 0; k < head.size(); ++k) out += k == 0 ? "---|" : "---:|";
  out += "\n";
  for (const std::vector<std::string>& row : rows) out += "| " + core::join(row, " | ") + " |\n";
  return out;
}

}  // namespace backtest

namespace {

using namespace backtest;

std::string defects_aside(const BacktestReport& report) {
  return report.defect_rows == 0 ? "" : fmt::format(" Rows whose landed text is known to be wrong ({}) are left out of these columns.", report.defect_rows);
}

std::string number(std::int64_t n) { return std::to_string(n); }

void add_head(std::string& out, const BacktestReport& report) {
  const Tally& all = report.figures.all.tally;
  out += fmt::format("# Backtest: {}\n\n", core::printable(report.source));
  out += fmt::format("{} hunks, of which the ladder answered {} ({}). Right: {}, {}.\n", all.n(), all.answered(), per_cent(all.answered(), all.n()), all.right(), precision_of(all));
  out += fmt::format("Ladder: {}.", report.ladder);
  if (!report.dataset_sha256.empty()) out += fmt::format(" Data: sha256 {}.", report.dataset_sha256);
  out += "\n\nRight = equal to what landed, line by line without whitespace (exact), or apart from line breaks, quotes and last commas (format).\n"
         "What landed is not always right, and an equal text is not the only good one. Brackets: 95 % Wilson interval; below 10 answers counts only.\n";
  if (report.figures.invalid > 0) out += fmt::format("{} answers could not be used (invalid); they count as refused.\n", report.figures.invalid);
}

void add_rungs(std::string& out, const BacktestReport& report) {
  out += "\n## By rung\n\n";
  std::vector<std::vector<std::string>> rows;
  const std::int64_t cases = report.figures.all.tally.n();
  for (const auto rung : {model::Rung::remembered, model::Rung::proven, model::Rung::candidate, model::Rung::external, model::Rung::model, model::Rung::person}) {
    const auto found = report.figures.by_rung.find(std::string(model::to_string(rung)));
    if (found == report.figures.by_rung.end()) continue;
    const Tally& t = found->second.tally;
    const std::int64_t declined = rung == model::Rung::person ? t.refused : found->second.declined;
    rows.push_back({std::string(model::to_string(rung)), number(t.answered()), number(t.exact), number(t.format), number(t.different), number(declined), per_cent(t.answered(), cases), precision_of(t)});
  }
  out += table({"rung", "answers", "exact", "format", "different", "declined", "coverage", "precision"}, rows);
}

void add_rules(std::string& out, const BacktestReport& report) {
  out += fmt::format("\n## By rule\n\nUnseen = precision on hunks that nobody looked at when the rules were chosen. Saving = right answers that passed the static checks less {} for each\n"
                     "wrong one that did: what a wrong landing costs in resolutions by hand. Below 0, do not enable it to land.{}\n\n",
                     report.cost_factor, defects_aside(report));
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& id, const Group& group, const std::string& unseen) {
    const auto sound = report.without_defects.by_rule.find(id);
    const GateTally gate = sound == report.without_defects.by_rule.end() ? GateTally{} : sound->second.gate;
    const std::int64_t saving = gate.saving(report.cost_factor);
    rows.push_back({core::printable(id), number(group.tally.answered()), number(group.tally.right()), precision_of(group.tally), unseen, number(gate.right_passed), number(gate.right_stopped),
                    number(gate.wrong_passed), number(gate.wrong_stopped), worth_enabling(gate, report.cost_factor) ? number(saving) : number(saving) + ", do not enable"});
  };
  std::map<std::string, Group> left = report.figures.by_rule;
  for (const agent::RuleInfo& rule : agent::region_rules()) {
    const auto found = left.find(std::string(rule.id));
    if (found == left.end()) continue;
    add(found->first, found->second, rule.unseen_answers == 0 ? "-" : fmt::format("{:.1f} %", 100 * rule.unseen_precision));
    left.erase(found);
  }
  for (const auto& [id, group] : left) add(id, group, "-");
  out += table({"rule", "answers", "right", "precision", "unseen", "right passed", "right stopped", "wrong passed", "wrong stopped", "saving"}, rows);
}

void add_gate(std::string& out, const BacktestReport& report) {
  const GateTally& gate = report.without_defects.all.gate;
  const std::int64_t k = report.cost_factor, passed = gate.right_passed + gate.wrong_passed;
  out += fmt::format("\n## Behind the static checks\n\nright passed {}, right stopped {}, wrong passed {}, wrong stopped {}: precision of what passed {}.{}\n", gate.right_passed, gate.right_stopped,
                     gate.wrong_passed, gate.wrong_stopped, per_cent(gate.right_passed, passed), defects_aside(report));
  out += fmt::format("With a wrong landing worth {} resolutions by hand, landing all that passed saves {}", k, gate.saving(k));
  if (gate.wrong_passed > 0) out += fmt::format("; it turns negative above {:.1f}", static_cast<double>(gate.right_passed) / static_cast<double>(gate.wrong_passed));
  out += worth_enabling(gate, k) ? ".\n\n" : ". **Do not enable.**\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const HunkCheck& check : hunk_checks()) {
    const auto found = report.figures.by_check.find(std::string(check.id));
    const CheckTally tally = found == report.figures.by_check.end() ? CheckTally{} : found->second;
    rows.push_back({std::string(check.meaning), std::string(check.rule), std::string(to_string(check.gate)), number(tally.wrong), number(tally.right)});
  }
  out += table({"an answer that has", "rule", "verdict", "wrong answers stopped", "right answers stopped"}, rows);
}

void add_groups(std::string& out, const std::string& title, const std::map<std::string, Group>& groups, std::int64_t cases) {
  if (groups.empty()) return;
  out += fmt::format("\n### By {}\n\n", title);
  std::vector<std::pair<std::string, Group>> sorted(groups.begin(), groups.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.tally.n() > b.second.tally.n(); });
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, group] : sorted) {
    const Tally& t = group.tally;
    rows.push_back({core::printable(name), number(t.n()), number(t.exact), number(t.format), number(t.different), number(t.refused), per_cent(t.answered(), t.n()), per_cent(t.answered(), cases), precision_of(t)});
  }
  out += table({title, "hunks", "exact", "format", "different", "refused", "answered", "of all hunks", "precision"}, rows);
}

void add_commits(std::string& out, const BacktestReport& report) {
  const CommitTally& c = report.figures.commits;
  out += fmt::format("\n## By commit\n\nOf {} commits with hunks here the ladder answered all hunks in {} (all of them right in {}), some in {}, none in {}.\n", c.commits, c.all_answered, c.all_right, c.some, c.none);
}

void add_baselines(std::string& out, const BacktestReport& report) {
  if (report.figures.baselines.empty()) return;
  out += "\n## Beside other tools, on the same hunks\n\n";
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, const std::string& program, const Tally& t) {
    rows.push_back({name, program, number(t.n()), number(t.answered()), per_cent(t.answered(), t.n()), number(t.right()), precision_of(t)});
  };
  const auto of = [&](const char* rung) { return report.figures.by_rung.contains(rung) ? report.figures.by_rung.at(rung).tally : Tally{}; };
  Tally proven = of("proven");
  proven.refused = report.figures.all.tally.n() - proven.answered();
  add("sluice, proven rules alone", "", proven);
  add("sluice, the whole ladder", "", report.figures.all.tally);
  for (const auto& [name, tally] : report.figures.baselines) add(name, report.programs.contains(name) ? report.programs.at(name) : "", tally);
  out += table({"tool", "what ran", "hunks", "answered", "coverage", "right", "precision"}, rows);
  if (report.rerere_learned > 0)
    out += fmt::format("\nrerere learned from {} hunks, the {} half, and was asked the others.\n", report.rerere_learned, report.rerere_by_date ? "older" : "first (the data has no dates)");
  for (const auto& [name, program] : report.programs)
    if (program.empty()) out += fmt::format("\n{} is not installed and was not asked.\n", name);
}

void add_defects(std::string& out, const BacktestReport& report) {
  if (report.defect_rows == 0) return;
  const Figures& f = report.without_defects;
  out += fmt::format("\n## Without rows whose landed text is known to be wrong\n\n{} rows. All: {} of {} answers right, {}.\n\n", report.defect_rows, f.all.tally.right(), f.all.tally.answered(), precision_of(f.all.tally));
  std::vector<std::vector<std::string>> rows;
  for (const auto& [rule, group] : f.by_rule) {
    const Tally& with = report.figures.by_rule.at(rule).tally;
    if (with.answered() == group.tally.answered()) continue;
    rows.push_back({core::printable(rule), fmt::format("{} of {}", with.right(), with.answered()), fmt::format("{} of {}", group.tally.right(), group.tally.answered())});
  }
  if (!rows.empty()) out += table({"rule", "with them", "without"}, rows);
}

void add_cost(std::string& out, const BacktestReport& report) {
  const Cost& cost = report.figures.cost;
  if (cost.calls == 0) return;
  const std::int64_t right = report.figures.all.tally.right();
  out += fmt::format("\n## Cost\n\n{} calls, {} tokens in, {} out, {:.2f} of money, {:.0f} s waited; for each right answer {:.4f} of money.\n", cost.calls, cost.tokens_in, cost.tokens_out,
                     static_cast<double>(cost.money) / 1e6, static_cast<double>(cost.ms) / 1000, right == 0 ? 0 : static_cast<double>(cost.money) / 1e6 / static_cast<double>(right));
}

}  // namespace

std::string backtest_text(const BacktestReport& report) {
  std::string out;
  const std::int64_t cases = report.figures.all.tally.n();
  add_head(out, report);
  if (report.history) add_history(out, report);
  add_rungs(out, report);
  add_rules(out, report);
  add_gate(out, report);
  add_commits(out, report);
  add_baselines(out, report);
  add_defects(out, report);
  add_cost(out, report);
  out += "\n## Where\n";
  add_groups(out, "class of what landed", report.figures.by_class, cases);
  add_groups(out, "language", report.figures.by_lang, cases);
  add_groups(out, "lines of the largest text", report.figures.by_size, cases);
  add_groups(out, "repository", report.figures.by_repo, cases);
  add_groups(out, "kind", report.figures.by_kind, cases);
  return out;
}

}  // namespace sluice::service
