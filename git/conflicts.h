// SPDX-License-Identifier: Apache-2.0
// merge-tree's answer as conflicts by path. Inner header of git/.
#pragma once

#include <string>
#include <vector>

#include "core/model/pick.h"
#include "git/merge_process.h"

namespace sluice::git {

// `labels` = the two names given to merge-tree: where both sides need the same path, git puts one of
// them at `path~LABEL`. The conflict's path is mapped back; its stages keep the path that stands in M.
std::vector<model::Conflict> conflicts_of(const MergeAnswer& answer, const std::vector<std::string>& labels);

// Complete diff3 regions in a merged file.
int count_regions(std::string_view merged);

}  // namespace sluice::git
