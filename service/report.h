// SPDX-License-Identifier: Apache-2.0
// Where things stand, for people and for programs: `status`, `ledger`, `report`.
#pragma once

#include <cstdint>
#include <string>

#include "core/json.h"
#include "service/planning.h"
#include "service/sync.h"

namespace sluice::service {

core::Json status_json(App& app, const Plan& plan);  // sluice.status/1
std::string status_text(App& app, const Plan& plan);

// sluice.ledger/1. `now` decides what is overdue; 0 = nothing is.
core::Json ledger_json(const Plan& plan, std::int64_t now = 0);
// A back-out or deferral whose day has come, and that is open still.
bool is_overdue(const model::LedgerRow& row, std::int64_t now);
std::string ledger_text(App& app, const Plan& plan);
// One row that a person has just written.
core::Json ledger_change_json(const model::LedgerRow& row);  // sluice.ledger-change/1
std::string ledger_change_text(App& app, const model::LedgerRow& row);

// The bundle report of DOMAIN 5.5 over everything that has been decided: picked, handling routes,
// durable dispositions, deferred with reasons, won't-port, two pins.
core::Json report_json(App& app, const Plan& plan);  // sluice.report/1
std::string report_markdown(App& app, const Plan& plan);

// From the document of `plan`, so that a stored plan prints like a fresh one.
std::string plan_text(const core::Json& document);
// Everything known about one commit: route, reasons, pick, dependencies, ledger. `oid` may be abbreviated.
// Errors: not_found, invalid (ambiguous).
Result<std::string> explain_text(App& app, const core::Json& document, const std::string& oid);

}  // namespace sluice::service
