// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/file.h"
#include "core/process.h"
#include "core/text.h"
#include "service/submission_run.h"
#include "service/unit_text.h"

namespace sluice::service {

using core::Json;

namespace {

// What would let an item pass.
std::string lift_of(const Json& item, const std::string& unit) {
  const std::string& judgement = item["verdict"].as_string();
  const std::string& kind = item["account"].as_string();
  if ((judgement == "explain" || judgement == "escalate") && !kind.empty() && item["lifted_by"].as_string().empty()) {
    return fmt::format("an accounting entry {} (sluice submit {} --account-template), or the line itself", kind, unit);
  }
  if (judgement == "escalate") return "nothing that a program can check: another answer, or its own pull request to trunk";
  if (judgement == "unresolved") return "it could not be judged: run it again";
  return "another answer";
}

std::string items_text(const Json& verdict, const std::string& unit) {
  std::string out;
  for (const Json& rule : verdict["rules"].items()) {
    for (const Json& item : rule["items"].items()) {
      const std::string& judgement = item["verdict"].as_string();
      if (judgement == "pass" || rule["observed"].as_bool()) continue;
      out += fmt::format("{} {} ({}) item {}\n", rule["id"].as_string(), rule["title"].as_string(), judgement, item["id"].as_string());
      const std::int64_t line = item["line"].as_int();
      out += fmt::format("  {}{}{}\n", core::printable(item["path"].as_string(), 300), line > 0 ? fmt::format(":{}", line) : "",
                         item["text"].as_string().empty() ? "" : "  " + core::printable(item["text"].as_string(), 300));
      out += fmt::format("    {}{}{}\n", core::printable(item["detail"].as_string(), 400),
                         item["companion"].as_bool() ? " (in what was added beside the pick)" : "",
                         item["introduced_by"].as_string().empty() ? "" : fmt::format("; written by {}", item["introduced_by"].as_string()));
      out += fmt::format("    lifted by: {}\n", lift_of(item, unit));
    }
  }
  for (const Json& suite : verdict["suites"].items()) {
    if (suite["verdict"].as_string() == "pass") continue;
    out += fmt::format("suite {} {}: {}\n", suite["id"].as_string(), suite["verdict"].as_string(), core::printable(suite["reason"].as_string(), 400));
  }
  return out;
}

}  // namespace

int SubmitReport::exit_code() const {
  if (outcome == "landed" || outcome == "cleared" || outcome == "template") return 0;
  if (outcome == "undecided") return 3;
  const auto judgement = model::parse_judgement(verdict["verdict"].as_string());
  return judgement && *judgement != model::Judgement::pass ? model::exit_status(*judgement) : 1;
}

Json submit_json(const SubmitReport& report) {
  Json out = Json::object({{"schema", "sluice.submit/1"}, {"unit", report.unit.id}, {"outcome", report.outcome}, {"who", report.who},
                           {"state", model::to_string(report.unit.state)}, {"why", report.why},
                           {"landed", report.unit.landed.empty() ? Json() : Json(report.unit.landed)}, {"verdict", report.verdict},
                           {"missing_account", report.missing.is_null() ? Json::array() : report.missing}});
  if (report.outcome == "next_conflict") {
    out.set("conflict", Json::object({{"upstream", report.next.conflicted}, {"subject", report.next.subject}, {"paths", Json::array_of(report.next.paths)},
                                      {"open", Json::array_of(report.next.open)}, {"drafts", report.next.drafts}}));
    out.set("commands", Json::array_of(report.commands));
  }
  return out;
}

std::string submit_text(App& app, const SubmitReport& report) {
  const std::string& unit = report.unit.id;
  if (report.outcome == "template") return report.missing.pretty() + "\n";
  if (report.outcome == "landed") {
    return fmt::format("{} landed as {}\n{}", unit, report.unit.landed, commit_lines(app, report.unit.commits, "  "));
  }
  if (report.outcome == "cleared") {
    return fmt::format("{} passes every guardrail and suite, and is not landed: autonomy is observe; it stays yours, and "
                       "`sluice submit {}` lands it once `[landing] autonomy = \"land\"` is set\n", unit, unit);
  }
  if (report.outcome == "next_conflict") {
    std::string out = fmt::format("{}: {}\nThat conflict now stands on your answer, for you to go on with:\n", unit, core::printable(report.why, 600));
    for (const std::string& command : report.commands) out += "  " + command + "\n";
    return out;
  }
  if (report.outcome == "undecided") {
    return fmt::format("{} is not decided: {}\nThe answer is kept: the next `sluice sync` or `sluice submit` goes on with it.\n", unit, core::printable(report.why, 1000));
  }
  std::string out = fmt::format("{} is refused and stays yours: {}\n", unit, core::printable(report.why, 1000));
  out += items_text(report.verdict, unit);
  if (!report.missing.items().empty()) {
    // Beside the work tree, so that `git add --all` does not make it a part of the answer.
    const auto taken = app.store.take(unit);
    const std::string file = taken.ok() && *taken && !(*taken)->work_tree.empty() ? (*taken)->work_tree + ".account.json" : "account.json";
    const std::vector<std::string> submit{"sluice", "submit", unit, "--who", report.who, "--config", core::absolute_path(app.config.file)};
    out += fmt::format("What is missing, as entries to fill in, and then submit with them:\n  {0} --account-template > {1}\n  {0} --account {1}\n",
                       core::shell_quote(submit), core::shell_quote({file}));
  }
  return out;
}

}  // namespace sluice::service
