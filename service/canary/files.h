// SPDX-License-Identifier: Apache-2.0
// The files of the canaries' fork, and how its conflicts are answered.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/accounting.h"

namespace sluice::service::canary {

struct File {
  std::string path, text;
};
enum class Side { base, fork, upstream };
std::vector<File> files_of(Side side);  // of B, of D, of the first upstream commit
std::vector<File> later_files();        // what the second upstream commit changes
inline constexpr std::string_view pin = "abc0123456789abc0123456789abc0123456789a";

// The one region of a path.
struct Answer {
  std::string_view path, action;
  std::string_view text;  // empty: the fork's lines, then upstream's
};
const Answer* answer_for(std::string_view path);
std::vector<model::AccountEntry> answer_entries();
// The entry that declares a region's one-sided answer.
model::AccountEntry side_entry(const std::string& path, const std::string& region, std::string_view action);

}  // namespace sluice::service::canary
