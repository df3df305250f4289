// SPDX-License-Identifier: Apache-2.0
// What the message of a team's bundle says of its members. Titles are cut by the hosts, and early bundles carry
// one trailer for their last member only: the list in the body is then all there is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace sluice::service {

struct BundleWords {
  std::int64_t declared = 0;  // "Cherry-pick 62 upstream", "Picked (40)"; 0 = no such words
  // Lines `- [k] ... #N (sha) ...`: pull request and sha, which must agree.
  std::vector<std::pair<std::int64_t, std::string>> lines;
  // Numbers of `Picked (n): #a, #b`, or of the title: upstream's. Filled only when there are exactly `declared` of them.
  std::vector<std::int64_t> numbers;
};
Result<BundleWords> bundle_words(std::string_view message);

}  // namespace sluice::service
