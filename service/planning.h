// SPDX-License-Identifier: Apache-2.0
// Stage 1: what came in, what depends on what, where each commit goes, and how its pick would end.
// Reads and stores facts, ids and verdicts; every object it writes lives in a scratch repository.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/json.h"
#include "ingest/ingest.h"
#include "service/app.h"
#include "service/remotes.h"

namespace sluice::service {

// Everything a plan knows: the answer of `sluice plan`, and what `sync` works from.
struct Plan {
  Remotes remotes;
  Oid trunk_tree;
  ingest::ReadOutcome line;
  ingest::ImportOutcome imported;
  std::map<Oid, model::LedgerRow> ledger;              // after the import
  std::map<Oid, std::int64_t> committer_time;          // of the whole line
  ingest::RoutePlan route;
  std::map<Oid, model::UpstreamCommit> facts;          // of the routed commits
  std::vector<model::Unit> stored_units;               // in the store already, newest first
  model::Pins pins;
  model::Metrics metrics;
};

// Facts, import and ledger only: everything but routing. For status, ledger and report.
Result<Plan> look(App& app, const Remotes& remotes);
// Routes and predicted picks on top of `look`.
Result<Plan> make_plan(App& app, const Remotes& remotes);

// sluice.plan/1 (DESIGN section 8).
core::Json plan_json(App& app, const Plan& plan);
// The same for unchanged inputs (both tips, policy, ledger, recipe) straight from the store.
Result<core::Json> plan_document(App& app, const Remotes& remotes);

}  // namespace sluice::service
