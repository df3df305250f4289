// SPDX-License-Identifier: Apache-2.0
#include "service/log_replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace sluice::service {

namespace {

using D = model::Disposition;

bool says_trunk_has_it(D d) { return d == D::picked || d == D::adapted || d == D::follow_up_of || d == D::reverted_upstream; }

model::LedgerRow row_of(const LogLine& line, D disposition) {
  model::LedgerRow row;
  row.upstream = line.subject;
  row.disposition = disposition;
  row.evidence = line.body["evidence"].as_string();
  row.reason = line.body["reason"].as_string();
  row.unit = line.body["unit"].as_string();
  row.task = line.body["task"].as_string();
  row.by = line.body["by"].as_string();
  row.downstream = line.body["downstream"].as_string();
  row.who = line.body["who"].as_string();
  row.at = line.at;
  row.owner = line.body["owner"].as_string();
  row.review_at = line.body["review_at"].as_int();
  return row;
}

}  // namespace

Result<void> LogReplay::apply_unit(const LogLine& line, const std::string& where) {
  const auto [at, is_new] = unit_at_.emplace(line.subject, units.size());
  if (is_new) units.emplace_back();
  model::Unit& unit = units[at->second];
  unit.id = line.subject;
  unit.kind = *model::parse_unit_kind(line.body["kind"].as_string());
  unit.state = *model::parse_unit_state(std::string_view(line.type).substr(5));
  if (unit.state == model::UnitState::taken) unit.state = model::UnitState::parked;
  if (line.body.has("commits")) {
    unit.commits.clear();
    for (const core::Json& oid : line.body["commits"].items()) unit.commits.push_back(oid.as_string());
  }
  if (unit.commits.empty()) return make_error(ErrorKind::invalid, fmt::format("{}: unit {} has no commits", where, unit.id));
  unit.reason = line.body["reason"].as_string();
  unit.rule = line.body["rule"].as_string();
  unit.base = line.body["base"].as_string();
  unit.landed = line.body["landed"].as_string();
  unit.created_at = line.body["created_at"].as_int();
  unit.validations = static_cast<int>(std::clamp<std::int64_t>(line.body["validations"].as_int(), 0, 1'000'000));
  return {};
}

Result<void> LogReplay::apply(const LogCommit& commit) {
  ++commits;
  if (!commit.import_state.empty()) import_state = commit.import_state;
  std::int64_t number = 1;  // the header
  for (const LogLine& line : commit.lines) {
    ++lines;
    const std::string where = fmt::format("ledger log: commit {}, line {}", commit.oid, ++number);
    if (line.type.starts_with("unit.")) {
      TRY(apply_unit(line, where));
      continue;
    }
    rows[line.subject] = row_of(line, *model::parse_disposition(std::string_view(line.type).substr(7)));
    said_in_[line.subject] = where;
  }
  return {};
}

Result<void> LogReplay::place(const std::vector<Oid>& line) {
  std::map<Oid, std::int64_t> position;
  for (const Oid& oid : line) position.emplace(oid, static_cast<std::int64_t>(position.size()) + 1);
  for (auto at = rows.begin(); at != rows.end();) {
    const auto found = position.find(at->first);
    if (found != position.end()) {
      at->second.position = found->second;
      ++at;
    } else if (at->second.disposition == D::pending) {
      at = rows.erase(at);  // moved to another commit when upstream was rewritten
    } else {
      return make_error(ErrorKind::invalid, fmt::format("{}: {} is not on the upstream line", said_in_[at->first], at->first));
    }
  }
  return {};
}

Result<std::string> contradiction(App& app, const model::LedgerRow& row, const std::map<Oid, model::LedgerRow>& history, const Oid& fork_tip) {
  if (!says_trunk_has_it(row.disposition)) return std::string();
  const auto named = [&](const std::string& what) {
    return fmt::format("the log says that {} is {}{}, and {}", row.upstream, model::to_string(row.disposition),
                       row.downstream.empty() ? std::string() : fmt::format(" as {}", model::short_oid(row.downstream)), what);
  };
  if (row.downstream.empty()) return named("names no commit that carries it");
  bool there = false;
  if (app.repo.reader().has(row.downstream)) {
    TRY_ASSIGN(there, app.repo.reader().is_ancestor(row.downstream, fork_tip));
  }
  if (!there) return named("trunk does not carry that commit");
  const bool by_trailer = row.evidence == "landed" || row.evidence == "trailer";
  if (by_trailer && row.disposition != D::reverted_upstream && !history.contains(row.upstream)) return named("no commit of trunk says so");
  return std::string();
}

}  // namespace sluice::service
