// SPDX-License-Identifier: Apache-2.0
// Merges that are known beforehand, piped into one `git merge-tree --stdin` at once: what git itself needs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/line.h"

namespace sluice::bench {

using Requests = std::vector<std::pair<Oid, Oid>>;  // tree picked onto, commit

// Seconds. It starts from a scratch repository that holds the trees of `made` that are merged onto, and
// nothing else of it.
double pipe_at_once(Line& line, const git::Repo& made, const Requests& requests);

}  // namespace sluice::bench
