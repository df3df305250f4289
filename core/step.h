// SPDX-License-Identifier: Apache-2.0
// Stored steps: the places between two durable changes (a committed transaction, a moved ref, a push). A
// process may end at any of them, and the next one goes on from what is stored. Tests end it there:
//
//   SLUICE_STEPS=FILE          append the name of every step that is passed
//   SLUICE_STOP_AT=N           SIGKILL to this process at the Nth step
//   SLUICE_STOP_AT=NAME[:K]    ... at the Kth step of that name
//
// Both are read once; without them a step costs one load.
#pragma once

#include <string_view>

namespace sluice::core {

// The durable change `name` is done, e.g. "store unit.landed", "git refs/sluice/fork", "push refs/heads/main".
// A name that starts with "before " stands in front of one.
void step(std::string_view name);

}  // namespace sluice::core
