// SPDX-License-Identifier: Apache-2.0
#include "service/unit_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/file.h"
#include "core/process.h"
#include "core/text.h"

namespace sluice::service {

std::string subject_of(App& app, const Oid& oid, std::size_t max_bytes) {
  const auto facts = app.store.facts(oid);
  return facts.ok() && *facts ? core::printable((*facts)->subject, max_bytes) : std::string();
}

std::string age_text(std::int64_t seconds) {
  if (seconds < 120) return fmt::format("{} s", seconds < 0 ? 0 : seconds);
  if (seconds < 7200) return fmt::format("{} min", seconds / 60);
  if (seconds < 172800) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} days", seconds / 86400);
}

std::string counted(std::size_t n, const std::string& noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string commit_lines(App& app, const std::vector<Oid>& commits, const std::string& indent,
                         std::size_t at_most) {
  std::string out;
  // One line more says less than the commit that it would stand for.
  const std::size_t shown = commits.size() <= at_most + 1 ? commits.size() : at_most;
  for (std::size_t i = 0; i < shown; ++i)
    out += fmt::format("{}{} {}\n", indent, model::short_oid(commits[i]), subject_of(app, commits[i]));
  if (shown < commits.size()) out += fmt::format("{}and {} more\n", indent, commits.size() - shown);
  return out;
}

std::string what_to_type(App& app, const std::vector<const model::Unit*>& waiting) {
  if (waiting.empty()) return {};
  // A pin move is its owners' and seldom the first thing to decide.
  const auto ours = std::find_if(waiting.begin(), waiting.end(),
                                 [](const model::Unit* unit) { return unit->kind != model::UnitKind::pin; });
  // One with a conflict shows every way there is; all lines speak of the same unit.
  const auto raw = std::find_if(waiting.begin(), waiting.end(), [&](const model::Unit* unit) {
    if (ours != waiting.end() && unit->kind == model::UnitKind::pin) return false;
    const auto ref = app.repo.ref("refs/sluice/units/" + unit->id + "/conflict");
    return ref.ok() && ref->has_value();
  });
  const model::Unit& first = raw != waiting.end() ? **raw : ours != waiting.end() ? **ours : *waiting.front();
  const std::string commit(first.commits.empty() ? std::string_view("OID")
                                                 : model::short_oid(first.commits.front()));
  std::string out;
  out += fmt::format("  sluice plan --explain {:<27} why it waits\n", commit);
  if (raw != waiting.end()) {
    out +=
        fmt::format("  git -C {} show refs/sluice/units/{}/conflict\n{:<50} the conflict, with its markers\n",
                    core::shell_quote({core::join_path(app.config.store_path, "repo.git")}), (*raw)->id, "");
  }
  out += fmt::format("  sluice take {:<37} resolve it yourself; `sluice submit` brings it back\n", first.id);
  out += fmt::format("  sluice ledger wont-port {} --reason TEXT  never; `ledger defer`: not now\n", commit);
  out +=
      fmt::format("  sluice sync --unit {:<30} try again, after a change on trunk or in a suite\n", first.id);
  const bool by_rule = std::any_of(waiting.begin(), waiting.end(),
                                   [](const model::Unit* unit) { return unit->rule.starts_with('G'); });
  if (by_rule) out += "What a rule (G01 ..) means and what lifts it stands in docs/guardrails.md.\n";
  out += "A pick made by hand (`git cherry-pick -x`) and pushed to trunk is recognised by the next sync.\n";
  return out;
}

}  // namespace sluice::service
