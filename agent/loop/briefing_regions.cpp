// SPDX-License-Identifier: Apache-2.0
// The places that wait for an answer, as the first message shows them.
#include <fmt/format.h>

#include <map>
#include <set>

#include "agent/loop/briefing_parts.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr std::size_t near_lines = 10, far_lines = 25;
constexpr std::size_t region_cap = 24'000, short_cap = 3'000;
constexpr std::size_t most_names = 40;

// Longer than every run of these letters that begins a line of the texts: a marker can be told from what it marks.
std::size_t marker_width(std::initializer_list<std::string_view> texts) {
  std::size_t width = 7;
  for (const std::string_view text : texts)
    for (const std::string_view line : core::split_lines(text))
      for (const char c : {'<', '|', '=', '>'}) {
        std::size_t run = 0;
        while (run < line.size() && line[run] == c) ++run;
        if (run >= width) width = run + 1;
      }
  return width;
}

std::string ended(std::string_view text) { return text.empty() || text.ends_with('\n') ? std::string(text) : fmt::format("{}\n", text); }

// The region between lines of the merged file; other regions near by are named, not shown.
std::string diff3(const git::Region& region, const std::vector<std::string_view>& merged, const std::vector<const git::Region*>& same_file,
                  std::size_t context, std::size_t cap) {
  std::size_t begin = region.first_line > context ? region.first_line - context : 1;
  std::size_t end = std::min(region.last_line + context, merged.size());
  std::string above, below;
  for (const git::Region* other : same_file) {
    if (other->last_line < region.first_line && other->last_line >= begin) {
      begin = other->last_line + 1;
      above = fmt::format("(region {} ends here)\n", other->id);
    }
    if (other->first_line > region.last_line && other->first_line <= end) {
      end = other->first_line - 1;
      below = fmt::format("(region {} begins here)\n", other->id);
    }
  }
  std::string out = above;
  for (std::size_t i = begin; i < region.first_line && i <= merged.size(); ++i) out += fmt::format("{}\n", merged[i - 1]);
  const std::size_t width = marker_width({region.base, region.ours, region.theirs});
  const auto marker = [&](char c, std::string_view name) { out += fmt::format("{}{}{}\n", std::string(width, c), name.empty() ? "" : " ", name); };
  marker('<', "ours");
  out += ended(cut_middle(region.ours, cap));
  marker('|', "base");
  out += ended(cut_middle(region.base, cap));
  marker('=', "");
  out += ended(cut_middle(region.theirs, cap));
  marker('>', "theirs");
  for (std::size_t i = region.last_line + 1; i <= end; ++i) out += fmt::format("{}\n", merged[i - 1]);
  return out + below;
}

std::vector<std::string> names_only_in(std::string_view text, std::string_view other) {
  std::set<std::string_view> known;
  for (const auto name : core::identifiers(other, 2)) known.insert(name);
  std::vector<std::string> out;
  for (const auto name : core::identifiers(text, 2))
    if (known.insert(name).second) out.emplace_back(name);
  if (out.size() > most_names) {
    const std::size_t more = out.size() - most_names;
    out.resize(most_names);
    out.push_back(fmt::format("... and {} more", more));
  }
  return out;
}

std::string identifiers_of(const git::Region& r) {
  std::string out;
  const auto add = [&](std::string_view what, const std::vector<std::string>& names) {
    if (!names.empty()) out += fmt::format("{}: {}\n", what, core::join(names, ", "));
  };
  add("ours introduces", names_only_in(r.ours, r.base));
  add("ours removes", names_only_in(r.base, r.ours));
  add("theirs introduces", names_only_in(r.theirs, r.base));
  add("theirs removes", names_only_in(r.base, r.theirs));
  return out;
}

std::string_view whole_kind(const tools::Place& place) {
  if (place.ours_absent) return "the fork deleted the file, upstream changed it";
  if (place.theirs_absent) return "upstream deleted the file, the fork changed it";
  return "both sides have the file";
}

core::Json facts(const tools::Place& place, const tools::World& world) {
  const git::Region& r = place.region;
  core::Json out = core::Json::object({{"region_id", r.id}, {"path", core::printable(place.path, 300)}, {"language", language_of(place.path)},
                                       {"ours_lines", core::split_lines(r.ours).size()}, {"base_lines", core::split_lines(r.base).size()},
                                       {"theirs_lines", core::split_lines(r.theirs).size()}});
  out.set("kind", place.whole ? core::Json(whole_kind(place)) : core::Json("contents"));
  if (!place.whole) out.set("merged_lines", fmt::format("{}-{}", r.first_line, r.last_line));
  if (world.protected_why)
    if (const std::string why = world.protected_why(place.path); !why.empty()) out.set("protected", why);
  return out;
}

Piece whole_piece(const tools::Place& place, const tools::World& world, const core::Json& about, std::string_view source) {
  const git::Region& r = place.region;
  const std::string text = place.ours_absent ? patch_of(*world.reader, r.base, r.theirs) : patch_of(*world.reader, r.base, r.ours);
  const std::string what = fmt::format("{}: what the side that has the file changed", source);
  return {{untrusted_line(what, text, region_cap, about), untrusted_line(what, text, short_cap, about),
           untrusted_line(fmt::format("{}: get_region shows it", source), "", 0, about)},
          {Rank::region_text, Rank::region}};
}

Piece region_piece(const tools::Place& place, const core::Json& about, std::string_view source, const std::vector<std::string_view>& merged,
                   const std::vector<const git::Region*>& same_file) {
  const auto form = [&](std::size_t context, std::size_t cap) {
    return untrusted_line(source, diff3(place.region, merged, same_file, context, cap), 4 * region_cap, about);
  };
  return {{form(far_lines, region_cap), form(near_lines, region_cap), form(near_lines, short_cap),
           untrusted_line(fmt::format("{}: get_region shows it", source), "", 0, about)},
          {Rank::context, Rank::region_text, Rank::region}};
}

}  // namespace

Result<Section> region_section(const tools::World& world, const tools::Buffer& buffer, std::vector<Source>& sources) {
  Section out;
  out.heading = "Places that wait for an answer";
  std::map<std::string, std::string, std::less<>> merged;
  std::map<std::string, std::vector<const git::Region*>, std::less<>> by_path;
  std::set<std::string_view> shown;
  std::size_t hidden = 0;
  for (const tools::Place& place : buffer.places()) {
    if (place.whole) continue;
    by_path[place.path].push_back(&place.region);
    if (merged.count(place.path) > 0) continue;
    TRY_ASSIGN(const std::optional<std::string> text, world.reader->file(world.merged_tree, place.path));
    merged[place.path] = text.value_or("");
  }
  for (const tools::Place& place : buffer.places()) {
    const std::string source = fmt::format("region {}", place.region.id);
    const core::Json about = facts(place, world);
    shown.insert(place.path);
    if (!may_show(world, place.path)) {
      ++hidden;
      out.pieces.push_back({{untrusted_line(source + ": its file may not be shown to you; leave it", "", 0, about)}, {}});
      continue;
    }
    sources.push_back({place.path, source});
    out.pieces.push_back(place.whole ? whole_piece(place, world, about, source)
                                     : region_piece(place, about, source, core::split_lines(merged[place.path]), by_path[place.path]));
    if (const std::string names = identifiers_of(place.region); !place.whole && !names.empty())
      out.pieces.push_back({{untrusted_line("identifiers of " + source, names, 4'000), ""}, {Rank::identifiers}});
  }
  out.preface = fmt::format("{} {} in {} {}. Lines between the markers stand in conflict; lines outside them are kept as they are.\n",
                            buffer.places().size(), buffer.places().size() == 1 ? "place" : "places", shown.size(),
                            shown.size() == 1 ? "file" : "files");
  if (hidden > 0) out.preface += fmt::format("{} of them cannot be shown to you. Answer the others and then give up, so that a person answers the rest.\n", hidden);
  return out;
}

}  // namespace sluice::agent
