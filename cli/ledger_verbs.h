// SPDX-License-Identifier: Apache-2.0
// The verbs of `sluice ledger` that undo, reopen and repair.
#pragma once

#include "cli/command.h"

namespace sluice::cli {

// Adds back-out, reopen, rebuild and rewritten to `ledger`.
void add_ledger_verbs(CLI::App& ledger, Context& context);

}  // namespace sluice::cli
