// SPDX-License-Identifier: Apache-2.0
#include "service/calibrate/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"

namespace sluice::service::calibrate {

namespace {

constexpr std::size_t most_bytes = 64u << 20;

Error wrong(const std::string& path, std::size_t line, const std::string& what) {
  return make_error(ErrorKind::invalid, fmt::format("{}:{}: {}", path, line, what));
}

// Places of the columns; the date may be absent.
struct Columns {
  std::size_t commit = 0, parent = 0, upstream = 0;
  std::optional<std::size_t> date;
};

Result<Columns> columns_of(const std::string& path, std::string_view head) {
  const std::vector<std::string_view> names = core::split(core::trim(head), '\t');
  const auto place = [&](std::string_view name) { return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()); };
  Columns out{place("downstream_sha"), place("downstream_parent_sha"), place("upstream_shas"), std::nullopt};
  if (std::max({out.commit, out.parent, out.upstream}) >= names.size()) {
    return wrong(path, 1, "the first line must name the columns downstream_sha, downstream_parent_sha and upstream_shas, separated by tabs");
  }
  if (place("date") < names.size()) out.date = place("date");
  return out;
}

Result<Row> row_of(const std::string& path, std::size_t number, std::string_view line, const Columns& columns) {
  const std::vector<std::string_view> cells = core::split(line, '\t');
  if (std::max({columns.commit, columns.parent, columns.upstream}) >= cells.size()) return wrong(path, number, fmt::format("{} columns, fewer than are named", cells.size()));
  Row row{Oid(core::trim(cells[columns.commit])), Oid(core::trim(cells[columns.parent])), {}, 0};
  for (const std::string_view upstream : core::split(cells[columns.upstream], ',')) row.upstream.emplace_back(core::trim(upstream));
  std::vector<Oid> named = row.upstream;
  named.insert(named.end(), {row.commit, row.parent});
  for (const Oid& oid : named) {
    if (!model::is_oid(oid)) return wrong(path, number, fmt::format("\"{}\" is no full commit id of 40 hex digits", core::printable(oid, 60)));
  }
  if (columns.date && *columns.date < cells.size() && !core::trim(cells[*columns.date]).empty()) {
    auto date = core::parse_utc(core::trim(cells[*columns.date]));
    if (!date.ok()) return wrong(path, number, date.error().message);
    row.date = *date;
  }
  return row;
}

}  // namespace

Result<Rows> rows_of_table(const std::string& path, std::int64_t since, std::size_t limit) {
  TRY_ASSIGN(const std::string text, core::read_file(path, most_bytes));
  const std::vector<std::string_view> lines = core::split_lines(text);
  if (lines.empty()) return wrong(path, 1, "the file is empty");
  TRY_ASSIGN(const Columns columns, columns_of(path, lines[0]));
  if (since > 0 && !columns.date) return wrong(path, 1, "--since needs a column date");
  Rows out;
  std::set<Oid> seen;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (core::trim(lines[i]).empty()) continue;
    TRY_ASSIGN(Row row, row_of(path, i + 1, lines[i], columns));
    ++out.scanned;
    if (!seen.insert(row.commit).second) {
      ++out.left_out["the same commit a second time"];
    } else if (row.date < since) {
      ++out.left_out["older than --since"];
    } else {
      out.rows.push_back(std::move(row));
    }
  }
  if (limit > 0 && out.rows.size() > limit) {  // the newest, where there are dates
    std::stable_sort(out.rows.begin(), out.rows.end(), [](const Row& a, const Row& b) { return a.date < b.date; });
    out.left_out["beyond --limit"] += static_cast<std::int64_t>(out.rows.size() - limit);
    out.rows.erase(out.rows.begin(), out.rows.end() - static_cast<std::ptrdiff_t>(limit));
  }
  return out;
}

Result<Rows> rows_of_history(const git::Reader& reader, const ingest::HistoryOptions& options, const Progress& progress, const std::atomic<bool>* cancel) {
  const auto on_progress = [&](std::int64_t done, std::int64_t total) -> Result<void> {
    if (progress) progress("reading the fork's history", done, total);
    if (cancel != nullptr && cancel->load()) return make_error(ErrorKind::transient, "cancelled");
    return {};
  };
  TRY_ASSIGN(const ingest::History history, ingest::mine_history(reader, options, on_progress));
  Rows out;
  out.scanned = history.scanned;
  for (const auto& [why, commits] : history.by_reason) out.left_out[std::string(ingest::to_string(why))] += commits;
  for (const ingest::HistoryRow& row : history.rows) {
    if (row.contained) {
      ++out.left_out["the fork had it already"];
      continue;
    }
    out.rows.push_back({row.commit, row.parent, row.upstream, row.date});
  }
  return out;
}

}  // namespace sluice::service::calibrate
