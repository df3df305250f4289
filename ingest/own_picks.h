// SPDX-License-Identifier: Apache-2.0
// People's own picks on trunk that say nothing of it: known by their trees. Inner header of the import.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "git/git.h"
#include "ingest/recognise.h"
#include "store/store.h"

namespace sluice::ingest {

// Borrows all it is given. Nothing is read and no process started before the first commit is asked about.
class OwnPicks {
 public:
  OwnPicks(git::Repo& repo, store::Store& store, const model::Config& config) : repo_(repo), store_(store), config_(config) {}

  // What `landed` brings by the proof of its tree; `settled` says which upstream commits are no candidates (asked
  // once for each, at the first call). A match is no candidate for the next call.
  Result<std::vector<Oid>> match(const git::Commit& landed, const std::function<bool(const Oid&)>& settled);
  // An upstream commit is carried by a commit that says so.
  void settle(const Oid& upstream);
  std::int64_t untried() const { return budget_.untried; }

 private:
  Result<void> open(const std::function<bool(const Oid&)>& settled);
  Result<std::vector<KnownFold>> known_folds();
  git::Repo& repo_;
  store::Store& store_;
  const model::Config& config_;
  std::optional<git::Repo> scratch_;
  std::optional<git::Picker> picker_;
  std::optional<Candidates> candidates_;
  MatchBudget budget_;
};

}  // namespace sluice::ingest
