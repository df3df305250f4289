// SPDX-License-Identifier: Apache-2.0
// START READING HERE. The way of one upstream commit, stage by stage:
//
//   0  fetch_remotes, check_trunk   both repositories up to date; trunk only ever went forward   remotes.h
//   1  make_plan                    facts, dependencies, routes, units, predicted picks           planning.h
//   2  Folder::fold                 the unit's commits picked one on the other; conflicts go to    folding.h
//   3                               the resolver ladder (agent::propose)
//   4  guardrails::judge_diff       policy on the diff, before anything is built                  unit_run.h
//      Validator::run               suites in the sandbox, on trunk and on the candidate           validating.h
//      guardrails::judge_unit       evidence -> verdict; red -> bisect, eject, again               unit_run.h
//   5  landing::Queue::land         clearance -> compare-and-swap of trunk                         landing/landing.h
//      record_landed / record_parked   what it means for the ledger                                ledger_writes.h
//
// A parked unit goes to a person and comes back as an answer that takes the place of the ladder: handover.h,
// submission_run.h.
//
// `sync` (sync.h) runs them for every unit and starts again from 0 when trunk moved meanwhile. `observe`
// stops after 4. Each stage is a function from one stored state to the next and can be run again.
#pragma once

#include "service/alerts.h"
#include "service/app.h"
#include "service/audit.h"
#include "service/backtest.h"
#include "service/calibrate.h"
#include "service/canary/canary.h"
#include "service/catalogue_text.h"
#include "service/doctor.h"
#include "service/gate.h"
#include "service/handover.h"
#include "service/init.h"
#include "service/ledger_ops.h"
#include "service/model/model_ops.h"
#include "service/observe.h"
#include "service/pause.h"
#include "service/planning.h"
#include "service/rebuild.h"
#include "service/remotes.h"
#include "service/report.h"
#include "service/rewritten.h"
#include "service/reverting.h"
#include "service/submission_run.h"
#include "service/sync.h"
#include "service/urgent.h"
