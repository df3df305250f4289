// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/text.h"
#include "service/rebuild.h"
#include "service/unit_text.h"

namespace sluice::service {

core::Json rebuild_json(const RebuildReport& report) {
  return core::Json::object({{"schema", "sluice.rebuild/1"},
                             {"log", core::Json::object({{"tip", report.log_tip.empty() ? core::Json() : core::Json(report.log_tip)},
                                                         {"note", report.log_note},
                                                         {"commits", report.log_commits},
                                                         {"lines", report.log_lines}})},
                             {"rows", report.rows},
                             {"from_history", report.from_history},
                             {"open_units", report.open_units},
                             {"contradictions", core::Json::array_of(report.contradictions)},
                             {"unknown", core::Json::array_of(report.unknown)},
                             {"kept", report.kept.empty() ? core::Json() : core::Json(report.kept)}});
}

std::string rebuild_text(const RebuildReport& report) {
  std::string out = report.log_tip.empty()
                        ? fmt::format("Rebuilt from the fork's history alone: {}.\n", report.log_note)
                        : fmt::format("Rebuilt from the log at {} ({}, {}) and the fork's history.\n", model::short_oid(report.log_tip),
                                      counted(static_cast<std::size_t>(report.log_commits), "commit"),
                                      counted(static_cast<std::size_t>(report.log_lines), "line"));
  out += fmt::format("{} commits have a disposition, {} of them found in the history alone; {} for a person.\n", report.rows, report.from_history,
                     report.open_units == 1 ? "1 unit waits" : fmt::format("{} units wait", report.open_units));
  for (const std::string& line : report.contradictions) out += "Contradiction: " + core::printable(line, 400) + "\n";
  for (const std::string& line : report.unknown) out += "Not known: " + core::printable(line, 400) + "\n";
  if (!report.kept.empty()) out += fmt::format("The old database is kept as {}.\n", report.kept);
  return out;
}

}  // namespace sluice::service
