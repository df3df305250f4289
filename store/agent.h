// SPDX-License-Identifier: Apache-2.0
// Second door of store/, for agent: what is spent, what was sent, which runs there were. Safe to call from several
// threads: each call takes the lock of the connection that it has to itself. A write while a Transaction of the Store is
// open waits for its end, at most the busy timeout (then transient): never from the thread that holds one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace sluice::store {

struct Spend {
  std::int64_t tokens = 0, money = 0;  // settled and reserved together; money in millionths
};
struct SpendScope {
  std::string kind, key;  // run | unit | night | fork
  std::int64_t tokens_cap = 0, money_cap = 0;  // 0 = none
};
// A row a call, reserved before it is made. What a killed process left reserved stays charged.
class SpendBook {
 public:
  virtual ~SpendBook() = default;
  // In one transaction: adds the reservation if every scope still has room for it. Errors: denied, naming the scope,
  // its cap and what is spent.
  virtual Result<std::int64_t> reserve(const std::vector<SpendScope>& scopes, std::int64_t tokens, std::int64_t money, std::int64_t at) = 0;
  virtual Result<void> settle(std::int64_t id, std::int64_t tokens, std::int64_t money) = 0;
  virtual Result<Spend> spent(const std::string& kind, const std::string& key) = 0;
};

struct TranscriptRow {
  std::string run;          // id; the file is <store>/transcripts/<run>.jsonl
  std::string job;          // resolve | repair | parked_text
  std::string unit, upstream;
  std::string endpoint, model, prompt_sha256;
  std::string outcome;      // empty while it runs; then LoopEnd's stop
  std::string last_sha256;  // of the file's last line when it ended
  std::int64_t lines = 0, started_at = 0, ended_at = 0;
  std::int64_t tokens_in = 0, tokens_out = 0, money = 0;
};

// `<dir>/sluice.db`, opened a second time: beside the Store of the same process.
class AgentStore : public SpendBook {
 public:
  // Errors: as Store::open. REQUIRES: a Store was opened on it before (the migrations are its).
  static Result<std::unique_ptr<AgentStore>> open(const std::string& dir);
  ~AgentStore() override;

  Result<std::int64_t> reserve(const std::vector<SpendScope>& scopes, std::int64_t tokens, std::int64_t money, std::int64_t at) override;
  Result<void> settle(std::int64_t id, std::int64_t tokens, std::int64_t money) override;
  Result<Spend> spent(const std::string& kind, const std::string& key) override;

  Result<void> put_transcript(const TranscriptRow& row);  // insert or update; also an event when it ends
  Result<std::vector<TranscriptRow>> transcripts();       // oldest first
  // Paths whose lines were ever sent, to which endpoint, first and last time, how often.
  Result<void> add_sent(const std::string& endpoint, const std::vector<std::string>& paths, std::int64_t at);
  struct SentRow {
    std::string endpoint, path;
    std::int64_t first_at = 0, last_at = 0, times = 0;
  };
  Result<std::vector<SentRow>> sent();

 private:
  struct State;
  explicit AgentStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sluice::store
