// SPDX-License-Identifier: Apache-2.0
// Inner header of tools/.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/proposed_file.h"
#include "tools/tools.h"

namespace sluice::tools {

struct Buffer::State {
  explicit State(World w) : world(std::move(w)) {}

  World world;
  std::vector<Place> places;
  std::map<std::string, std::size_t, std::less<>> by_id;
  // Files with regions, and those that were edited.
  std::map<std::string, ProposedFile, std::less<>> files;
  std::map<std::string, std::vector<std::size_t>, std::less<>> places_of;  // in the order of the regions
  std::vector<Adaptation> adaptations;
  std::vector<model::AccountEntry> account;

  Result<void> open(const model::Conflict& conflict);
  Result<void> open_regions(const model::Conflict& conflict);
  Result<void> open_whole(const model::Conflict& conflict);
  Result<void> add(Place place);
  Result<void> resolve_whole(Place& place, std::string_view text, const std::string& action) const;
  std::vector<const std::string*> answers(std::string_view path) const;
  // The file of M at `path` as a file to edit. Errors: invalid, one sentence.
  Result<ProposedFile> editable(const std::string& path) const;
  void drop_entries_of(const std::string& region_id);
};

// A path that a tree may hold. Empty = it may; else what is wrong.
std::string wrong_path(std::string_view path);

}  // namespace sluice::tools
