// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/file.h"
#include "core/process.h"
#include "core/text.h"
#include "service/handover.h"
#include "service/model/parked_help.h"
#include "service/unit_text.h"

namespace sluice::service {

using core::Json;

std::vector<std::string> next_commands(const App& app, const store::TakeRow& row, const GivenBranch& branch) {
  const std::string name = row.branch.substr(std::string_view("refs/heads/").size());
  std::vector<std::string> out;
  if (row.work_tree.empty()) {
    out.push_back(core::shell_quote({"git", "clone", "--branch", name, core::absolute_path(core::join_path(app.config.store_path, "repo.git")), row.unit}));
    out.push_back(core::shell_quote({"cd", row.unit}));
  } else {
    out.push_back(core::shell_quote({"cd", row.work_tree}));
  }
  if (!branch.paths.empty()) out.push_back("${EDITOR:-vi} " + core::shell_quote(branch.paths));
  out.emplace_back("git add --all");
  out.push_back(core::shell_quote({"git", "commit", "-m", branch.conflicted.empty() ? fmt::format("Mend {}", row.unit)
                                                                                    : fmt::format("Resolve the conflict of {}", model::short_oid(branch.conflicted))}));
  if (row.work_tree.empty()) out.push_back(core::shell_quote({"git", "push", "origin", "HEAD:" + name}));
  out.push_back(core::shell_quote({"sluice", "submit", row.unit, "--who", row.owner, "--config", core::absolute_path(app.config.file)}));
  return out;
}

Json take_json(const TakeReport& report) {
  Json out = Json::object({{"schema", "sluice.take/1"}, {"unit", report.unit.id}, {"done", report.done},
                           {"state", model::to_string(report.unit.state)}, {"commits", Json::array_of(report.unit.commits)},
                           {"owner", report.row.owner}, {"base", report.row.base}, {"branch", report.row.branch},
                           {"head", report.row.head}, {"work_tree", report.row.work_tree.empty() ? Json() : Json(report.row.work_tree)},
                           {"commands", Json::array_of(report.commands)}});
  if (!report.kept.empty()) out.set("kept", report.kept);
  if (!report.branch.conflicted.empty()) {
    out.set("conflict", Json::object({{"upstream", report.branch.conflicted}, {"subject", report.branch.subject},
                                      {"paths", Json::array_of(report.branch.paths)}, {"open", Json::array_of(report.branch.open)},
                                      {"drafts", report.branch.drafts}, {"suggested", report.branch.suggested}}));
  }
  return out;
}

namespace {

// Lines of their own, each harmless on a terminal.
std::string indented(const std::string& text) {
  std::string out;
  for (const std::string_view line : core::split_lines(text)) out += (out.empty() ? "" : "\n  ") + core::printable(line, 600);
  return out;
}

}  // namespace

std::string take_text(App& app, const TakeReport& report) {
  const store::TakeRow& row = report.row;
  if (report.done == "released") {
    return fmt::format("unit {} is parked again{}\n", report.unit.id,
                       row.work_tree.empty() ? "" : fmt::format("; what stands in {} is left there", core::printable(row.work_tree, 300)));
  }
  const std::int64_t age = app.clock.now() - row.at;
  std::string out = report.done == "yours" ? fmt::format("unit {} is yours already, for {}\n", row.unit, age_text(age))
                                           : fmt::format("unit {} is yours ({}); sluice leaves it alone until you submit it or give it back\n", row.unit, core::printable(row.owner));
  const GivenBranch& branch = report.branch;
  if (const auto words = parked_text(app, report.unit.id); words.ok() && *words) {
    out += fmt::format("in short (written by {}, not checked by a person{}):\n  {}\n", (*words)->by,
                       (*words)->removed > 0 ? fmt::format("; {} left out that the record does not bear out", counted(static_cast<std::size_t>((*words)->removed), "sentence")) : "",
                       indented((*words)->text));
  }
  if (branch.conflicted.empty()) {
    out += fmt::format("why it waits: {}\n", core::printable(report.unit.reason, 600));
  } else {
    out += fmt::format("{} \"{}\" conflicts, and {}:\n", model::short_oid(branch.conflicted), core::printable(branch.subject, 80),
                       branch.answered ? "a draft answers all of it; when you agree with it, `sluice submit` hands it in as it is" : "no rung answers all of it");
    for (const std::string& line : branch.open) out += fmt::format("  {}\n", core::printable(line, 400));
  }
  out += fmt::format("{} {}, on trunk {}\n", row.work_tree.empty() ? "branch:" : "work tree:",
                     core::printable(row.work_tree.empty() ? row.branch : row.work_tree, 300), model::short_oid(row.base));
  if (!branch.suggested.empty()) out += fmt::format("  a fix that a model suggests, as a commit of its own (run {}): keep it, change it, or drop it\n", branch.suggested);
  if (branch.picks > 0) out += fmt::format("  {} of the unit, each as a commit\n", counted(branch.picks, "pick"));
  if (!branch.conflicted.empty()) {
    out += "  the raw conflict as a commit; its markers are 31 characters wide\n";
    out += branch.drafts ? "  what the rungs did answer, as a second commit\n" : "  no rung has a draft for any of it\n";
    if (branch.waiting > 0) out += fmt::format("  {} of the unit after it: picked on top when you submit\n", counted(branch.waiting, "commit"));
  }
  if (!report.kept.empty()) out += fmt::format("  what stood there before is its branch {}\n", report.kept);
  out += "To go on:\n";
  for (const std::string& command : report.commands) out += "  " + command + "\n";
  out += fmt::format("To give it back: {}\n", core::shell_quote({"sluice", "take", row.unit, "--release", "--who", row.owner, "--config",
                                                                 core::absolute_path(app.config.file)}));
  return out;
}

}  // namespace sluice::service
