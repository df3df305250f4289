// SPDX-License-Identifier: Apache-2.0
// The search for the member that turned a bundle red, over prefix trees.
#include <set>

#include "landing/landing.h"

namespace sluice::landing {

Need next_need(std::size_t members, const std::vector<core::Probe>& seen) {
  const core::SearchStep step = core::next_step(members, seen, core::search_budget(members));
  switch (step.kind) {
    case core::SearchStep::Kind::probe: return {Need::Kind::validate, step.prefix};
    // Prefixes that could not be built hide which of several members it was: no one is named for it.
    case core::SearchStep::Kind::culprit:
      if (step.first == step.last) return {Need::Kind::eject, step.prefix};
      return {Need::Kind::give_up, 0};
    case core::SearchStep::Kind::exhausted: break;
  }
  return {Need::Kind::give_up, 0};
}

std::vector<std::size_t> with_dependents(const std::vector<Oid>& members,
                                         const std::vector<std::vector<Oid>>& depends_on, std::size_t culprit) {
  std::set<Oid> out{members[culprit]};
  std::vector<std::size_t> indices{culprit};
  for (std::size_t i = culprit + 1; i < members.size(); ++i) {
    for (const Oid& needed : depends_on[i]) {
      if (!out.contains(needed)) continue;
      out.insert(members[i]);
      indices.push_back(i);
      break;
    }
  }
  return indices;
}

}  // namespace sluice::landing
