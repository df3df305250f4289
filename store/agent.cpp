// SPDX-License-Identifier: Apache-2.0
// Queries: runs of a model, and the paths that were sent to one.
#include "store/agent.h"

#include <fmt/format.h>

#include "core/file.h"
#include "store/agent_state.h"
#include "store/event_log.h"
#include "store/migrations.h"

namespace sluice::store {
namespace {

constexpr const char* columns =
    "run, job, unit, upstream, endpoint, model, prompt_sha256, outcome, last_sha256, lines, started_at, ended_at, tokens_in, tokens_out, money";

TranscriptRow read_row(const Statement& q) {
  return {q.text(0), q.text(1),    q.text(2),     q.text(3),     q.text(4),     q.text(5),     q.text(6),    q.text(7),
          q.text(8), q.integer(9), q.integer(10), q.integer(11), q.integer(12), q.integer(13), q.integer(14)};
}

bool same(const TranscriptRow& a, const TranscriptRow& b) {
  return a.job == b.job && a.unit == b.unit && a.upstream == b.upstream && a.endpoint == b.endpoint && a.model == b.model &&
         a.prompt_sha256 == b.prompt_sha256 && a.outcome == b.outcome && a.last_sha256 == b.last_sha256 && a.lines == b.lines &&
         a.started_at == b.started_at && a.ended_at == b.ended_at && a.tokens_in == b.tokens_in && a.tokens_out == b.tokens_out &&
         a.money == b.money;
}

core::Json ended_event(const TranscriptRow& row) {
  return core::Json::object({{"job", row.job}, {"unit", row.unit}, {"upstream", row.upstream}, {"endpoint", row.endpoint},
                             {"model", row.model}, {"prompt_sha256", row.prompt_sha256}, {"outcome", row.outcome},
                             {"transcript_sha256", row.last_sha256}, {"lines", row.lines}, {"tokens_in", row.tokens_in},
                             {"tokens_out", row.tokens_out}, {"money", row.money}});
}

}  // namespace

AgentStore::AgentStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
AgentStore::~AgentStore() = default;

Result<std::unique_ptr<AgentStore>> AgentStore::open(const std::string& dir) {
  const std::string file = core::join_path(dir, "sluice.db");
  if (!core::exists(file)) return make_error(ErrorKind::not_found, fmt::format("there is no store at {}; `sluice sync` makes one", file));
  TRY_ASSIGN(Database db, Database::open(file));
  TRY_ASSIGN(const std::int64_t version, db.integer("PRAGMA user_version"));
  if (const auto ours = static_cast<std::int64_t>(migrations().size()); version != ours)
    return make_error(ErrorKind::invalid, fmt::format("{} has schema version {}, this program works with version {}; "
                                                      "open it with the newer of the two programs",
                                                      file, version, ours));
  return std::unique_ptr<AgentStore>(new AgentStore(std::make_unique<State>(std::move(db))));
}

Result<void> AgentStore::put_transcript(const TranscriptRow& row) {
  const std::lock_guard lock(state_->mutex);
  Database& db = state_->db;
  return state_->write("", [&]() -> Result<void> {
    std::optional<TranscriptRow> before;
    {
      TRY_ASSIGN(Statement q, db.query(fmt::format("SELECT {} FROM transcripts WHERE run = ?1", columns), row.run));
      TRY_ASSIGN(const bool found, q.step());
      if (found) before = read_row(q);
    }
    if (before && same(*before, row)) return {};
    if (before && !before->outcome.empty())
      return make_error(ErrorKind::conflict, fmt::format("run {} has ended with \"{}\" and cannot change any more", row.run, before->outcome));
    TRY(db.run(fmt::format("INSERT INTO transcripts ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) "
                           "ON CONFLICT (run) DO UPDATE SET job = ?2, unit = ?3, upstream = ?4, endpoint = ?5, model = ?6, "
                           "prompt_sha256 = ?7, outcome = ?8, last_sha256 = ?9, lines = ?10, started_at = ?11, ended_at = ?12, "
                           "tokens_in = ?13, tokens_out = ?14, money = ?15",
                           columns),
               row.run, row.job, row.unit, row.upstream, Bytes{row.endpoint}, Bytes{row.model}, row.prompt_sha256, Bytes{row.outcome},
               row.last_sha256, row.lines, row.started_at, row.ended_at, row.tokens_in, row.tokens_out, row.money));
    if (row.outcome.empty()) return {};
    return append_to_log(db, "model.run_ended", row.run, ended_event(row), row.ended_at);
  });
}

Result<std::vector<TranscriptRow>> AgentStore::transcripts() {
  const std::lock_guard lock(state_->mutex);
  std::vector<TranscriptRow> out;
  TRY_ASSIGN(Statement q, state_->db.query(fmt::format("SELECT {} FROM transcripts ORDER BY n", columns)));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    out.push_back(read_row(q));
  }
}

Result<void> AgentStore::add_sent(const std::string& endpoint, const std::vector<std::string>& paths, std::int64_t at) {
  if (paths.empty()) return {};
  const std::lock_guard lock(state_->mutex);
  return state_->write("", [&]() -> Result<void> {
    for (const std::string& path : paths)
      TRY(state_->db.run("INSERT INTO sent_paths (endpoint, path, first_at, last_at, times) VALUES (?1, ?2, ?3, ?3, 1) "
                         "ON CONFLICT (endpoint, path) DO UPDATE SET last_at = max(last_at, ?3), times = times + 1",
                         Bytes{endpoint}, Bytes{path}, at));
    return {};
  });
}

Result<std::vector<AgentStore::SentRow>> AgentStore::sent() {
  const std::lock_guard lock(state_->mutex);
  std::vector<SentRow> out;
  TRY_ASSIGN(Statement q, state_->db.query("SELECT endpoint, path, first_at, last_at, times FROM sent_paths ORDER BY endpoint, path"));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    out.push_back({q.text(0), q.text(1), q.integer(2), q.integer(3), q.integer(4)});
  }
}

}  // namespace sluice::store
