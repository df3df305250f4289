// SPDX-License-Identifier: Apache-2.0
#include "ingest/recognise.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>


namespace sluice::ingest {
namespace {

// Of one landing: a squash has about as many members as a bundle, and a few starts are tried.
constexpr std::int64_t most_picks_of_one = 160;
constexpr std::size_t most_paths = 4000;  // what touches more is no pick of a commit that waits

}  // namespace

struct Candidates::State {
  struct Entry {
    Oid oid;
    std::set<std::string, std::less<>> paths;
  };

  std::vector<Entry> entries;  // upstream order
  std::set<std::size_t> open;
  std::map<Oid, std::size_t, std::less<>> by_oid;
  std::unordered_map<std::string, std::vector<std::size_t>> by_path;
  std::vector<KnownFold> folds;
};

Candidates::Candidates(std::unique_ptr<State> state) : state_(std::move(state)) {}
Candidates::Candidates(Candidates&&) noexcept = default;
Candidates& Candidates::operator=(Candidates&&) noexcept = default;
Candidates::~Candidates() = default;

Candidates Candidates::make(std::vector<model::UpstreamCommit> open, std::vector<KnownFold> folds) {
  auto state = std::make_unique<State>();
  for (model::UpstreamCommit& commit : open) {
    const std::size_t index = state->entries.size();
    State::Entry entry{commit.oid, {}};
    for (model::FileChange& file : commit.files) {
      entry.paths.insert(file.path);
      if (!file.old_path.empty()) entry.paths.insert(std::move(file.old_path));
    }
    for (const std::string& path : entry.paths) state->by_path[path].push_back(index);
    state->by_oid.emplace(entry.oid, index);
    state->open.insert(index);
    state->entries.push_back(std::move(entry));
  }
  state->folds = std::move(folds);
  return Candidates(std::move(state));
}

void Candidates::settle(const Oid& upstream) {
  if (const auto at = state_->by_oid.find(upstream); at != state_->by_oid.end()) state_->open.erase(at->second);
}

bool Candidates::empty() const { return state_->open.empty(); }

namespace {

using State = Candidates::State;

// One landing while it is compared.
class Comparison {
 public:
  Comparison(const git::Reader& reader, const git::Commit& landed, const State& state, const PickFn& pick, MatchBudget& budget)
      : reader_(reader), landed_(landed), state_(state), pick_(pick), budget_(budget) {}

  Result<std::vector<Oid>> run() {
    TRY_ASSIGN(before_, reader_.tree_of(landed_.parents.front()));
    if (before_ == landed_.tree) return std::vector<Oid>{};
    TRY_ASSIGN(auto members, by_tree());
    if (members.empty() && out_of_picks_) ++budget_.untried;
    return members;
  }

 private:
  std::vector<std::size_t> indices(const std::vector<Oid>& oids) const {
    std::vector<std::size_t> out;
    for (const Oid& oid : oids) out.push_back(state_.by_oid.at(oid));
    return out;
  }
  std::vector<Oid> oids(const std::vector<std::size_t>& members) const {
    std::vector<Oid> out;
    for (const std::size_t k : members) out.push_back(state_.entries[k].oid);
    return out;
  }

  // The next tree, or nothing: a pick that is not clean, or no picks left.
  std::optional<Oid> onto(std::size_t member, const Oid& tree) {
    if (budget_.picks <= 0 || mine_ >= most_picks_of_one) {
      out_of_picks_ = true;
      return std::nullopt;
    }
    --budget_.picks;
    ++budget_.picked;
    ++mine_;
    const model::Pick pick = pick_(state_.entries[member].oid, tree);
    if (pick.status != model::PickStatus::clean) return std::nullopt;
    return pick.tree;
  }

  bool folds_to_landed(const std::vector<std::size_t>& members) {
    Oid tree = before_;
    for (const std::size_t member : members) {
      const auto next = onto(member, tree);
      if (!next) return false;
      tree = *next;
    }
    return !members.empty() && tree == landed_.tree;
  }

  // Does the member touch nothing outside the landing, but for paths that the fork does not have?
  Result<bool> inside(std::size_t member, std::size_t& shared) const {
    shared = 0;
    for (const std::string& path : state_.entries[member].paths) {
      if (paths_.contains(path)) {
        ++shared;
        continue;
      }
      TRY_ASSIGN(const auto there, reader_.entry(before_, path));
      if (there) return false;
    }
    return shared > 0;
  }

  Result<std::vector<Oid>> by_tree() {
    for (const KnownFold& fold : state_.folds) {
      if (fold.tree != landed_.tree || fold.base_tree != before_ || fold.members.empty()) continue;
      if (all_open(fold.members)) return fold.members;
    }
    TRY_ASSIGN(const auto deltas, reader_.diff_trees(before_, landed_.tree));
    if (deltas.size() > most_paths) return std::vector<Oid>{};
    std::set<std::size_t> touching;
    for (const git::TreeDelta& delta : deltas) {
      paths_.insert(delta.path);
      const auto at = state_.by_path.find(delta.path);
      if (at == state_.by_path.end()) return std::vector<Oid>{};  // of the fork alone
      for (const std::size_t k : at->second)
        if (state_.open.contains(k)) touching.insert(k);
    }
    std::vector<std::size_t> inner;
    for (const std::size_t k : touching) {
      std::size_t shared = 0;
      TRY_ASSIGN(const bool fits, inside(k, shared));
      if (!fits) continue;
      inner.push_back(k);
      if (shared == paths_.size() && folds_to_landed({k})) return oids({k});
    }
    if (inner.size() < 2) return std::vector<Oid>{};
    for (const KnownFold& fold : state_.folds) {
      if (fold.members.size() < 2 || !all_open(fold.members)) continue;
      const auto members = indices(fold.members);
      if (std::includes(inner.begin(), inner.end(), members.begin(), members.end()) && folds_to_landed(members)) return fold.members;
    }
    return runs_of(inner);
  }

  bool all_open(const std::vector<Oid>& members) const {
    return std::all_of(members.begin(), members.end(), [&](const Oid& oid) {
      const auto at = state_.by_oid.find(oid);
      return at != state_.by_oid.end() && state_.open.contains(at->second);
    });
  }

  // Consecutive ones of those inside, from each start on, as far as they pick.
  Result<std::vector<Oid>> runs_of(const std::vector<std::size_t>& inner) {
    for (std::size_t start = 0; start + 1 < inner.size() && !out_of_picks_; ++start) {
      Oid tree = before_;
      std::vector<std::size_t> run;
      for (std::size_t k = start; k < inner.size(); ++k) {
        const auto next = onto(inner[k], tree);
        if (!next) break;
        tree = *next;
        run.push_back(inner[k]);
        if (run.size() > 1 && tree == landed_.tree) return oids(run);
      }
    }
    return std::vector<Oid>{};
  }

  const git::Reader& reader_;
  const git::Commit& landed_;
  const State& state_;
  const PickFn& pick_;
  MatchBudget& budget_;
  Oid before_;
  std::set<std::string, std::less<>> paths_;  // that the landing touches
  std::int64_t mine_ = 0;
  bool out_of_picks_ = false;
};

}  // namespace

Result<std::vector<Oid>> match_trees(const git::Reader& reader, const git::Commit& landed, const Candidates& candidates,
                                     const PickFn& pick, MatchBudget& budget) {
  if (landed.parents.size() != 1 || candidates.empty()) return std::vector<Oid>{};
  return Comparison(reader, landed, candidates.state(), pick, budget).run();
}

}  // namespace sluice::ingest
