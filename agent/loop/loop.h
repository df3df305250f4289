// SPDX-License-Identifier: Apache-2.0
// Second door of agent/: one run of a model over one conflicted pick. It ends with an answer in the buffer, with a
// question, or with a reason; it never ends with less checking than it began with.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/llm.h"
#include "core/clock.h"
#include "core/json.h"
#include "core/model/config.h"
#include "store/agent.h"
#include "tools/tools.h"

namespace sluice::agent {

// Masks known forms of secrets and the exact values that the process holds. Applied to whatever is sent or recorded.
using Mask = std::function<std::string(std::string_view)>;

// ---- money and tokens -------------------------------------------------------------------------------------------

// Whom a call is charged to. `night`: the UTC day on which the run's night began; `fork`: of the configuration.
struct Account {
  std::string run, unit, night, fork;
};
struct Reservation {
  std::int64_t id = 0, tokens = 0, money = 0;
};
// Caps hold over threads and restarts: a call is reserved (prompt estimate + max_output_tokens, priced) before it is
// made, and settled with what the service reported; an unknown outcome is charged in full. One for a process.
class Budget {
 public:
  // `book` is not owned. Errors: invalid, for a cap below one call, or a cap in money without prices: names the key.
  static Result<std::unique_ptr<Budget>> open(const model::BudgetConfig& caps, const model::EndpointConfig& endpoint,
                                              store::SpendBook& book, const core::Clock& clock);
  // Errors: denied, naming the scope, its cap and what is spent. A denial is never retried.
  Result<Reservation> reserve(const Account& account, std::int64_t input_tokens, std::int64_t output_tokens);
  Result<void> settle(const Reservation& reservation, const Usage& usage);
  std::int64_t price(const Usage& usage) const;  // millionths of the currency; 0 where prices are not known

 private:
  Budget(const model::BudgetConfig& caps, const model::EndpointConfig& endpoint, store::SpendBook& book, const core::Clock& clock);
  model::BudgetConfig caps_;
  model::EndpointConfig endpoint_;
  store::SpendBook* book_;
  const core::Clock* clock_;
  std::mutex mutex_;
};

// ---- transcripts ------------------------------------------------------------------------------------------------

// JSONL, one event a line, each line naming the sha256 of the one before. Large payloads go to `blobs/<sha256>` beside
// it. Masked before it is hashed. Written line by line, so a killed run leaves a valid prefix; synced before a request
// leaves and at the end. What stands after the last LF is no line and is cut off when the run goes on. One writer a run.
class Transcript {
 public:
  // `<dir>/<run>.jsonl`; goes on where the file ends when it exists. Errors: denied, transient (disk full).
  static Result<Transcript> open(const std::string& dir, const std::string& run, Mask mask, const core::Clock& clock);
  Transcript(Transcript&&) noexcept;
  Transcript& operator=(Transcript&&) noexcept;
  ~Transcript();
  // type: start llm_request llm_response tool_call tool_result guardrail budget retry stop
  Result<void> add(std::string_view type, core::Json body);
  Result<std::string> put_blob(std::string_view bytes);  // its sha256, after masking
  const std::string& run() const;
  const std::string& last_sha256() const;  // of the last line
  std::int64_t lines() const;

 private:
  struct State;
  explicit Transcript(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};
struct TranscriptCheck {
  std::int64_t lines = 0;
  std::string last_sha256;
  bool stopped = false;  // its last line is a stop
};
// Errors: invalid, naming file and line: a broken chain, a missing or altered blob, an event of no known type.
Result<TranscriptCheck> verify_transcript(const std::string& dir, const std::string& run);
// 26 characters, sortable by time: the id of a run.
std::string new_run_id(const core::Clock& clock);

// ---- what a run is told -----------------------------------------------------------------------------------------

struct CandidateAnswer {
  std::string region_id, rule, text;
  std::string standing;  // "right in 56 % of unseen cases"; of a driver: "not measured"
};
struct RelatedCommit {
  model::Oid oid;
  std::string subject, why;  // why: "wrote lines 10-14 of ours", "missing prerequisite: defines tile_id"
};
// Everything beyond World: plain values, so that equal input gives equal bytes.
struct Briefing {
  std::vector<CandidateAnswer> candidates;
  std::vector<CandidateAnswer> remembered;   // similar conflicts that landed; rule = the unit
  std::vector<RelatedCommit> fork_commits;   // that wrote the lines of ours in the regions
  std::vector<RelatedCommit> prerequisites;  // upstream commits that this one needs and the fork lacks
  std::vector<model::InvariantConfig> invariants;  // of the paths concerned
  std::vector<tools::Finding> findings;      // of the candidates, or of the attempt before
  std::string attempt_note;                  // "the candidates were tried and dropped: ..."; trusted text
  std::string prompt = "resolver";           // name of the system text (prompts/)
};
// The first request: system text, tools, and one user message of bounded size. Pure: equal input, equal bytes.
// Where the whole does not fit into `max_bytes`, what is left out is named in it (patch first, then history, ...).
// A turn may write half of the endpoint's max_output_tokens; one that is cut off there is asked for again with all.
Result<LlmRequest> first_request(const tools::World& world, const tools::Buffer& buffer, const Briefing& briefing,
                                 const std::vector<tools::Offer>& offers, const model::EndpointConfig& endpoint,
                                 std::size_t max_bytes = 240'000);

// ---- what may leave ---------------------------------------------------------------------------------------------

// [model] send and never_send, asked of every request after it is rendered: by the paths whose lines it holds, and by
// the lines themselves, wherever they come from (a message, a model's own words).
class Outgate {
 public:
  using Content = std::function<Result<std::vector<std::string>>()>;  // texts of the files that never_send names
  // `may_stand`: texts of files that may leave and that a run is about. A line that stands there, too, may leave;
  // so may lines of fewer than 24 bytes without blanks, includes and licence heads: they stand everywhere.
  Outgate(std::vector<std::string> send, std::vector<std::string> never_send, Content never_sent_texts, Content may_stand = {});
  bool may_send(std::string_view path) const;
  // Errors: denied, naming the path or the place of the line (never the line).
  Result<void> check(const LlmRequest& request, std::string_view rendered) const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared: copies of one gate read the files once
};

// ---- the run ----------------------------------------------------------------------------------------------------

struct LoopLimits {  // GUARDRAILS 9.3
  int turns = 24, tool_calls = 80, static_checks = 6, compile_checks = 3;
  int schema_errors_in_a_row = 3, same_call = 3, unchanged_findings = 3, length_stops = 2;
  std::int64_t wall_ms = 20 * 60'000;
  std::int64_t input_tokens = 300'000, output_tokens = 40'000;
};
struct LoopEnd {
  enum class Kind { submitted, gave_up, stopped, failed, cancelled } kind = Kind::stopped;
  std::string stop;      // "submit", "give_up:needs_design", "turns", "budget:night", "endpoint", "refused", ...
  std::string reason;    // one sentence for people
  std::string confidence, summary;   // submitted; untrusted text
  std::string category, question;    // gave_up; untrusted text
  Usage usage;
  std::int64_t money = 0;
  int turns = 0, calls = 0;
  std::string transcript;            // run id
  std::vector<tools::Finding> findings;  // of the last check
  bool later = false;    // the endpoint is busy or denied: the same run may succeed another time
};
struct LoopSetup {
  Provider* provider = nullptr;   // none of these is owned
  tools::Toolbox* toolbox = nullptr;
  const Outgate* outgate = nullptr;
  Budget* budget = nullptr;
  Transcript* transcript = nullptr;
  Mask mask;
  Account account;
  LoopLimits limits;
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const std::vector<std::string>& paths)> sent;  // as each request leaves: the index of paths
  core::Json inputs;              // what the run depends on (policy digest, object ids), for the first line of the transcript
};
// Never fails for what a model says. Errors: the transcript cannot be written, git or the runner failed.
Result<LoopEnd> run_loop(const LoopSetup& setup, LlmRequest first);

}  // namespace sluice::agent
