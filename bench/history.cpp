// SPDX-License-Identifier: Apache-2.0
// What forks have landed, as lines for the scripts that measure on real histories:
//
//   sluice_history UPSTREAM_REPO UPSTREAM_TIP FORK_REPO BRANCH...
//
// prints `fork_commit parent upstream_shas date kind how confirmed line subject` by tabs; with SLUICE_HISTORY_ALL set
// also what was left out, with `left_out`, the reason and what decided. Counts go to stderr. SLUICE_HISTORY_TRAILERS:
// patterns as in [trailers] import, one a line.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "core/text.h"
#include "git/read.h"
#include "ingest/history.h"

namespace {

using namespace sluice;
using ingest::HistoryRow;

std::string day(std::int64_t time) {
  const auto at = static_cast<std::time_t>(time);
  std::tm parts{};
  gmtime_r(&at, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

void print(const HistoryRow& row) {
  const bool out = row.kind == HistoryRow::Kind::left_out;
  const char* kind = out ? "left_out" : row.kind == HistoryRow::Kind::single ? "single" : "bundle";
  fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", row.commit, row.parent, core::join(row.upstream, ","), day(row.date), kind,
             out ? to_string(row.why) : to_string(row.how), out ? row.note : row.confirmed ? "confirmed" : "", row.line,
             core::printable(row.subject, 300));
}

Result<void> run(const std::vector<std::string>& args) {
  TRY_ASSIGN(const git::Reader reader, git::Reader::open(args[2], {args[0]}));
  TRY_ASSIGN(const git::Reader upstream, git::Reader::open(args[0]));
  ingest::HistoryOptions options;
  TRY_ASSIGN(options.upstream_tip, upstream.resolve(args[1]));
  if (const char* patterns = std::getenv("SLUICE_HISTORY_TRAILERS")) {
    for (const std::string_view line : core::split_lines(patterns)) options.trailers.emplace_back(line);
  }
  for (std::size_t i = 3; i < args.size(); ++i) {
    TRY_ASSIGN(model::Oid tip, reader.resolve(args[i]));
    options.lines.push_back({args[i], std::move(tip), {}});
  }
  TRY_ASSIGN(const ingest::History history, ingest::mine_history(reader, options, nullptr));
  for (const HistoryRow& row : history.rows) print(row);
  if (std::getenv("SLUICE_HISTORY_ALL")) {
    for (const HistoryRow& row : history.left_out) print(row);
  }
  std::map<std::string, std::map<std::string, std::int64_t>> lines;
  for (const HistoryRow& row : history.rows) ++lines[row.line][std::string(to_string(row.how))];
  fmt::print(stderr, "{} commits, {} rows\n", history.scanned, history.rows.size());
  for (const auto& [line, hows] : lines) {
    fmt::print(stderr, "  {}:", line);
    for (const auto& [how, n] : hows) fmt::print(stderr, " {} {}", how, n);
    fmt::print(stderr, "\n");
  }
  for (const auto& [why, n] : history.by_reason) fmt::print(stderr, "left out, {}: {}\n", to_string(why), n);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 4) {
    fmt::print(stderr, "usage: sluice_history UPSTREAM_REPO UPSTREAM_TIP FORK_REPO BRANCH...\n");
    return 2;
  }
  const auto done = run(args);
  if (!done.ok()) fmt::print(stderr, "{}\n", done.error().message);
  return done.ok() ? 0 : 1;
}
