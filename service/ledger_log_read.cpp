// SPDX-License-Identifier: Apache-2.0
// Reading refs/sluice/ledger. It comes from a remote that others can write: everything is checked.
#include <fmt/format.h>

#include "core/text.h"
#include "service/ledger_log.h"

namespace sluice::service {

namespace {

constexpr const char* file_name = "events.jsonl";
constexpr std::size_t most_commits = 1'000'000;
constexpr std::size_t most_bytes = 64u << 20;
constexpr std::size_t most_line_bytes = 1u << 20;
constexpr core::Json::Limits line_limits{most_line_bytes, 16};

Error bad(const Oid& commit, std::int64_t line, const std::string& what) {
  return make_error(ErrorKind::invalid,
                    fmt::format("ledger log: commit {}{}: {}", commit, line > 0 ? fmt::format(", line {}", line) : "", core::printable(what, 300)));
}

std::string trailer(std::string_view message, std::string_view key) {
  std::string out;
  for (const std::string_view line : core::split_lines(message)) {
    if (line.starts_with(key)) out = core::trim(line.substr(key.size()));
  }
  return out;
}

bool is_unit_id(std::string_view id) { return id.size() == 12 && id[1] == '-' && id[0] >= 'a' && id[0] <= 'z' && core::is_hex(id.substr(2), 10); }

// The words of one line; nothing but strings, integers and lists of ids are looked at later.
Result<LogLine> parse_line(const Oid& commit, std::int64_t number, std::string_view text) {
  auto json = core::Json::parse(text, line_limits);
  if (!json.ok()) return bad(commit, number, json.error().message);
  const core::Json& j = *json;
  if (!j["seq"].is_int() || !j["at"].is_int() || !j["type"].is_string() || !j["subject"].is_string() || !j["body"].is_object())
    return bad(commit, number, "it wants seq, at, type, subject and body");
  LogLine line{j["seq"].as_int(), j["at"].as_int(), j["type"].as_string(), j["subject"].as_string(), j["body"]};
  constexpr std::string_view ledger = "ledger.", unit = "unit.";
  if (line.type.starts_with(ledger)) {
    const std::string_view word = std::string_view(line.type).substr(ledger.size());
    if (!model::parse_disposition(word)) return bad(commit, number, fmt::format("\"{}\" is no disposition", word));
    if (!model::is_oid(line.subject)) return bad(commit, number, fmt::format("\"{}\" is no commit id", line.subject));
    for (const char* key : {"by", "downstream"}) {
      const core::Json& oid = line.body[key];
      if (!oid.is_null() && !model::is_oid(oid.as_string())) return bad(commit, number, fmt::format("{} is no commit id", key));
    }
    const std::string& held_by = line.body["unit"].as_string();
    if (!held_by.empty() && !is_unit_id(held_by)) return bad(commit, number, fmt::format("\"{}\" is no unit", held_by));
  } else if (line.type.starts_with(unit)) {
    const auto state = model::parse_unit_state(std::string_view(line.type).substr(unit.size()));
    if (!state) return bad(commit, number, fmt::format("\"{}\" is no state of a unit", line.type));
    if (!is_unit_id(line.subject)) return bad(commit, number, fmt::format("\"{}\" is no unit", line.subject));
    if (!model::parse_unit_kind(line.body["kind"].as_string())) return bad(commit, number, "the unit is of no known kind");
    for (const core::Json& oid : line.body["commits"].items()) {
      if (!model::is_oid(oid.as_string())) return bad(commit, number, "a member is no commit id");
    }
    for (const char* key : {"base", "landed"}) {
      if (!line.body[key].is_null() && !model::is_oid(line.body[key].as_string())) return bad(commit, number, fmt::format("{} is no commit id", key));
    }
  } else {
    return bad(commit, number, fmt::format("\"{}\" is no kind of change", line.type));
  }
  return line;
}

}  // namespace

Result<LogCommit> read_log_commit(const git::Reader& reader, const Oid& oid) {
  TRY_ASSIGN(const git::Commit commit, reader.commit(oid));
  if (commit.parents.size() > 1) return bad(oid, 0, "it has several parents");
  TRY_ASSIGN(const auto entry, reader.entry(commit.tree, file_name));
  if (!entry || entry->mode != 0100644) return bad(oid, 0, fmt::format("it holds no file {}", file_name));
  auto content = reader.blob(entry->oid, most_bytes);
  if (!content.ok()) return bad(oid, 0, content.error().message);
  LogCommit out;
  out.oid = oid;
  std::int64_t number = 0;
  for (const std::string_view text : core::split_lines(*content)) {
    if (++number > 1) {
      TRY_ASSIGN(auto line, parse_line(oid, number, text));
      if (line.seq < out.from || line.seq > out.to || (!out.lines.empty() && line.seq <= out.lines.back().seq))
        return bad(oid, number, fmt::format("event {} is out of its order in {}..{}", line.seq, out.from, out.to));
      out.lines.push_back(std::move(line));
      continue;
    }
    auto header = core::Json::parse(text, line_limits);
    if (!header.ok()) return bad(oid, number, header.error().message);
    const std::string& schema = (*header)["schema"].as_string();
    if (schema != ledger_schema) return bad(oid, number, fmt::format("its schema is \"{}\", this program reads {}", schema, ledger_schema));
    out.store = (*header)["store"].as_string();
    out.from = (*header)["from"].as_int();
    out.to = (*header)["to"].as_int();
    out.import_state = (*header)["import"].as_string();
    if (!core::is_hex(out.store, 16) || out.from < 1 || out.to < out.from) return bad(oid, number, "it wants store, from and to");
  }
  if (number == 0) return bad(oid, 0, "its file is empty");
  if (trailer(commit.message, "Sluice-Events:") != fmt::format("{}..{}", out.from, out.to) || trailer(commit.message, "Sluice-Store:") != out.store)
    return bad(oid, 0, "its message does not name the store and events of its file");
  return out;
}

Result<void> read_log(const git::Reader& reader, const Oid& tip, const std::function<Result<void>(LogCommit&&)>& visit) {
  std::vector<Oid> chain;
  for (Oid at = tip; !at.empty();) {
    if (chain.size() == most_commits) return bad(at, 0, fmt::format("the log has more than {} commits", most_commits));
    TRY_ASSIGN(const git::Commit commit, reader.commit(at));
    chain.push_back(at);
    at = commit.parents.empty() ? Oid() : commit.parents.front();
  }
  std::string store;
  std::int64_t to = 0;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    TRY_ASSIGN(LogCommit commit, read_log_commit(reader, *at));
    if (commit.store == store && commit.from != to + 1)
      return bad(*at, 0, fmt::format("it begins with event {}, and the one before it ended with {}", commit.from, to));
    store = commit.store;
    to = commit.to;
    TRY(visit(std::move(commit)));
  }
  return {};
}

}  // namespace sluice::service
