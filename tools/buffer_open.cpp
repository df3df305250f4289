// SPDX-License-Identifier: Apache-2.0
// The places of a pick: what of it waits for an answer, and what no text can answer.
#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/text.h"
#include "tools/buffer_state.h"

namespace sluice::tools {
namespace {

constexpr std::size_t most_bytes = 16u << 20;  // of a file that is cut

const model::Stage* stage_of(const model::Conflict& conflict, int stage) {
  const auto found = std::find_if(conflict.stages.begin(), conflict.stages.end(), [&](const auto& s) { return s.stage == stage; });
  return found == conflict.stages.end() ? nullptr : &*found;
}

bool is_file(std::uint32_t mode) { return mode == 0100644 || mode == 0100755; }

bool is_text(std::string_view bytes) { return bytes.substr(0, 8000).find('\0') == std::string_view::npos; }

Error no_text_answers(const model::Conflict& conflict, std::string_view why) {
  return make_error(ErrorKind::invalid, fmt::format("{} ({}): {}; a person answers it", core::printable(conflict.path), conflict.kind, why));
}

// As git::cut_regions names a region, with "whole" in the place of the ordinal.
std::string whole_id(const std::string& path, const git::Region& region) {
  core::Sha256 hash;
  for (const std::string_view part : {std::string_view(path), std::string_view("whole"), std::string_view(region.base),
                                      std::string_view(region.ours), std::string_view(region.theirs)}) {
    hash.add(fmt::format("{}:", part.size()));
    hash.add(part);
  }
  return hash.hex().substr(0, 12);
}

}  // namespace

Result<void> Buffer::State::add(Place place) {
  places_of[place.path].push_back(places.size());
  if (!by_id.emplace(place.region.id, places.size()).second)
    return make_error(ErrorKind::invalid, fmt::format("{}: two conflicts have the id {}", core::printable(place.path), place.region.id));
  places.push_back(std::move(place));
  return {};
}

Result<void> Buffer::State::open_regions(const model::Conflict& conflict) {
  TRY_ASSIGN(const auto entry, world.reader->entry(world.merged_tree, conflict.path));
  if (!entry || !is_file(entry->mode)) return no_text_answers(conflict, "the machine merge has no file there");
  TRY_ASSIGN(const std::string merged, world.reader->blob(entry->oid));
  if (!is_text(merged) || merged.size() > most_bytes) return no_text_answers(conflict, "it is no text, or too long");
  TRY_ASSIGN(git::MergedFile cut, git::cut_regions(conflict.path, merged));
  if (cut.regions.empty()) return no_text_answers(conflict, "the machine merge has no conflict region in it");
  for (const git::Region& region : cut.regions) {
    for (const std::string* text : {&region.base, &region.ours, &region.theirs}) {
      if (!unfit(*text).empty()) return no_text_answers(conflict, fmt::format("lines of the region {} are not UTF-8", region.id));
    }
    Place place;
    place.path = conflict.path;
    place.region = region;
    TRY(add(std::move(place)));
  }
  std::string ours = merged;
  if (const model::Stage* stage = stage_of(conflict, 2)) {
    TRY_ASSIGN(ours, world.reader->blob(stage->oid));
  }
  files.emplace(conflict.path, ProposedFile(conflict.path, entry->mode, std::move(cut), merged, style_of(ours)));
  return {};
}

Result<void> Buffer::State::open_whole(const model::Conflict& conflict) {
  Place place;
  place.path = conflict.path;
  place.whole = true;
  const model::Stage* sides[] = {stage_of(conflict, 1), stage_of(conflict, 2), stage_of(conflict, 3)};
  place.ours_absent = sides[1] == nullptr;
  place.theirs_absent = sides[2] == nullptr;
  if (place.ours_absent == place.theirs_absent) return no_text_answers(conflict, "not one side alone has deleted it");
  std::string* const texts[] = {&place.region.base, &place.region.ours, &place.region.theirs};
  for (int k = 0; k < 3; ++k) {
    if (sides[k] == nullptr) continue;
    if (!is_file(sides[k]->mode) || sides[k]->path != conflict.path) return no_text_answers(conflict, "it is no plain file of that name");
    TRY_ASSIGN(*texts[k], world.reader->blob(sides[k]->oid));
  }
  const model::Stage& left = *(place.ours_absent ? sides[2] : sides[1]);
  TRY_ASSIGN(const auto entry, world.reader->entry(world.merged_tree, conflict.path));
  if (!entry || entry->oid != left.oid) return no_text_answers(conflict, "the machine merge does not have the file of the side that kept it");
  place.region.id = whole_id(conflict.path, place.region);
  return add(std::move(place));
}

Result<void> Buffer::State::open(const model::Conflict& conflict) {
  if (conflict.kind == "contents" || conflict.kind == "add/add") return open_regions(conflict);
  if (conflict.kind == "modify/delete") return open_whole(conflict);
  return no_text_answers(conflict, "no text answers this kind of conflict");
}

Result<Buffer> Buffer::open(const World& world) {
  SLUICE_CHECK(world.reader != nullptr);
  auto state = std::make_unique<State>(world);
  for (const model::Conflict& conflict : world.conflicts) {
    if (state->places_of.contains(conflict.path)) return no_text_answers(conflict, "two conflicts are of this path");
    TRY(state->open(conflict));
  }
  return Buffer(std::move(state));
}

}  // namespace sluice::tools
