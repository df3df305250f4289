// SPDX-License-Identifier: Apache-2.0
// The rung `remembered`: what was answered to the same conflict and landed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "git/git.h"
#include "store/store.h"

namespace sluice::agent {

// sha256 over the file's extension and base, ours and theirs, each with its length, as lines without any
// whitespace and without blank lines. The path is no part of it.
std::string memory_key(std::string_view path, const git::Region& region);

struct Recalled {
  std::optional<std::string> answer;
  std::string unit;     // that landed it
  std::string refused;  // why there is a row but no answer; empty when there is no row
};
// A row is used while the unit that landed it has no commit backed out or reverted, only one answer ever
// landed, and every line that it shares with this conflict is spelled as it is here.
Result<Recalled> recall(store::Store& store, std::string_view path, const git::Region& region);
// Another answer than the stored one retires the row for good.
Result<void> keep(store::Store& store, std::string_view path, const git::Region& region,
                  const std::string& answer, const std::string& rule, const std::string& unit,
                  std::int64_t now);

}  // namespace sluice::agent
