// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ingest/ingest.h"

namespace sluice::ingest {
namespace {

model::Disposition disposition_of(const std::map<Oid, model::LedgerRow>& ledger, const Oid& oid) {
  const auto row = ledger.find(oid);
  return row == ledger.end() ? model::Disposition::pending : row->second.disposition;
}

}  // namespace

model::Pins pins(const std::vector<Oid>& line, const std::map<Oid, model::LedgerRow>& ledger) {
  model::Pins out;
  bool unbroken = true;
  for (const Oid& oid : line) {
    const auto disposition = disposition_of(ledger, oid);
    if (!model::is_dispositioned(disposition)) break;
    ++out.frontier;
    out.frontier_oid = oid;
    unbroken = unbroken && model::is_settled(disposition);
    if (unbroken) {
      out.contiguous = out.frontier;
      out.contiguous_oid = oid;
    }
  }
  return out;
}

model::Metrics metrics(const std::vector<Oid>& line, const std::map<Oid, model::LedgerRow>& ledger,
                       const std::map<Oid, std::int64_t>& committer_time, std::int64_t base_time) {
  const model::Pins at = pins(line, ledger);
  const auto time_of = [&](const Oid& oid) {
    const auto time = committer_time.find(oid);
    return time == committer_time.end() ? base_time : time->second;
  };
  model::Metrics out;
  const std::int64_t tip_time = line.empty() ? base_time : time_of(line.back());
  const std::int64_t frontier_time = at.frontier == 0 ? base_time : time_of(at.frontier_oid);
  out.days_behind = std::max(0.0, static_cast<double>(tip_time - frontier_time) / 86400.0);
  out.distance = static_cast<std::int64_t>(line.size()) - at.frontier;
  out.not_reached = out.distance;
  std::int64_t position = 0;
  for (const Oid& oid : line) {
    const auto disposition = disposition_of(ledger, oid);
    if (++position <= at.frontier)
      out.backlog_commits += model::is_backlog(disposition) ? 1 : 0;
    else
      out.not_reached -= model::is_settled(disposition) ? 1 : 0;
  }
  return out;
}

}  // namespace sluice::ingest
