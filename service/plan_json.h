// SPDX-License-Identifier: Apache-2.0
// Pieces of the JSON documents that several commands print alike.
#pragma once

#include "core/json.h"
#include "service/planning.h"

namespace sluice::service {

core::Json upstream_json(App& app, const Remotes& remotes);  // {head, fetched_at, fetch_age_s, stale, error?}
core::Json metrics_json(const model::Metrics& metrics);
core::Json pins_json(const model::Pins& pins);  // {contiguous:{position, oid}, frontier:{position, oid}}
core::Json unit_json(const model::Unit& unit);

}  // namespace sluice::service
