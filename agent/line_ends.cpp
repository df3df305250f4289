// SPDX-License-Identifier: Apache-2.0
#include "agent/line_ends.h"

namespace sluice::agent {
namespace {

using Ending = TextStyle::Ending;
constexpr std::string_view bom = "\xef\xbb\xbf";

// A property of a file, merged: what one side changed wins, nullopt when upstream changed it.
template <class T>
std::optional<T> keep_forks(const T& base, const T& ours, const T& theirs) {
  if (ours == theirs || theirs == base) return ours;
  return std::nullopt;
}

std::string plain(std::string_view text, const TextStyle& style, bool with_final_newline) {
  if (style.bom) text.remove_prefix(bom.size());
  std::string out;
  out.reserve(text.size() + 1);
  if (style.ending == Ending::crlf) {
    for (std::size_t k = 0; k < text.size(); ++k)
      if (text[k] != '\r' || k + 1 == text.size() || text[k + 1] != '\n') out += text[k];
  } else {
    out = text;
  }
  if (with_final_newline && !out.empty() && out.back() != '\n') out += '\n';
  return out;
}

}  // namespace

TextStyle style_of(std::string_view text) {
  TextStyle style;
  style.bom = text.starts_with(bom);
  style.final_newline = text.empty() || text.back() == '\n';
  std::size_t lf = 0, crlf = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '\n') continue;
    ++(k > 0 && text[k - 1] == '\r' ? crlf : lf);
  }
  if (lf > 0 && crlf > 0)
    style.ending = Ending::mixed;
  else if (crlf > 0)
    style.ending = Ending::crlf;
  else if (lf > 0)
    style.ending = Ending::lf;
  return style;
}

Result<std::optional<StyledMerge>> merge_styled(std::string_view base, std::string_view ours,
                                                std::string_view theirs, const MergeText& merge) {
  const std::optional<StyledMerge> none;
  const TextStyle b = style_of(base), o = style_of(ours), t = style_of(theirs);
  // A file of one line without its end has every ending.
  const Ending base_ending = b.ending == Ending::none ? t.ending : b.ending;
  const Ending theirs_ending = t.ending == Ending::none ? base_ending : t.ending;
  const bool ends_differ = o.ending != theirs_ending && o.ending != Ending::none &&
                           (theirs_ending != Ending::none || o.ending == Ending::crlf);
  if (ends_differ &&
      (o.ending == Ending::mixed || theirs_ending == Ending::mixed || theirs_ending != base_ending))
    return none;
  const auto kept_bom = keep_forks(b.bom, o.bom, t.bom);
  if (!kept_bom) return none;
  // The final newline may come from either side: it is a line end, not a style of the file.
  const bool final_newline = o.final_newline == b.final_newline ? t.final_newline : o.final_newline;
  const bool last_differs = o.final_newline != t.final_newline || b.final_newline != o.final_newline;
  const bool bom_differs = o.bom != t.bom;
  if (!ends_differ && !bom_differs && !last_differs) return none;

  const auto plain_of = [&](std::string_view text, const TextStyle& style) {
    TextStyle taken = style;
    if (!ends_differ) taken.ending = Ending::lf;  // equal ends stay in the text
    return plain(text, taken, last_differs);
  };
  bool clean = false;
  TRY_ASSIGN(std::string merged, merge(plain_of(base, b), plain_of(ours, o), plain_of(theirs, t), clean));
  if (!clean) return none;
  if (last_differs && !final_newline && merged.ends_with('\n')) merged.pop_back();

  StyledMerge out;
  if (*kept_bom) out.text = bom;
  if (ends_differ && o.ending == Ending::crlf) {
    for (const char c : merged) {
      if (c == '\n') out.text += '\r';
      out.text += c;
    }
  } else {
    out.text += merged;
  }
  const bool eol = ends_differ || bom_differs;
  out.rule = eol ? "EOL" : "EOF";
  out.reason = eol ? "the sides differ in line ends or byte order mark only where upstream changed nothing; "
                     "the fork's are kept"
                   : "the sides differ in the final newline; both changes are kept";
  return std::optional(std::move(out));
}

}  // namespace sluice::agent
