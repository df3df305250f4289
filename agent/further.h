// SPDX-License-Identifier: Apache-2.0
// The rungs after `proven`: candidates of the rules, merge drivers, a model. They work on a buffer of the whole pick,
// because what they answer counts only together and only once the static rules have nothing against it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/agent.h"

namespace sluice::agent {

// What `remembered` and `proven` made of the pick.
struct Sure {
  std::vector<model::Conflict> open;          // conflicts that are not answered in full
  model::Oid merged;                          // M with the files that they answered in full filled in
  std::map<std::string, std::pair<std::string, model::Resolution>> answers;  // region id -> text; of files still open
};

// Improves `answer`, which holds what Sure says. Errors: as propose().
Result<void> climb_further(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream,
                           const model::Pick& pick, const Sure& sure, Answer& answer);

// What preview() of agent.h gives for it.
Result<std::string> preview_further(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream,
                                    const model::Pick& pick, const Sure& sure, const Answer& answer);

}  // namespace sluice::agent
