// SPDX-License-Identifier: Apache-2.0
// From a sha that somebody wrote down to a commit of the upstream first-parent line.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/oid.h"
#include "core/result.h"
#include "git/read.h"

namespace sluice::ingest {

struct Place {
  enum class Kind { line, side, absent, ambiguous } kind = Kind::absent;
  model::Oid oid;             // line: the commit itself; side: the merge of the line that brought it
  std::int64_t position = 0;  // of `oid`, 1-based
  model::Oid commit;          // what the sha names
};

// Borrows the reader and the line.
class Placer {
 public:
  Placer(const git::Reader& reader, const std::vector<model::Oid>& line);

  // Full or abbreviated (7 digits or more), the line alone. No repository is read.
  Place on_line(std::string_view sha) const;
  // Also commits that a merge of the line brought: read once, at the first sha that is not on the line.
  Result<Place> find(std::string_view sha);

 private:
  Result<void> load_sides();
  const git::Reader* reader_;
  const std::vector<model::Oid>* line_;
  std::vector<std::pair<std::string_view, std::int64_t>> sorted_;  // line by oid, with position
  bool sides_loaded_ = false;
  std::map<model::Oid, std::int64_t, std::less<>> sides_;  // side commit -> position of its merge
};

}  // namespace sluice::ingest
