// SPDX-License-Identifier: Apache-2.0
// The area that a proposal touches: the files in which its tree differs from the base, and the tests in them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/oid.h"
#include "core/result.h"
#include "git/read.h"

namespace sluice::guardrails {

// The path inside a test's id: `SUITE :: dir/x.mlir`, `dir/test_x.py::test_name`; empty when it has none.
std::string_view test_file(std::string_view id);

class TouchedArea {
 public:
  // Files that cannot be read (missing by policy) are touched by name only.
  static Result<TouchedArea> between(const git::Reader& reader, const model::Oid& before, const model::Oid& after);

  // A touched file is the test's own, is called like it, or holds all names of its id. Rather too many than too few:
  // what is touched gets no indulgence.
  bool holds_test(std::string_view id) const;
  // `text` speaks of a place in a touched file.
  bool named_in(std::string_view text) const;

 private:
  std::map<std::string, std::set<std::string>, std::less<>> files_;  // path -> identifiers of both sides
};

}  // namespace sluice::guardrails
