// SPDX-License-Identifier: Apache-2.0
// Units and commits as people read them, alike in `sync`, `status` and `report`.
#pragma once

#include <string>
#include <vector>

#include "core/model/unit.h"
#include "service/app.h"

namespace sluice::service {

// The subject of an upstream commit as far as it is known; printable, cut at `max_bytes`.
std::string subject_of(App& app, const Oid& oid, std::size_t max_bytes = 72);
// "90 s", "3 h", "2 days".
std::string age_text(std::int64_t seconds);
// "1 commit", "2 commits".
std::string counted(std::size_t n, const std::string& noun);
// One line a commit (id and subject); of more than `at_most` the first ones, and how many follow.
std::string commit_lines(App& app, const std::vector<Oid>& commits, const std::string& indent,
                         std::size_t at_most = 12);
// What a person can type about the units that wait: to look, to decide, to try again. Empty for none.
std::string what_to_type(App& app, const std::vector<const model::Unit*>& waiting);

}  // namespace sluice::service
