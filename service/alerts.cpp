// SPDX-License-Identifier: Apache-2.0
#include "service/alerts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/clock.h"
#include "core/text.h"
#include "service/alert_conditions.h"
#include "service/unit_text.h"

namespace sluice::service {

using core::Json;
using store::AlertRow;

namespace {

std::int64_t age_of(App& app, const AlertRow& alert) { return std::max<std::int64_t>(0, app.clock.now() - alert.opened_at); }

}  // namespace

std::string disk_words(std::uint64_t available, std::uint64_t total) {
  const bool little = available < static_cast<std::uint64_t>(alert_disk_bytes);
  const bool share = total > 0 && available / (total / 100 + 1) < static_cast<std::uint64_t>(alert_disk_percent);
  if (!little && !share) return {};
  return fmt::format("{} MiB are free where the store lies, {} % of the disk; a write that fails changes nothing, but nothing lands either",
                     available >> 20, total == 0 ? 0 : available * 100 / total);
}

Result<std::vector<std::string>> refresh_alerts(App& app, const RunFacts& run) {
  TRY(note_run(app, run));
  TRY_ASSIGN(const auto conditions, present_conditions(app, true));
  TRY_ASSIGN(const auto before, app.store.alerts(true));
  std::vector<std::string> news;
  std::set<std::string> hold;
  TRY_ASSIGN(auto transaction, app.store.begin());
  for (const Condition& condition : conditions) {
    hold.insert(condition.row.key);
    TRY_ASSIGN(const bool opened, app.store.raise_alert(condition.row));
    if (opened && condition.notify) news.push_back(fmt::format("{} (first: `{}`)", condition.row.text, condition.row.command));
  }
  for (const AlertRow& open : before) {
    if (hold.contains(open.key) || !is_condition(open.kind)) continue;
    TRY_ASSIGN([[maybe_unused]] const bool closed, app.store.close_alert(open.key, app.clock.now()));
  }
  TRY(transaction.commit());
  return news;
}

Result<std::vector<AlertRow>> open_alerts(App& app) {
  TRY_ASSIGN(const auto conditions, present_conditions(app, false));
  TRY_ASSIGN(const auto stored, app.store.alerts(true));
  std::vector<AlertRow> out;
  for (const AlertRow& row : stored) {
    if (!is_condition(row.kind)) out.push_back(row);
  }
  for (const Condition& condition : conditions) {
    AlertRow row = condition.row;
    for (const AlertRow& known : stored) {
      if (known.key == row.key) row.opened_at = known.opened_at;
    }
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const AlertRow& a, const AlertRow& b) { return a.opened_at < b.opened_at; });
  return out;
}

Json alerts_json(App& app, const std::vector<AlertRow>& alerts) {
  Json out = Json::array();
  for (const AlertRow& alert : alerts) {
    out.push(Json::object({{"kind", alert.kind},
                           {"text", alert.text},
                           {"command", alert.command},
                           {"opened_at", core::format_utc(alert.opened_at)},
                           {"age_s", age_of(app, alert)}}));
  }
  return out;
}

std::string alerts_text(App& app, const std::vector<AlertRow>& alerts) {
  if (alerts.empty()) return {};
  std::string out = fmt::format("{}:\n", counted(alerts.size(), "alert"));
  for (const AlertRow& alert : alerts) {
    out += fmt::format("  {} ({})  {}\n      first: {}\n", alert.kind, age_text(age_of(app, alert)), core::printable(alert.text, 500),
                       core::printable(alert.command, 500));
  }
  return out + "\n";
}

}  // namespace sluice::service
