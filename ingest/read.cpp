// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <utility>

#include "core/text.h"
#include "ingest/facts.h"
#include "ingest/ingest.h"

namespace sluice::ingest {
namespace {

constexpr std::size_t batch_size = 200;  // commits a transaction: what a crash may cost again
constexpr const char* base_key = "ingest.base";

Error rewritten(const std::string& what, const Oid& tip) {
  return make_error(
      ErrorKind::conflict,
      fmt::format("upstream_rewritten: {} was on the recorded upstream line and cannot be reached from the "
                  "tip {} any more; nothing was changed. look at upstream's history first; when the new one "
                  "is right, note the open deferrals and move the store away: the next run reads everything "
                  "again and takes the ledger from the fork's trailers",
                  what, tip));
}

Result<std::string> describe(store::Store& store, const Oid& oid) {
  TRY_ASSIGN(const auto facts, store.facts(oid));
  return facts ? fmt::format("commit {} \"{}\"", oid, core::printable(facts->subject, 80)) : "commit " + oid;
}

// Position 0. The recorded base stays as long as both histories still contain it.
Result<Oid> choose_base(git::Repo& repo, store::Store& store, const Oid& fork_tip, const Oid& upstream_tip) {
  TRY_ASSIGN(const auto stored, store.value(base_key));
  if (stored) {
    const bool known = repo.reader().has(*stored);
    bool upstream_has = false;
    if (known) {
      TRY_ASSIGN(upstream_has, repo.reader().is_ancestor(*stored, upstream_tip));
    }
    if (!upstream_has) return rewritten("the fork base " + *stored, upstream_tip);
    TRY_ASSIGN(const bool fork_has, repo.reader().is_ancestor(*stored, fork_tip));
    if (fork_has) return *stored;
  }
  return repo.reader().merge_base(fork_tip, upstream_tip);
}

using Positions = std::unordered_map<std::string_view, std::int64_t>;

Positions positions_of(const std::vector<Oid>& line) {
  Positions positions;
  positions.reserve(line.size());
  std::int64_t position = 0;
  for (const Oid& oid : line) positions.emplace(oid, ++position);
  return positions;
}

// Every stored commit must be on the line. With a tip pinned by id the line may end before the last ones.
Result<void> check_stored(store::Store& store, const std::vector<Oid>& stored, const Positions& positions,
                          const model::Config& config, const Oid& upstream_tip) {
  bool beyond = false;
  const bool pinned = model::is_oid(config.upstream.branch);
  for (const Oid& oid : stored) {
    const bool on_line = positions.contains(oid);
    if (!on_line && !beyond) {
      beyond = pinned && positions.contains(stored.front()) && positions.size() < stored.size() &&
               stored[positions.size() - 1] == upstream_tip;
      if (!beyond) {
        TRY_ASSIGN(const std::string words, describe(store, oid));
        return rewritten(words, upstream_tip);
      }
    }
  }
  return {};
}

// After the fork was moved to an older base the line is longer at its beginning.
Result<void> renumber(store::Store& store, const Positions& positions) {
  TRY_ASSIGN(auto facts, store.facts_many());
  TRY_ASSIGN(auto rows, store.ledger_all());
  const auto moves = [&](const Oid& oid, std::int64_t& position) {
    const auto at = positions.find(oid);
    if (at == positions.end() || at->second == position) return false;
    position = at->second;
    return true;
  };
  std::erase_if(facts, [&](auto& commit) { return !moves(commit.oid, commit.position); });
  std::erase_if(rows, [&](auto& row) { return !moves(row.upstream, row.position); });
  TRY(store.put_facts_many(facts));
  return store.put_ledger_many(rows);
}

// Opened at the first merge: most lines have none.
class MergeCheck {
 public:
  MergeCheck(git::Repo& repo, const model::PolicyConfig& policy) : repo_(&repo), policy_(&policy) {}
  // A merge that git cannot compute again counts as edited by hand: a chain, never a bundle.
  Result<bool> is_evil(const Oid& merge) {
    if (!picker_) {
      TRY_ASSIGN(auto scratch, repo_->scratch());
      scratch_.emplace(std::move(scratch));
      TRY_ASSIGN(auto picker, git::Picker::open(*scratch_, policy_->paths));
      picker_.emplace(std::move(picker));
    }
    const auto own = picker_->is_own_merge(merge);
    return !own.ok() || !own.value();
  }

 private:
  git::Repo* repo_;
  const model::PolicyConfig* policy_;
  std::optional<git::Repo> scratch_;
  std::optional<git::Picker> picker_;
};

}  // namespace

Result<ReadOutcome> read(git::Repo& repo, store::Store& store, const model::Config& config,
                         const Oid& fork_tip, const Oid& upstream_tip,
                         const std::function<void(std::int64_t, std::int64_t)>& on_progress) {
  ReadOutcome out;
  TRY_ASSIGN(out.base, choose_base(repo, store, fork_tip, upstream_tip));
  TRY_ASSIGN(out.line, repo.reader().first_parents(out.base, upstream_tip));
  const Positions positions = positions_of(out.line);
  TRY_ASSIGN(const auto stored, store.fact_oids());
  TRY(check_stored(store, stored, positions, config, upstream_tip));

  std::unordered_map<std::string_view, bool> have;
  for (const Oid& oid : stored) have.emplace(oid, true);
  std::size_t first_missing = 0;
  while (first_missing < out.line.size() && have.contains(out.line[first_missing])) ++first_missing;
  {
    TRY_ASSIGN(auto transaction, store.begin());
    TRY(store.put_value(base_key, out.base));
    if (!stored.empty() && (out.line.empty() || stored.front() != out.line.front()))
      TRY(renumber(store, positions));
    TRY(transaction.commit());
  }
  const auto total = static_cast<std::int64_t>(out.line.size());
  std::int64_t done = static_cast<std::int64_t>(first_missing);
  if (on_progress) on_progress(done, total);
  if (first_missing == out.line.size()) return out;

  TRY_ASSIGN(const MessageRules rules, MessageRules::compile());
  const Placer placer(repo.reader(), out.line);
  MergeCheck merges(repo, config.policy);
  std::vector<model::UpstreamCommit> batch;
  const auto flush = [&]() -> Result<void> {
    TRY(store.put_facts_many(batch));
    out.added += static_cast<std::int64_t>(batch.size());
    batch.clear();
    if (on_progress) on_progress(done, total);
    return {};
  };
  std::size_t expected = first_missing;
  const auto visit = [&](git::StreamedCommit&& changes) -> Result<void> {
    if (expected >= out.line.size() || changes.oid != out.line[expected])
      return make_error(ErrorKind::internal,
                        fmt::format("git log named {} where the first-parent line has {}", changes.oid,
                                    expected < out.line.size() ? out.line[expected] : "its end"));
    const auto position = static_cast<std::int64_t>(++expected);
    ++done;
    if (have.contains(changes.oid)) return {};
    TRY_ASSIGN(auto header, repo.reader().commit(changes.oid));
    auto facts = make_facts(std::move(header), std::move(changes), position, config.policy, rules, placer);
    if (facts.parents.size() > 1) {
      TRY_ASSIGN(facts.evil_merge, merges.is_evil(facts.oid));
    }
    batch.push_back(std::move(facts));
    return batch.size() >= batch_size ? flush() : Result<void>{};
  };
  const Oid after = first_missing == 0 ? out.base : out.line[first_missing - 1];
  TRY(git::stream_changes(repo, after, upstream_tip, visit));
  TRY(flush());
  if (expected != out.line.size())
    return make_error(ErrorKind::internal,
                      fmt::format("git log ended after {} of {} commits; run it again", done, total));
  return out;
}

}  // namespace sluice::ingest
