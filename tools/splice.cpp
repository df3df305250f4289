// SPDX-License-Identifier: Apache-2.0
#include "tools/splice.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/region_side.h"
#include "core/text.h"

namespace sluice::tools {
namespace {

using core::Relation;

// Beyond this, mining of landed resolutions found nothing but misaligned texts.
constexpr std::size_t most_more_lines = 40;

struct Ends {
  std::size_t lf = 0, crlf = 0;
};
Ends ends_of(std::string_view text) {
  Ends out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\n') ++(k > 0 && text[k - 1] == '\r' ? out.crlf : out.lf);
  }
  return out;
}

// The lines without whitespace, blank ones left out: as relation_of compares them.
std::vector<std::string> norms(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view line : core::split_lines(text)) {
    if (std::string norm = core::strip_space(line); !norm.empty()) out.push_back(std::move(norm));
  }
  return out;
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

// Of a text that holds both sides and nothing else: which of them stands first.
std::string_view order_of(const git::Region& region, std::string_view text) {
  const auto ours = norms(region.ours), theirs = norms(region.theirs), all = norms(text);
  const auto joined = [&](const auto& a, const auto& b) {
    return a.size() + b.size() == all.size() && std::equal(a.begin(), a.end(), all.begin()) &&
           std::equal(b.begin(), b.end(), all.begin() + static_cast<std::ptrdiff_t>(a.size()));
  };
  if (joined(ours, theirs)) return "both_ours_first";
  if (joined(theirs, ours)) return "both_theirs_first";
  // Lines that both sides have may stand once; then the lines that one side alone has say the order.
  std::size_t last_ours = 0, last_theirs = 0, first_ours = all.size(), first_theirs = all.size();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool in_ours = has(ours, all[k]), in_theirs = has(theirs, all[k]);
    if (in_ours == in_theirs) continue;
    (in_ours ? last_ours : last_theirs) = k;
    std::size_t& first = in_ours ? first_ours : first_theirs;
    first = std::min(first, k);
  }
  if (last_ours < first_theirs) return "both_ours_first";
  if (last_theirs < first_ours) return "both_theirs_first";
  return "mixed";
}

}  // namespace

LineStyle style_of(std::string_view ours) {
  const Ends ends = ends_of(ours);
  return {ends.crlf > ends.lf, ends.crlf > 0 && ends.lf > 0, ours.empty() || ours.back() == '\n'};
}

std::string without_cr(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    while (c == '\n' && out.ends_with('\r')) out.pop_back();
    out += c;
  }
  return out;
}

std::string with_cr(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

std::string unfit(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "holds a NUL byte";
  if (!core::is_utf8(text)) return "is not UTF-8";
  return {};
}

std::string new_marker(std::string_view text, std::initializer_list<std::string_view> known) {
  const auto bare = [](std::string_view line) { return !line.empty() && line.back() == '\r' ? line.substr(0, line.size() - 1) : line; };
  for (const std::string_view line : core::split_lines(text)) {
    if (!core::is_conflict_marker(line)) continue;
    const bool old = std::any_of(known.begin(), known.end(), [&](std::string_view side) {
      const auto lines = core::split_lines(side);
      return std::any_of(lines.begin(), lines.end(), [&](std::string_view l) { return bare(l) == bare(line); });
    });
    if (!old) return core::printable(line, 80);
  }
  return {};
}

std::string action_of(const git::Region& region, std::string_view text) {
  switch (core::relation_of(region.base, region.ours, region.theirs, text)) {
    case Relation::ours: return "ours";
    case Relation::theirs: return "theirs";
    case Relation::both: return std::string(order_of(region, text));
    case Relation::mix: return "mixed";
    case Relation::fresh: break;
  }
  return "new";
}

bool bears_out(const git::Region& region, std::string_view text, std::string_view claim) {
  if (claim == action_of(region, text)) return true;
  return claim == "theirs" && core::relation_of(region.base, region.theirs, region.ours, text) == Relation::ours;
}

Result<std::string> spliced(const git::Region& region, std::string_view text, const LineStyle& style) {
  const auto refuse = [](std::string why) -> Error { return make_error(ErrorKind::invalid, std::move(why)); };
  if (const std::string why = unfit(text); !why.empty()) return refuse(fmt::format("the text {}", why));
  if (const std::string line = new_marker(text, {region.base, region.ours, region.theirs}); !line.empty())
    return refuse(fmt::format("the text holds the conflict marker line \"{}\": give the lines that shall stand there, without markers", line));
  std::string plain(text);
  if (!plain.empty() && plain.back() != '\n') plain += '\n';
  plain = without_cr(plain);  // after the last line has its end: a CR without LF is half of one
  const auto count = [](std::string_view t) { return core::split_lines(t).size(); };
  const std::size_t limit = count(region.base) + count(region.ours) + count(region.theirs) + most_more_lines;
  if (const std::size_t lines = count(plain); lines > limit)
    return refuse(fmt::format("the text has {} lines, at most {} fit this region (base, ours and theirs together and {} more)", lines,
                              limit, most_more_lines));
  if (plain == without_cr(region.ours)) return region.ours;
  const Ends here = ends_of(region.ours);
  const bool crlf = style.mixed && here.crlf != here.lf ? here.crlf > here.lf : style.crlf;
  return crlf ? with_cr(plain) : plain;
}

}  // namespace sluice::tools
