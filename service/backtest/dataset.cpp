// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "service/backtest/rows.h"
#include "service/backtest/sources.h"

namespace sluice::service::backtest {

namespace {

constexpr std::size_t rows_a_batch = 256;  // the texts of no more are held at once

// The whole file once: every row is sound before anything is asked, and what is to come is known.
Result<std::vector<Source>> look_through(const BacktestOptions& options) {
  TRY_ASSIGN(RowReader rows, RowReader::open(options.dataset));
  std::vector<Source> out;
  while (options.limit == 0 || out.size() < options.limit) {
    TRY_ASSIGN(const std::optional<Case> one, rows.next());
    if (!one) break;
    out.push_back(source_of(*one));
    if (options.cancel != nullptr && options.cancel->load()) return make_error(ErrorKind::transient, "cancelled");
  }
  if (out.empty()) return make_error(ErrorKind::invalid, fmt::format("{}: no row", options.dataset));
  return out;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Source source_of(const Case& one) { return {one.upstream.empty() ? one.commit() : one.upstream, one.date}; }

std::vector<bool> older_half(const std::vector<Source>& sources, bool& by_date) {
  by_date = !sources.empty() && std::all_of(sources.begin(), sources.end(), [](const Source& source) { return source.date != 0; });
  std::vector<std::size_t> order(sources.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  if (by_date) std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sources[a].date < sources[b].date; });
  std::map<std::string, bool> older;  // by pick, from the first hunk of it
  for (std::size_t k = 0; k < order.size(); ++k) older.try_emplace(sources[order[k]].pick, k < order.size() / 2);
  std::vector<bool> out;
  for (const Source& source : sources) out.push_back(older.at(source.pick));
  return out;
}

Result<void> run_dataset(const BacktestOptions& options, KeptLines& kept, BacktestReport& report) {
  report.source = file_name(options.dataset);
  TRY_ASSIGN(const std::vector<Source> sources, look_through(options));
  TRY_ASSIGN(report.dataset_sha256, sha256_of_file(options.dataset));
  const std::vector<bool> older = older_half(sources, report.rerere_by_date);
  std::optional<Baselines> baselines;
  std::optional<Rerere> rerere;
  if (options.baselines) {
    TRY_ASSIGN(baselines, Baselines::open(options.cancel));
    report.programs = baselines->programs();
    if (baselines->has("rerere")) {
      TRY_ASSIGN(rerere, Rerere::open(options.cancel));
    }
  }
  const Ladder ladder{nullptr, options.rules, options.further};
  Bench bench{ladder, baselines ? &*baselines : nullptr, &kept, "", {options.jobs, options.cancel}};
  bench.context = context_of(ladder, bench.baselines);
  report.ladder = ladder.version();
  const auto say = [&](std::size_t done) {
    if (options.progress) options.progress("asking the ladder", static_cast<std::int64_t>(done), static_cast<std::int64_t>(sources.size()));
  };
  TRY_ASSIGN(RowReader rows, RowReader::open(options.dataset));
  for (std::size_t begin = 0; begin < sources.size(); begin += rows_a_batch) {
    std::vector<Case> batch;
    while (batch.size() < std::min(rows_a_batch, sources.size() - begin)) {
      TRY_ASSIGN(std::optional<Case> one, rows.next());
      if (!one) return make_error(ErrorKind::transient, fmt::format("{} changed while it was read", options.dataset));
      batch.push_back(std::move(*one));
    }
    auto results = run_cases(batch, bench, report.kept, [&](std::size_t done) { say(begin + done); });
    if (!results.ok()) return results.error();
    for (CaseResult& result : *results) report.cases.push_back(std::move(result));
    for (std::size_t k = 0; rerere && k < batch.size(); ++k) {
      if (older[begin + k]) TRY(rerere->learn(batch[k]));
    }
    say(begin + batch.size());
  }
  if (!rerere) return {};
  report.rerere_learned = std::count(older.begin(), older.end(), true);
  TRY_ASSIGN(RowReader again, RowReader::open(options.dataset));
  for (std::size_t k = 0; k < sources.size(); ++k) {
    TRY_ASSIGN(const std::optional<Case> one, again.next());
    if (!one) return make_error(ErrorKind::transient, fmt::format("{} changed while it was read", options.dataset));
    if (!older[k]) TRY(rerere->ask(*one));
  }
  TRY_ASSIGN(const auto outcomes, rerere->answers());
  for (CaseResult& result : report.cases)
    if (const auto found = outcomes.find(result.id); found != outcomes.end()) result.baselines["rerere"] = found->second;
  return {};
}

}  // namespace sluice::service::backtest
