// SPDX-License-Identifier: Apache-2.0
// The report for people.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "service/calibrate.h"

namespace sluice::service {

namespace {

using calibrate::Interval;
using calibrate::Kind;
using calibrate::Share;

constexpr std::int64_t least_for_per_cent = 10;

std::string per_cent(const Share& share) {
  if (share.n == 0) return "-";
  if (share.n < least_for_per_cent) return fmt::format("{} of {}", share.hits, share.n);
  return fmt::format("{} of {}, {:.1f} %", share.hits, share.n, 100 * share.rate());
}

std::string interval(const Share& share) {
  if (share.n < least_for_per_cent) return "";
  const Interval ci = calibrate::wilson(share.hits, share.n);
  return fmt::format("{:.2f}-{:.2f} %", 100 * ci.low, 100 * ci.high);
}

void add_population(std::string& out, const CalibrateReport& report) {
  const auto picks = [&](Kind kind) { return report.population.picks[static_cast<int>(kind)]; };
  out += fmt::format("Landed picks of {}: {} single, {} bundles of several", report.source, report.singles, report.bundles);
  if (report.kept > 0) out += fmt::format(" ({} judged by an earlier run)", report.kept);
  out += fmt::format("\n  clean, landed as merged {}; clean, landed otherwise {}; conflict {}; unresolved {}\n", picks(Kind::as_merged), picks(Kind::otherwise),
                     picks(Kind::conflict), picks(Kind::unresolved));
  if (report.population.members > 0) out += fmt::format("  members of bundles that landed as their fold has them: {}\n", report.population.members);
  const auto list = [&](const char* head, const std::map<std::string, std::int64_t>& counts) {
    if (counts.empty()) return;
    out += fmt::format("  {}:", head);
    const char* separator = " ";
    for (const auto& [why, n] : counts) {
      out += fmt::format("{}{} {}", separator, core::printable(why), n);
      separator = ", ";
    }
    out += "\n";
  };
  list("unresolved", report.unresolved);
  list("left out", report.left_out);
}

void add_figures(std::string& out, const CalibrateReport& report) {
  out += "\nWhat landed, against the machine merge\n";
  for (const calibrate::Figure& figure : report.figures) {
    if (figure.n == 0) continue;
    std::vector<std::string> said;
    for (const auto& [name, share] : figure.shares) {
      if (figure.key == "within_lines") {
        said.push_back(fmt::format("{}: {:.0f} %", name, 100 * share.rate()));
      } else {
        said.push_back(name == "share" ? per_cent(share) : fmt::format("{}: {}", name, per_cent(share)));
      }
    }
    for (const auto& [name, value] : figure.values) said.push_back(fmt::format("{} {:.4g}", name, value));
    out += fmt::format("  {:<82} {}\n", figure.label, core::join(said, ", "));
  }
}

std::string examples(const std::vector<Oid>& commits) {
  std::vector<std::string> shown;
  for (const Oid& commit : commits) shown.push_back(commit.substr(0, 9));
  return core::join(shown, " ");
}

void add_rules(std::string& out, const CalibrateReport& report) {
  out += "\nAlarms by rule; on a pick that landed as merged every one is false. A rule that asks only what was added to the merge has none there\nby definition; what it costs stands under the others, which people accepted\n";
  out += fmt::format("  {:<5} {:>8} {:>8} {:>15}  {:>12} {:>14}   {:<36} examples\n", "rule", "false", "", "95 %", "otherwise", "conflict", "verdicts");
  for (const auto& [id, rule] : report.rules) {
    const Share& share = rule.as_merged;
    const std::string rate = share.n < least_for_per_cent ? "" : fmt::format("{:.2f} %", 100 * share.rate());
    std::string shown = examples(rule.false_examples);
    if (shown.empty()) shown = examples({rule.examples.begin(), rule.examples.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, rule.examples.size()))});
    std::vector<std::string> verdicts;
    for (const auto& [verdict, n] : rule.verdicts) verdicts.push_back(fmt::format("{} {}", verdict, n));
    out += fmt::format("  {:<5} {:>8} {:>8} {:>15}  {:>12} {:>14}   {:<36} {}\n", id, fmt::format("{}/{}", share.hits, share.n), rate, interval(share),
                       fmt::format("{}/{}", rule.otherwise.hits, rule.otherwise.n), fmt::format("{}/{}", rule.conflict.hits, rule.conflict.n),
                       core::join(verdicts, ", "), shown);
  }
}

void add_numbers(std::string& out, const CalibrateReport& report) {
  if (report.numbers.empty()) return;
  out += "\nNumbers of the rules, from the picks that conflicted\n";
  for (const calibrate::ProposedNumber& number : report.numbers) {
    const std::string said = !number.proposed                  ? fmt::format("keeps {:g}: {} conflicted picks, {} are needed", number.now, number.n, report.limits.conflicts)
                             : *number.proposed == number.now ? fmt::format("{:g}, as it is", number.now)
                                                              : fmt::format("{:g} -> {:g}", number.now, *number.proposed);
    out += fmt::format("  {:<4} {:<10} {:<28} {}\n", number.rule, number.key, said, number.from);
  }
}

void add_modes(std::string& out, const CalibrateReport& report) {
  out += fmt::format("\nModes; a rule with false alarms on more than {:g} % of the picks that landed as merged observes\n", 100 * report.limits.false_alarms);
  for (const calibrate::ProposedMode& mode : report.modes) {
    const std::string now(calibrate::to_string(mode.now));
    const std::string said = mode.proposed && *mode.proposed != mode.now ? fmt::format("{} -> {}", now, calibrate::to_string(*mode.proposed)) : now;
    out += fmt::format("  {:<4} version {:<2} {:<20} {}\n", mode.rule, mode.version, said, mode.why);
  }
}

void add_changes(std::string& out, const CalibrateReport& report) {
  if (report.edits.empty()) {
    out += "\nNothing to change.\n";
    return;
  }
  if (report.file.empty()) {
    out += "\n" + report.elsewhere + "\n";
    for (const auto& edit : report.edits) {
      out += fmt::format("\n[{}]\n", edit.section);
      for (const auto& [key, value] : edit.values) out += fmt::format("{} = {}\n", key, value);
    }
    return;
  }
  out += fmt::format("\n--- {}\n+++ {}{}\n", core::printable(report.file, 1000), core::printable(report.file, 1000), report.applied ? ", written" : ", proposed");
  for (const config::EditedLine& line : report.edited.lines) {
    out += fmt::format("@@ line {} [{}] @@\n", line.line, line.section);
    for (const std::string& text : line.removed) out += "-" + core::printable(text, 1000) + "\n";
    for (const std::string& text : line.added) out += "+" + core::printable(text, 1000) + "\n";
  }
  if (!report.applied) out += "\n`sluice calibrate --apply` writes this; what was judged is kept.\n";
}

}  // namespace

std::string calibrate_text(const CalibrateReport& report) {
  std::string out;
  add_population(out, report);
  add_figures(out, report);
  add_rules(out, report);
  add_numbers(out, report);
  add_modes(out, report);
  add_changes(out, report);
  return out;
}

}  // namespace sluice::service
