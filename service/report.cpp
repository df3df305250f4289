// SPDX-License-Identifier: Apache-2.0
#include "service/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/log.h"
#include "core/text.h"
#include "service/plan_json.h"
#include "service/unit_text.h"

namespace sluice::service {

using core::Json;

namespace {

struct Tally {
  std::map<model::Disposition, std::vector<const model::LedgerRow*>> rows;
  std::map<model::Handling, int> handling;
  std::size_t pending = 0;

  std::size_t count(std::initializer_list<model::Disposition> which) const {
    std::size_t n = 0;
    for (const auto d : which) {
      if (const auto found = rows.find(d); found != rows.end()) n += found->second.size();
    }
    return n;
  }
};

using D = model::Disposition;

model::Handling handling_of(const model::LedgerRow& row, const model::UpstreamCommit& facts) {
  if (facts.kind == model::CommitKind::pin || row.evidence == "pin") return model::Handling::toolchain;
  if (facts.kind == model::CommitKind::ci) return model::Handling::workflow_provenance;
  if (row.disposition == D::adapted) return model::Handling::semantic_adapt;
  return model::Handling::code;
}

Tally tally(App& app, const Plan& plan) {
  Tally out;
  for (const Oid& oid : plan.line.line) {
    const auto found = plan.ledger.find(oid);
    if (found == plan.ledger.end()) {
      ++out.pending;
      continue;
    }
    out.rows[found->second.disposition].push_back(&found->second);
    const auto facts = app.store.facts(oid);
    if (facts.ok() && *facts) ++out.handling[handling_of(found->second, **facts)];
  }
  return out;
}

std::string line_of(App& app, const model::LedgerRow& row) {
  const std::string name(model::short_oid(row.upstream));
  const std::string subject = subject_of(app, row.upstream, 100);
  std::string reason = core::printable(row.reason, 300);
  // A reason that names its commit says what stands in front of it.
  if (const std::string named = fmt::format("{} \"{}\" ", name, subject); reason.starts_with(named)) reason.erase(0, named.size());
  return fmt::format("- {} {}{}", name, subject, reason.empty() ? "" : fmt::format(" ({})", reason));
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

void section(App& app, std::string& out, const Tally& all, const char* title, std::initializer_list<D> which) {
  out += fmt::format("\n## {} ({})\n", title, all.count(which));
  bool any = false;
  for (const D d : which) {
    const auto found = all.rows.find(d);
    if (found == all.rows.end()) continue;
    for (const model::LedgerRow* row : found->second) {
      out += line_of(app, *row) + "\n";
      any = true;
    }
  }
  if (!any) out += "- None.\n";
}

}  // namespace

Json report_json(App& app, const Plan& plan) {
  const Tally all = tally(app, plan);
  Json dispositions = Json::object(), handling = Json::object(), units = Json::array();
  for (const auto& [d, rows] : all.rows) dispositions.set(model::to_string(d), rows.size());
  dispositions.set("pending", all.pending);
  for (const auto& [h, n] : all.handling) handling.set(model::to_string(h), n);
  for (const model::Unit& unit : plan.stored_units) units.push(unit_json(unit));
  return Json::object({{"schema", "sluice.report/1"},
                       {"fork", Json::object({{"head", plan.remotes.fork_tip}, {"base", plan.line.base}})},
                       {"upstream", upstream_json(app, plan.remotes)},
                       {"metrics", metrics_json(plan.metrics)},
                       {"pins", pins_json(plan.pins)},
                       {"dispositions", std::move(dispositions)},
                       {"handling", std::move(handling)},
                       {"imported", Json::object({{"placed", plan.imported.placed}, {"unplaced", plan.imported.unplaced}})},
                       {"units", std::move(units)}});
}

std::string report_markdown(App& app, const Plan& plan) {
  const Tally all = tally(app, plan);
  std::string out = fmt::format("# {} against {}\n\n", app.config.fork.branch, app.config.upstream.branch);
  out += fmt::format("- fork: {} {} at {}\n- upstream: {} {} at {}\n", core::redact(app.config.fork.url), app.config.fork.branch, plan.remotes.fork_tip,
                     core::redact(app.config.upstream.url), app.config.upstream.branch, plan.remotes.upstream_tip);
  out += fmt::format("- Days Behind Upstream: {:.3f}\n- Backlog Commits: {}\n- distance: {}, not reached: {}\n",
                     plan.metrics.days_behind, plan.metrics.backlog_commits, plan.metrics.distance, plan.metrics.not_reached);
  if (const auto fetched = app.store.fetch("upstream"); fetched.ok() && *fetched) {
    out += fmt::format("- last good fetch of upstream: {}{}\n",
                       (*fetched)->at > 0 ? core::format_utc((*fetched)->at) : "never",
                       (*fetched)->error.empty() ? "" : fmt::format(" (STALE: {})", (*fetched)->error));
  }
  if (plan.imported.unplaced > 0) {
    out += fmt::format("- {} shas in the fork's trailers are not on the upstream line\n", plan.imported.unplaced);
  }

  section(app, out, all, "Picked", {D::picked, D::adapted, D::picked_empty});
  out += "\n## Handling routes\n";
  for (const auto h : {model::Handling::code, model::Handling::semantic_adapt, model::Handling::toolchain,
                       model::Handling::workflow_provenance}) {
    const auto found = all.handling.find(h);
    out += fmt::format("- {}: {}\n", upper(model::to_string(h)), found == all.handling.end() ? 0 : found->second);
  }
  out += "\n## Durable dispositions\n";
  out += fmt::format("- PICKED: {}\n", all.count({D::picked, D::adapted, D::picked_empty}));
  out += fmt::format("- DEFERRED_BLOCKED: {}\n", all.count({D::deferred}));
  out += fmt::format("- SKIP_FOR_CURRENT_BASE: {}\n", all.count({D::skip_for_current_base}));
  out += fmt::format("- WONT_PORT: {}\n", all.count({D::wont_port}));
  for (const D d : {D::already, D::superseded, D::reverted_upstream, D::follow_up_of, D::backed_out}) {
    out += fmt::format("- {}: {}\n", model::to_string(d), all.count({d}));
  }
  out += fmt::format("- pending: {}\n", all.pending);
  section(app, out, all, "Deferred (backlog)", {D::deferred, D::backed_out, D::skip_for_current_base});
  section(app, out, all, "Won't-port", {D::wont_port});
  section(app, out, all, "Settled without a pick", {D::already, D::superseded, D::reverted_upstream, D::follow_up_of});

  std::string cleared;
  for (const model::Unit& unit : plan.stored_units) {
    if (unit.state != model::UnitState::cleared) continue;
    cleared += fmt::format("- {} {}\n", unit.id, counted(unit.commits.size(), "commit")) + commit_lines(app, unit.commits, "  - ");
  }
  if (!cleared.empty()) out += "\n## Cleared, not landed\n" + cleared;

  out += "\n## Needs a person\n";
  bool any = false;
  for (const model::Unit& unit : plan.stored_units) {
    if (unit.state != model::UnitState::parked) continue;
    any = true;
    out += fmt::format("- {} [{}] {}: {}\n", unit.id, unit.rule, counted(unit.commits.size(), "commit"), core::printable(unit.reason, 400));
    out += commit_lines(app, unit.commits, "  - ");
  }
  if (!any) out += "- None.\n";
  const auto pin = [](const Oid& oid) { return oid.empty() ? std::string("the fork base") : oid; };
  out += fmt::format("\nTwo-pin: backports={}, deferred={}, won't-port={}; frontier at {}, contiguous pin at {}.\n",
                     all.count({D::picked, D::adapted, D::picked_empty}), all.count({D::deferred}), all.count({D::wont_port}),
                     pin(plan.pins.frontier_oid), pin(plan.pins.contiguous_oid));
  return out;
}

}  // namespace sluice::service
