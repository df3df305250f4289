// SPDX-License-Identifier: Apache-2.0
// Whether one commit takes back exactly what another did.
#pragma once

#include "core/model/upstream_commit.h"

namespace sluice::ingest {

// Same files with modes swapped, and for each file swapped blobs, or the same hunks with removed and added
// lines swapped (other commits may have changed other lines in between).
bool exact_inverse(const model::UpstreamCommit& original, const model::UpstreamCommit& revert);

}  // namespace sluice::ingest
