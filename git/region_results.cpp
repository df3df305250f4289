// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/text.h"
#include "git/read.h"

namespace sluice::git {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t fewest_around = 3, most_around = 12;
constexpr std::size_t most_places = 2000;  // of a line: beyond, it says nothing

std::string_view bare(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

Lines bare_lines(std::string_view text) {
  Lines out = core::split_lines_keep(text);
  for (std::string_view& line : out) line = bare(line);
  return out;
}

// Half open, in lines of the finished file.
struct Range {
  std::size_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

class Locator {
 public:
  Locator(const MergedFile& merged, std::string_view finished)
      : finished_(core::split_lines_keep(finished)), lines_(bare_lines(finished)) {
    for (const std::string& piece : merged.text) pieces_.push_back(bare_lines(piece));
    for (std::size_t i = 0; i < lines_.size(); ++i) places_[lines_[i]].push_back(i);
  }

  std::vector<RegionResult> locate(const Reader& reader) {
    const std::size_t regions = pieces_.size() - 1;
    std::vector<std::optional<Range>> found(regions);
    if (const auto whole = only_way()) {
      for (std::size_t i = 0; i < regions; ++i) found[i] = (*whole)[i];
    } else {
      found = by_sentinels(reader);
      for (std::size_t i = 0; i < regions; ++i) {
        if (by_context(i) != found[i]) found[i].reset();
      }
    }
    std::vector<RegionResult> out(regions);
    for (std::size_t i = 0; i < regions; ++i) {
      if (!found[i]) continue;
      out[i].located = true;
      out[i].first_line = static_cast<std::uint32_t>(found[i]->begin) + 1;
      for (std::size_t k = found[i]->begin; k < found[i]->end; ++k) out[i].text += finished_[k];
    }
    return out;
  }

 private:
  bool stands_at(const Lines& piece, std::size_t at) const {
    return at + piece.size() <= lines_.size() && std::equal(piece.begin(), piece.end(), lines_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  // All text outside the regions unchanged, each piece between two regions in one place only.
  std::optional<std::vector<Range>> only_way() const {
    const Lines &head = pieces_.front(), &tail = pieces_.back();
    if (head.size() + tail.size() > lines_.size() || !stands_at(head, 0) || !stands_at(tail, lines_.size() - tail.size())) return std::nullopt;
    const std::size_t limit = lines_.size() - tail.size();
    std::vector<Range> out;
    std::size_t at = head.size();
    for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
      const Lines& piece = pieces_[i];
      if (piece.empty()) return std::nullopt;
      const auto places = places_.find(piece.front());
      if (places == places_.end() || places->second.size() > most_places) return std::nullopt;
      std::optional<std::size_t> here;
      for (const std::size_t place : places->second) {
        if (place < at || place + piece.size() > limit || !stands_at(piece, place)) continue;
        if (here) return std::nullopt;
        here = place;
      }
      if (!here) return std::nullopt;
      out.push_back({at, *here});
      at = *here + piece.size();
    }
    out.push_back({at, limit});
    return out;
  }

  std::vector<std::optional<Range>> by_sentinels(const Reader& reader) const {
    std::string before, after;
    std::vector<std::size_t> sentinels;  // 1-based lines of `before`
    std::size_t line = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (i > 0) {
        before += fmt::format("\x01 region {} \x01\n", i);
        sentinels.push_back(++line);
      }
      for (const std::string_view text : pieces_[i]) {
        before.append(text).push_back('\n');
        ++line;
      }
    }
    for (const std::string_view text : lines_) after.append(text).push_back('\n');
    std::vector<std::optional<Range>> out(sentinels.size());
    const TextDiff diff = reader.diff_text(before, after);
    for (const model::Hunk& hunk : diff.hunks) {
      const auto sentinel = std::find(sentinels.begin(), sentinels.end(), hunk.old_start);
      if (hunk.old_count != 1 || sentinel == sentinels.end()) continue;
      const std::size_t begin = hunk.new_count == 0 ? hunk.new_start : hunk.new_start - 1;
      out[static_cast<std::size_t>(sentinel - sentinels.begin())] = Range{begin, begin + hunk.new_count};
    }
    return out;
  }

  // Lines before region `i` end at the returned line; those after it begin there. The beginning and the end of
  // the file count as a line. Where the 3 nearest are not there any more or not so many, fewer must do, if they
  // stand in one place only.
  std::optional<std::size_t> end_of_before(std::size_t i) const {
    const Lines& piece = pieces_[i];
    const bool edge = i == 0;
    if (edge && piece.empty()) return 0;
    return only_place(piece.size() + (edge ? 1 : 0), piece.empty() ? std::string_view() : piece.back(),
                      [&](std::size_t k, std::size_t place) -> std::optional<std::size_t> {
                        const std::size_t text = std::min(k, piece.size());
                        if (place + 1 < text || (k > text && place + 1 != text)) return std::nullopt;
                        const auto here = lines_.begin() + static_cast<std::ptrdiff_t>(place + 1 - text);
                        if (!std::equal(piece.end() - static_cast<std::ptrdiff_t>(text), piece.end(), here)) return std::nullopt;
                        return place + 1;
                      });
  }

  std::optional<std::size_t> begin_of_after(std::size_t i) const {
    const Lines& piece = pieces_[i + 1];
    const bool edge = i + 2 == pieces_.size();
    if (edge && piece.empty()) return lines_.size();
    return only_place(piece.size() + (edge ? 1 : 0), piece.empty() ? std::string_view() : piece.front(),
                      [&](std::size_t k, std::size_t place) -> std::optional<std::size_t> {
                        const std::size_t text = std::min(k, piece.size());
                        if (place + text > lines_.size() || (k > text && place + text != lines_.size())) return std::nullopt;
                        const auto here = lines_.begin() + static_cast<std::ptrdiff_t>(place);
                        if (!std::equal(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(text), here)) return std::nullopt;
                        return place;
                      });
  }

  // `matches(k, place)`: the position that k lines of context give, if they stand at `place`, a place of `nearest`.
  template <class Matches>
  std::optional<std::size_t> only_place(std::size_t lines, std::string_view nearest, Matches&& matches) const {
    const auto places = places_.find(nearest);
    if (lines == 0 || places == places_.end() || places->second.size() > most_places) return std::nullopt;
    const std::size_t longest = std::min(lines, most_around);
    std::vector<std::size_t> sizes;
    for (std::size_t k = fewest_around; k <= longest; ++k) sizes.push_back(k);
    for (std::size_t k = std::min(fewest_around - 1, longest); k > 0; --k) sizes.push_back(k);
    for (const std::size_t k : sizes) {
      std::optional<std::size_t> here;
      std::size_t n = 0;
      for (const std::size_t place : places->second) {
        if (const auto found = matches(k, place)) {
          here = found;
          ++n;
        }
      }
      if (n == 1) return here;
    }
    return std::nullopt;
  }

  std::optional<Range> by_context(std::size_t i) const {
    const std::optional<std::size_t> begin = end_of_before(i), end = begin_of_after(i);
    if (!begin || !end || *begin > *end) return std::nullopt;
    return Range{*begin, *end};
  }

  Lines finished_, lines_;
  std::vector<Lines> pieces_;  // clean text around the regions
  std::unordered_map<std::string_view, std::vector<std::size_t>> places_;
};

}  // namespace

std::vector<RegionResult> region_results(const Reader& reader, const MergedFile& merged, std::string_view finished) {
  if (merged.regions.empty()) return {};
  return Locator(merged, finished).locate(reader);
}

}  // namespace sluice::git
