// SPDX-License-Identifier: Apache-2.0
// A person's commits, read as an answer to a unit: which commits belong to which pick, what is unfinished.
#pragma once

#include "core/model/unit.h"
#include "service/folding.h"
#include "service/submission.h"
#include "store/store.h"

namespace sluice::service {

// `head` is in the store. Boundaries between picks are the trailers Upstream-Commit. Picks that the person left
// as the machine made them get no answer: they are made again on the base of the day.
// Errors: invalid, each with what to do: history that does not stand on `taken.base` or later on trunk, merges,
// missing boundaries, conflict markers left, files that git made for the conflict.
Result<Submission> read_submission(App& app, Folder& folder, const model::Unit& unit, const store::TakeRow& taken,
                                   const Oid& trunk, const Oid& head, const std::string& who);

}  // namespace sluice::service
