// SPDX-License-Identifier: Apache-2.0
// Front door of store/: SQLite in WAL mode with foreign keys on, numbered migrations, one query file a
// noun, an append-only hash-chained event log. One writer.
//
// Errors of every write: transient ("disk full", "locked by another process"), denied (read-only),
// internal (corrupt). A failed write changes nothing: every change is inside a Transaction, and a
// Transaction in which a write failed cannot be committed any more. The Store stays usable.
//
// Strings are bytes and come back as they went in; JSON documents follow core/json.h (bytes that are not
// UTF-8 become U+FFFD). Putting what is stored already changes nothing and appends no event. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/model/disposition.h"
#include "core/model/evidence.h"
#include "core/model/pick.h"
#include "core/model/unit.h"
#include "core/model/upstream_commit.h"
#include "core/result.h"

namespace sluice::store {

using model::Oid;

// One line of the event log. `hash` = sha256 over the previous hash and this row's content.
struct Event {
  std::int64_t seq = 0;
  std::int64_t at = 0;
  std::string type;     // e.g. "unit.landed"
  std::string subject;  // unit id, commit id, ...
  core::Json body;
  std::string hash;
};

struct RunRow {  // one `sync` (or plan) and how it ended
  std::int64_t id = 0;
  std::string command;
  std::int64_t started = 0, ended = 0;
  std::string outcome;  // "" while running; complete | needs_person | outside_failure | stopped
  std::string detail;
};

struct FetchRow {
  std::string remote;  // upstream | fork
  Oid tip;
  std::int64_t at = 0;  // last success; 0 = never
  std::int64_t tried_at = 0;
  std::string error;  // of the last try, empty = fine
};

struct LandingRow {
  std::int64_t id = 0;
  std::string unit;
  std::string ref;
  Oid base, commit, tree;
  std::string state;  // intent | landed | abandoned
  std::string verdict_digest;
  std::int64_t at = 0;
};

// A parked unit in the hands of a person. One a unit.
struct TakeRow {
  std::string unit, owner;
  Oid base, head;         // trunk when it was taken; the commit that the person was given
  std::string branch;     // refs/heads/... of the store that holds it
  std::string work_tree;  // directory; "" = the branch alone
  std::int64_t at = 0;
};

// What somebody should look at, and the first command to run.
struct AlertRow {
  std::string key;      // identity: raised twice it is one alert, e.g. "take.stale c-0123456789"
  std::string kind;     // trunk_rewound | take_stale | review_due | fetch_failing | ...
  std::string text;     // one sentence for people
  std::string command;  // what to run first
  std::int64_t opened_at = 0, closed_at = 0;  // closed_at 0 = open
};

struct RememberedRow {
  std::string key;     // sha256 of the normalised preimages
  std::string answer;  // the text that landed
  std::string rule;
  std::string unit;
  std::int64_t at = 0;
  std::string path, base, ours, theirs;  // the conflict; empty in rows of before they were kept
};

class Store {
 public:
  // Opens or creates `<dir>/sluice.db`, runs the migrations. Errors: invalid when the schema is newer
  // than this program (both numbers named), denied, transient.
  static Result<Store> open(const std::string& dir);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Rolls back in its destructor unless committed. BEGIN IMMEDIATE. A begin() while one is alive joins it:
  // only the commit of the outer one commits, and a joined one that goes without commit() dooms it. Without
  // one every put is its own transaction. REQUIRES: ends before the Store does.
  struct State;
  class Transaction {
   public:
    Transaction(Transaction&& o) noexcept;
    ~Transaction();
    // Errors: those of a write, or the error of the write that failed in it (then nothing is changed).
    Result<void> commit();

   private:
    friend class Store;
    Transaction(State* state, bool joined) : state_(state), joined_(joined) {}
    State* state_;  // null once it has ended; not owned
    bool joined_ = false;
  };
  Result<Transaction> begin();

  int schema_version() const;
  // The time of events whose call brings none (put_unit, put_intent, close_landing, clear_facts). Without
  // it they carry the time of the event before them.
  void set_now(std::int64_t now);
  // Reads the whole file. Errors: internal, with SQLite's first finding.
  Result<void> check_integrity();

  // commits (facts)
  Result<void> put_facts(const model::UpstreamCommit& commit);
  Result<std::optional<model::UpstreamCommit>> facts(const Oid& oid);
  Result<void> put_facts_many(const std::vector<model::UpstreamCommit>& commits);  // one transaction
  Result<std::vector<model::UpstreamCommit>> facts_many();                         // all of them, by position
  Result<std::map<Oid, std::int64_t>> committer_times();  // without reading the facts themselves
  Result<std::vector<Oid>> fact_oids();                   // by position
  Result<void> clear_facts();                             // after a rewritten upstream, by an operator
  // ledger
  // Insert or replace; also an event. A row that differs in `at` alone is the same decision made
  // again: the time of the first one stays.
  Result<void> put_ledger(const model::LedgerRow& row);
  Result<void> put_ledger_many(const std::vector<model::LedgerRow>& rows);  // one transaction
  Result<std::optional<model::LedgerRow>> ledger(const Oid& upstream);
  Result<std::vector<model::LedgerRow>> ledger_all();  // by position; rows that are not pending
  // Rows that are pending again after a decision, with its reason: offered again by a person.
  Result<std::vector<model::LedgerRow>> ledger_offered();
  // units
  Result<void> put_unit(const model::Unit& unit);  // insert or update; also an event
  Result<std::optional<model::Unit>> unit(const std::string& id);
  Result<std::vector<model::Unit>> units();  // newest first
  // evidence, verdicts
  Result<void> put_evidence(const std::string& key_environment, const model::Evidence& evidence);
  // Last stored result of (tree, suite, environment digest).
  Result<std::optional<model::Evidence>> evidence(const Oid& tree, const std::string& suite,
                                                  const std::string& environment);
  // All of them, oldest first.
  Result<std::vector<model::Evidence>> all_evidence(const Oid& tree, const std::string& suite, const std::string& environment);
  Result<void> put_verdict(const std::string& unit, const std::string& digest, const core::Json& record);
  Result<std::optional<core::Json>> verdict(const std::string& digest);
  Result<std::optional<core::Json>> last_verdict(const std::string& unit);
  // proposals: the record of a unit's resolutions and conflicts, for people (JSON document)
  Result<void> put_proposal(const std::string& unit, const core::Json& record);
  Result<std::optional<core::Json>> proposal(const std::string& unit);
  // landings (journal)
  // An event; an equal intent that is still open gives its id again.
  Result<std::int64_t> put_intent(const LandingRow& row);
  // state: landed | abandoned. An event. Errors: not_found, conflict (closed with the other state).
  Result<void> close_landing(std::int64_t id, const std::string& state);
  Result<std::vector<LandingRow>> open_landings();
  Result<std::vector<LandingRow>> landings();  // newest first
  // takes: an event each (take.taken, take.released)
  Result<void> put_take(const TakeRow& row);
  Result<std::optional<TakeRow>> take(const std::string& unit);
  Result<std::vector<TakeRow>> takes();  // oldest first
  Result<void> remove_take(const std::string& unit, const std::string& why);
  // alerts: an event each time one opens or closes
  // True when it was not open before. An open one keeps its time; its text and command follow `row`.
  Result<bool> raise_alert(const AlertRow& row);
  Result<bool> close_alert(const std::string& key, std::int64_t at);  // false: none of that key is open
  Result<std::vector<AlertRow>> alerts(bool open_only);               // oldest first
  // remembered resolutions
  Result<void> put_remembered(const RememberedRow& row);
  Result<std::optional<RememberedRow>> remembered(const std::string& key);
  Result<std::vector<RememberedRow>> remembered_of(const std::string& path, std::size_t max);  // newest first
  // runs, fetches, pins, key-value
  Result<std::int64_t> start_run(const std::string& command, std::int64_t at);
  Result<void> end_run(std::int64_t id, const std::string& outcome, const std::string& detail,
                       std::int64_t at);
  Result<std::optional<RunRow>> last_run(const std::string& command);  // "" = any
  Result<void> put_fetch(const FetchRow& row);
  Result<std::optional<FetchRow>> fetch(const std::string& remote);
  Result<void> put_value(const std::string& key, const std::string& value);
  Result<std::optional<std::string>> value(const std::string& key);
  // pick cache: (upstream, onto tree, recipe) -> status, result tree, conflicts (JSON)
  Result<void> put_pick(const std::string& recipe, const model::Pick& pick);
  Result<void> put_pick_many(const std::string& recipe, const std::vector<model::Pick>& picks);
  Result<std::optional<model::Pick>> pick(const std::string& recipe, const Oid& upstream, const Oid& onto);
  // plans: the whole answer for equal inputs; the newest few are kept
  Result<void> put_plan(const std::string& inputs_sha256, const std::string& json);
  Result<std::optional<std::string>> plan(const std::string& inputs_sha256);
  // events
  Result<void> append_event(const std::string& type, const std::string& subject, core::Json body,
                            std::int64_t at);
  Result<std::vector<Event>> events(std::int64_t after_seq, std::size_t max);
  // Recomputes the chain. Errors: invalid, naming the first broken row.
  Result<std::int64_t> verify_events();

 private:
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sluice::store
