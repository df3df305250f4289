// SPDX-License-Identifier: Apache-2.0
// The event log. hash_n = sha256 over hash_(n-1) and the five fields of row n, each as
// `<decimal length>:<bytes>` so that no two contents give one text; hash_0 is empty.
#include <fmt/format.h>

#include "core/hash.h"
#include "store/event_log.h"
#include "store/state.h"

namespace sluice::store {
namespace {

std::string chain_hash(std::string_view previous, std::int64_t seq, std::int64_t at, std::string_view type,
                       std::string_view subject, std::string_view body) {
  core::Sha256 sha;
  const std::string number = std::to_string(seq), time = std::to_string(at);
  for (const std::string_view field :
       {previous, std::string_view(number), std::string_view(time), type, subject, body}) {
    sha.add(fmt::format("{}:", field.size()));
    sha.add(field);
  }
  return sha.hex();
}

Error broken(std::int64_t seq, std::string_view what) {
  return make_error(ErrorKind::invalid, fmt::format("event log is broken at event {}: {}", seq, what));
}

struct Head {
  std::int64_t seq = 0;
  std::string hash;
};

Result<Head> read_head(Database& db) {
  TRY_ASSIGN(Statement q, db.query("SELECT seq, hash FROM event_head WHERE one = 1"));
  TRY_ASSIGN(const bool row, q.step());
  if (!row)
    return make_error(ErrorKind::internal, fmt::format("{} has lost the end of its event log", db.file()));
  return Head{q.integer(0), q.text(1)};
}

}  // namespace

Result<void> append_to_log(Database& db, std::string_view type, std::string_view subject, const core::Json& body,
                           std::optional<std::int64_t> at, std::int64_t now) {
  TRY_ASSIGN(const Head head, read_head(db));
  std::int64_t time = at.value_or(now);
  if (!at && now == 0 && head.seq > 0) {
    TRY_ASSIGN(Statement q, db.query("SELECT at FROM events WHERE seq = ?1", head.seq));
    TRY_ASSIGN(const bool row, q.step());
    if (row) time = q.integer(0);
  }
  const std::int64_t seq = head.seq + 1;
  const std::string text = body.dump();
  const std::string hash = chain_hash(head.hash, seq, time, type, subject, text);
  TRY(db.run("INSERT INTO events (seq, at, type, subject, body, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)", seq,
             time, type, Bytes{subject}, Bytes{text}, hash));
  return db.run("UPDATE event_head SET seq = ?1, hash = ?2 WHERE one = 1", seq, hash);
}

Result<void> Store::State::append_event(std::string_view type, std::string_view subject,
                                        const core::Json& body, std::optional<std::int64_t> at) {
  TRY(append_to_log(db, type, subject, body, at, now));
  last_event = type;
  return {};
}

Result<void> Store::append_event(const std::string& type, const std::string& subject, core::Json body,
                                 std::int64_t at) {
  return state_->write([&] { return state_->append_event(type, subject, body, at); });
}

Result<std::vector<Event>> Store::events(std::int64_t after_seq, std::size_t max) {
  std::vector<Event> out;
  TRY_ASSIGN(Statement q,
             state_->db.query("SELECT seq, at, type, subject, body, hash FROM events WHERE seq > ?1 "
                              "ORDER BY seq LIMIT ?2",
                              after_seq, static_cast<std::int64_t>(max)));
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) return out;
    Event e{q.integer(0), q.integer(1), q.text(2), q.text(3), {}, q.text(5)};
    Result<core::Json> body = core::Json::parse(q.text(4));
    if (!body.ok()) return broken(e.seq, "its body is not JSON");
    e.body = std::move(body).value();
    out.push_back(std::move(e));
  }
}

Result<std::int64_t> Store::verify_events() {
  TRY_ASSIGN(const Head head, read_head(state_->db));
  TRY_ASSIGN(Statement q,
             state_->db.query("SELECT seq, at, type, subject, body, hash FROM events ORDER BY seq"));
  std::int64_t count = 0;
  std::string previous;
  while (true) {
    TRY_ASSIGN(const bool row, q.step());
    if (!row) break;
    const std::int64_t seq = q.integer(0);
    if (seq != count + 1) return broken(count + 1, fmt::format("it is missing, the next one is {}", seq));
    const std::string hash = chain_hash(previous, seq, q.integer(1), q.text(2), q.text(3), q.text(4));
    if (hash != q.text(5))
      return broken(seq, fmt::format("its content gives the hash {}, stored is {}", hash, q.text(5)));
    previous = hash;
    ++count;
  }
  if (count != head.seq || previous != head.hash)
    return broken(count + 1, fmt::format("the log should end with event {}, {} are there", head.seq, count));
  return count;
}

}  // namespace sluice::store
