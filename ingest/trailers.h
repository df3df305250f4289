// SPDX-License-Identifier: Apache-2.0
// Which upstream commits a fork commit says it carries. The whole body is scanned line by line: git's own
// trailer parser finds none of a block that is followed by text, and none whose key holds spaces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/disposition.h"
#include "core/regex.h"
#include "core/result.h"

namespace sluice::ingest {

struct Carried {
  std::string sha;                                              // 7 to 40 hex digits, as written, lower-case
  model::Disposition disposition = model::Disposition::picked;  // picked, adapted, deferred or wont_port
  bool configured = false;  // a pattern of [trailers] import said so
  std::size_t rule = 0;     // which: 0 Upstream-Commit, 1 cherry picked from, then the patterns in their order
};

struct BodyTrailers {
  std::vector<Carried> carried;  // in the order of the text, repeats kept; of very many the last ones
  std::string unit;              // Sluice-Unit, the first one
};

class TrailerRules {
 public:
  // `patterns`: [trailers] import. A pattern whose match says "defer" or "wontport" in front of the sha
  // gives that disposition. Errors: invalid, naming the pattern (bad syntax, no group).
  static Result<TrailerRules> compile(const std::vector<std::string>& patterns);

  BodyTrailers scan(std::string_view message) const;

 private:
  explicit TrailerRules(std::vector<core::Regex> rules) : rules_(std::move(rules)) {}
  std::vector<core::Regex> rules_;  // own first
};

}  // namespace sluice::ingest
