// SPDX-License-Identifier: Apache-2.0
// Front door of landing/: the queue. It takes a Clearance and nothing else; it runs nothing and asks no
// agent. What it needs from outside it returns as a value, and `service` drives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/model/config.h"
#include "core/model/proposal.h"
#include "core/model/verdict.h"
#include "core/result.h"
#include "core/search.h"
#include "git/git.h"
#include "store/store.h"

namespace sluice::landing {

using model::Oid;

// While this branch exists on the fork's remote nothing lands, whoever made it.
inline constexpr const char* stop_branch = "sluice-stop";

// How one attempt to move trunk ended. All but `landed` leave trunk as it was.
struct LandOutcome {
  enum class Kind {
    landed,    // trunk is at the cleared commit, read back and compared
    moved,     // trunk went forward meanwhile: pick and judge again on the new tip
    rewound,   // trunk is no longer a descendant of the judged base: stop the line
    stopped,   // the stop branch exists on the remote, or the caller's brake is on
    rejected,  // permission, hook, protected branch: a person must change something; not retried
    lost,      // no answer and trunk unchanged: an outside failure, try later
    mismatch,  // after the swap the ref holds another tree than the one judged: stop the line
  } kind = Kind::lost;
  Oid tip;             // trunk as read last
  std::string detail;  // for people
};

// One operation of a restart: what the journal said and what the ref says.
struct Recovered {
  store::LandingRow row;
  bool landed = false;  // trunk contains the commit
  Oid tip;              // trunk now
};

// The only place that moves trunk. One per process; not thread-safe.
class Queue {
 public:
  Queue(git::Repo& repo, store::Store& store, const model::Config& config, const core::Clock& clock);

  // Compare-and-swap of trunk from proposal.base to the last member's commit (GUARDRAILS 7.1):
  // clearance checked again, journal `intent`, push with lease, ref read back. The journal row is closed
  // here when trunk did not move; after `landed` the caller closes it together with the ledger.
  // REQUIRES: every member's commit is written. Errors: denied (clearance is for something else),
  // internal (commits do not form the judged stack), store errors before the swap. After the swap it
  // does not fail. `brake` is asked last before the push: why it must not go on; empty = go.
  Result<LandOutcome> land(const model::Proposal& proposal, const model::Clearance& clearance,
                           const std::function<std::string()>& brake = {});

  // Journal rows that a crash left open, decided by the ref: landed if trunk contains the commit,
  // abandoned otherwise. The caller closes each together with its unit. Errors: transient when trunk
  // cannot be read.
  Result<std::vector<Recovered>> recover();

 private:
  Result<void> check_stack(const model::Proposal& proposal, const model::Clearance& clearance) const;
  git::Repo& repo_;
  store::Store& store_;
  const model::Config& config_;
  const core::Clock& clock_;
};

// What a unit whose suites are red needs next. Pure; `service` runs the probes.
struct Need {
  enum class Kind {
    validate,  // run the failing suites on the tree after `prefix` members
    eject,     // member `prefix` (1-based) is the culprit: eject it and what depends on it
    give_up,   // no single culprit within the budget: the members go one by one
  } kind = Kind::give_up;
  std::size_t prefix = 0;
};
Need next_need(std::size_t members, const std::vector<core::Probe>& seen);

// Indices (0-based) of `culprit` and of every later member that depends on an ejected one, directly or
// not. `depends_on[i]` lists upstream commits that member i needs.
std::vector<std::size_t> with_dependents(const std::vector<Oid>& members,
                                         const std::vector<std::vector<Oid>>& depends_on, std::size_t culprit);

}  // namespace sluice::landing
