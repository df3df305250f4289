// SPDX-License-Identifier: Apache-2.0
#include "ingest/recognise.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/text.h"
#include "ingest/trailers.h"

namespace sluice::ingest {
namespace {

// Of one landing: a squash has about as many members as a bundle, and a few starts are tried.
constexpr std::int64_t most_picks_of_one = 160;
constexpr std::size_t most_paths = 4000;  // what touches more is no pick of a commit that waits

std::string bare_subject(std::string_view message) {
  std::string_view subject = core::trim(message.substr(0, message.find('\n')));
  // A review tool adds its own number behind upstream's.
  while (subject.ends_with(')')) {
    const std::size_t open = subject.rfind("(#");
    if (open == std::string_view::npos) break;
    const std::string_view digits = subject.substr(open + 2, subject.size() - open - 3);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) break;
    subject = core::trim(subject.substr(0, open));
  }
  return std::string(subject);
}

}  // namespace

std::string_view to_string(MatchHow how) {
  switch (how) {
    case MatchHow::trailer: return "trailer";
    case MatchHow::pattern: return "pattern";
    case MatchHow::subject: return "subject";
    case MatchHow::tree: return "tree";
    case MatchHow::none: break;
  }
  return "none";
}

struct Candidates::State {
  struct Entry {
    Oid oid;
    std::string subject;
    std::set<std::string, std::less<>> paths;
  };

  explicit State(TrailerRules trailer_rules) : rules(std::move(trailer_rules)) {}

  TrailerRules rules;
  std::vector<Entry> entries;  // upstream order
  std::set<std::size_t> open;
  std::map<Oid, std::size_t, std::less<>> by_oid;
  std::unordered_map<std::string, std::vector<std::size_t>> by_path;
  std::unordered_multimap<std::string, std::size_t> by_subject;
  std::vector<KnownFold> folds;

  // The one open candidate whose id begins with `sha`.
  std::optional<std::size_t> named(const std::string& sha) const {
    std::optional<std::size_t> found;
    for (auto at = by_oid.lower_bound(sha); at != by_oid.end() && at->first.starts_with(sha); ++at) {
      if (found) return std::nullopt;
      found = at->second;
    }
    return found && open.contains(*found) ? found : std::nullopt;
  }
};

Candidates::Candidates(std::unique_ptr<State> state) : state_(std::move(state)) {}
Candidates::Candidates(Candidates&&) noexcept = default;
Candidates& Candidates::operator=(Candidates&&) noexcept = default;
Candidates::~Candidates() = default;

Result<Candidates> Candidates::make(std::vector<model::UpstreamCommit> open, const std::vector<std::string>& patterns,
                                    std::vector<KnownFold> folds) {
  TRY_ASSIGN(TrailerRules rules, TrailerRules::compile(patterns));
  auto state = std::make_unique<State>(std::move(rules));
  for (model::UpstreamCommit& commit : open) {
    const std::size_t index = state->entries.size();
    State::Entry entry{commit.oid, bare_subject(commit.subject), {}};
    for (model::FileChange& file : commit.files) {
      entry.paths.insert(file.path);
      if (!file.old_path.empty()) entry.paths.insert(std::move(file.old_path));
    }
    for (const std::string& path : entry.paths) state->by_path[path].push_back(index);
    if (!entry.subject.empty()) state->by_subject.emplace(entry.subject, index);
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

  Result<LandingMatch> run() {
    TRY_ASSIGN(before_, reader_.tree_of(landed_.parents.front()));
    LandingMatch match = by_text();
    if (match.how != MatchHow::none) {
      match.exact = folds_to_landed(indices(match.upstream));
      if (!match.exact && out_of_picks_) ++budget_.untried;
      return match;
    }
    if (before_ == landed_.tree) return match;
    TRY_ASSIGN(auto members, by_tree());
    if (!members.empty()) {
      match.upstream = std::move(members);
      match.how = MatchHow::tree;
      match.exact = true;
      return match;
    }
    if (out_of_picks_) ++budget_.untried;
    return by_subject();
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

  LandingMatch by_text() const {
    std::set<std::size_t> own, configured;
    for (const Carried& carried : state_.rules.scan(landed_.message).carried) {
      if (carried.disposition != model::Disposition::picked && carried.disposition != model::Disposition::adapted) continue;
      if (const auto found = state_.named(carried.sha)) (carried.configured ? configured : own).insert(*found);
    }
    LandingMatch out;
    if (own.empty() && configured.empty()) return out;
    out.how = own.empty() ? MatchHow::pattern : MatchHow::trailer;
    own.insert(configured.begin(), configured.end());
    out.upstream = oids({own.begin(), own.end()});
    return out;
  }

  LandingMatch by_subject() const {
    LandingMatch out;
    const auto [first, last] = state_.by_subject.equal_range(bare_subject(landed_.message));
    std::optional<std::size_t> found;
    for (auto at = first; at != last; ++at) {
      if (!state_.open.contains(at->second)) continue;
      if (found) return out;
      found = at->second;
    }
    if (!found) return out;
    out.how = MatchHow::subject;
    out.upstream = oids({*found});
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

Result<LandingMatch> match_landing(const git::Reader& reader, const git::Commit& landed, const Candidates& candidates,
                                   const PickFn& pick, MatchBudget& budget) {
  if (landed.parents.size() != 1 || candidates.empty()) return LandingMatch{};
  return Comparison(reader, landed, candidates.state(), pick, budget).run();
}

}  // namespace sluice::ingest
