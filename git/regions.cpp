// SPDX-License-Identifier: Apache-2.0
// Conflict regions of a merged file, cut at diff3 markers of 31 characters: long enough that no source
// line is one, so markers inside a region (somebody committed a conflict) are plain text.
#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/text.h"
#include "git/conflicts.h"
#include "git/git.h"
#include "git/isolation.h"

namespace sluice::git {

namespace {

enum class Marker { none, ours, base, theirs, end };

Marker marker_of(std::string_view line) {
  constexpr std::size_t width = marker_width;
  if (line.size() < width) return Marker::none;
  const char c = line.front();
  if (line.substr(0, width).find_first_not_of(c) != std::string_view::npos) return Marker::none;
  auto rest = line.substr(width);
  if (!rest.empty() && rest.back() == '\n') rest.remove_suffix(1);
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);  // git follows the file's line ends
  if (c == '=') return rest.empty() ? Marker::theirs : Marker::none;
  if (!rest.empty() && rest.front() != ' ') return Marker::none;
  if (c == '<') return Marker::ours;
  if (c == '|') return Marker::base;
  if (c == '>') return Marker::end;
  return Marker::none;
}

Error broken(const std::string& path, std::size_t line, const char* what) {
  return make_error(ErrorKind::invalid, fmt::format("conflict markers of {} do not nest: {} at line {}",
                                                    core::printable(path), what, line));
}

std::string region_id(const std::string& path, const Region& region) {
  core::Sha256 hash;
  const auto add = [&hash](std::string_view part) {  // lengths keep the parts apart
    hash.add(fmt::format("{}:", part.size()));
    hash.add(part);
  };
  add(path);
  add(std::to_string(region.ordinal));
  add(region.base);
  add(region.ours);
  add(region.theirs);
  return hash.hex().substr(0, 12);
}

}  // namespace

Result<MergedFile> cut_regions(const std::string& path, std::string_view merged) {
  MergedFile out;
  out.text.emplace_back();
  Region region;
  Marker state = Marker::none;
  std::size_t number = 0;
  for (const auto line : core::split_lines_keep(merged)) {
    ++number;
    const Marker marker = marker_of(line);
    if (marker == Marker::none) {
      std::string* const into[] = {&out.text.back(), &region.ours, &region.base, &region.theirs};
      into[static_cast<int>(state)]->append(line);
      continue;
    }
    const auto expected = static_cast<Marker>(static_cast<int>(state) + 1);
    if (marker != expected) return broken(path, number, "a marker is out of order");
    if (marker == Marker::ours) {
      region = {};
      region.first_line = number;
    }
    if (marker != Marker::end) {
      state = marker;
      continue;
    }
    region.last_line = number;
    region.ordinal = out.regions.size();
    region.id = region_id(path, region);
    out.regions.push_back(std::move(region));
    out.text.emplace_back();
    state = Marker::none;
  }
  if (state != Marker::none) return broken(path, region.first_line, "a region without end begins");
  return out;
}

// As cut_regions finds them, without copying and hashing: planning counts thousands of files.
int count_regions(std::string_view merged) {
  Marker state = Marker::none;
  int regions = 0;
  for (std::size_t at = 0; at < merged.size();) {
    const std::size_t end = std::min(merged.find('\n', at), merged.size() - 1) + 1;
    const Marker marker = marker_of(merged.substr(at, end - at));
    at = end;
    if (marker == Marker::none) continue;
    if (marker != static_cast<Marker>(static_cast<int>(state) + 1)) return 0;
    regions += marker == Marker::end ? 1 : 0;
    state = marker == Marker::end ? Marker::none : marker;
  }
  return state == Marker::none ? regions : 0;
}

std::string fill_regions(const MergedFile& file, const std::vector<std::string>& answers) {
  SLUICE_CHECK(answers.size() == file.regions.size());
  std::string out = file.text.front();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    out += answers[i];
    out += file.text[i + 1];
  }
  return out;
}

}  // namespace sluice::git
