// SPDX-License-Identifier: Apache-2.0
// Which upstream commits a landing of the team brings. The strongest hint decides, and is printed:
//
//   ancestry  a merge of the fork brings upstream's own commits
//   trailer   Upstream-Commit, `(cherry picked from commit ...)`
//   pattern   a pattern of [trailers] import
//   list      the members that a bundle's message lists (ingest/source_words.h)
//   author    upstream's subject, author and author date, as `git cherry-pick` without -x leaves them
//   subject   the subject holds an upstream subject word for word, with its (#N), and nothing that undoes it
//   tree      nothing says so, and the machine pick of an upstream commit that touches the same paths gives
//             exactly the landed tree
//
// A number alone is never a match: numbers of the fork and of upstream collide.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "git/git.h"
#include "ingest/ingest.h"
#include "ingest/naming.h"
#include "service/planning.h"

namespace sluice::service {

struct Match {
  std::vector<Oid> upstream;  // in upstream order
  std::string how, note;
  std::int64_t declared = 0;  // how many the message says it brings; 0 = it does not say
  bool final = true;          // false: candidates were left untried for the limit on picks
};

class LandingMatcher {
 public:
  // Borrows both. `max_picks`: for comparisons of trees, over all calls.
  static Result<LandingMatcher> open(App& app, const Plan& plan, std::int64_t max_picks = 256);
  Result<Match> match(const git::Commit& landed, const ingest::PickFn& pick);
  // The commit is one of upstream's own line: no landing of the team.
  bool is_upstream(const Oid& oid) const;
  std::int64_t untried() const { return untried_; }

 private:
  struct Found {
    std::int64_t position = 0;
    Oid oid;
  };
  LandingMatcher(App& app, const Plan& plan, ingest::Sources sources) : app_(&app), plan_(&plan), sources_(std::move(sources)) {}
  Result<void> by_message(const git::Commit& commit, std::vector<Found>& found, Match& match);
  Result<void> by_list(const git::Commit& commit, std::vector<Found>& found, Match& match);
  Result<void> by_header(const git::Commit& commit, std::vector<Found>& found, Match& match);
  Result<void> by_tree(const git::Commit& commit, const ingest::PickFn& pick, std::vector<Found>& found, Match& match);
  Result<void> load_paths();

  App* app_;
  const Plan* plan_;
  ingest::Sources sources_;
  bool indexed_ = false;
  std::unordered_map<std::string, std::vector<std::int64_t>> by_paths_;  // digest of the sorted paths
  std::int64_t picks_left_ = 0, untried_ = 0;
};

}  // namespace sluice::service
