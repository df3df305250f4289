// SPDX-License-Identifier: Apache-2.0
#include "tools/proposed_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/renaming.h"
#include "core/text.h"

namespace sluice::tools {
namespace {

Error refuse(std::string why) { return make_error(ErrorKind::invalid, std::move(why)); }

std::vector<std::string> norms(std::string_view lines) {
  std::vector<std::string> out;
  for (const std::string_view line : core::split_lines(lines)) out.push_back(core::strip_space(line));
  return out;
}

struct Match {
  std::size_t begin = 0, size = 0;
  std::string made;  // what comes there
};

// The one place of `old_text`. A file that ends its lines in CR LF is spoken of without CR.
Result<Match> only_place(const std::string& text, std::string_view old_text, std::string_view new_text, const LineStyle& style) {
  const std::string plain_old = without_cr(old_text), plain_new = without_cr(new_text);
  std::vector<std::pair<std::string, std::string>> forms = {{plain_old, plain_new}};
  if (style.crlf || style.mixed) forms.emplace_back(with_cr(plain_old), with_cr(plain_new));
  if (style.crlf && !style.mixed) forms.erase(forms.begin());
  for (const auto& [before, after] : forms) {
    const std::size_t at = text.find(before);
    if (at == std::string::npos) continue;
    if (text.find(before, at + 1) != std::string::npos) return refuse("stands there in more than one place: give more of the lines around it");
    return Match{at, before.size(), after};
  }
  return refuse("does not stand there: it must be the text as read_lines shows it of rev \"proposed\", without line numbers, to the last blank");
}

}  // namespace

ProposedFile::ProposedFile(std::string path, std::uint32_t mode, git::MergedFile cut, std::string_view merged, LineStyle style)
    : path_(std::move(path)), mode_(mode), cut_(std::move(cut)), text_(cut_.text), style_(style) {
  if (cut_.regions.empty()) return;
  const auto lines = core::split_lines_keep(merged);
  for (const git::Region& region : cut_.regions) {
    std::string& out = marked_.emplace_back();
    for (std::size_t line = region.first_line; line <= region.last_line && line <= lines.size(); ++line) out += lines[line - 1];
  }
}

std::string ProposedFile::render(const std::vector<const std::string*>& answers, std::vector<Span>* spans) const {
  SLUICE_CHECK(answers.size() == cut_.regions.size());
  std::string out = text_.front();
  for (std::size_t k = 0; k < answers.size(); ++k) {
    const std::size_t begin = out.size();
    out += answers[k] != nullptr ? *answers[k] : marked_[k];
    if (spans != nullptr) spans->push_back({begin, out.size()});
    out += text_[k + 1];
  }
  // A last region ends the file: whether its last line has an end is the fork's. git gave it one for its markers. Where
  // the answer is empty the line before was followed by another in every version, so it keeps its end.
  const bool ends_in_answer = !answers.empty() && text_.back().empty() && answers.back() != nullptr && !answers.back()->empty();
  if (ends_in_answer && !style_.final_newline && out.ends_with('\n')) {
    out.pop_back();
    if (style_.crlf && out.ends_with('\r')) out.pop_back();
    if (spans != nullptr) spans->back().end = out.size();
  }
  return out;
}

Result<void> ProposedFile::edit(const std::vector<const std::string*>& answers, std::string_view old_text, std::string_view new_text,
                                const std::string& code, const std::string& reason) {
  std::vector<Span> spans;
  const std::string whole = render(answers, &spans);
  TRY_ASSIGN(const Match match, only_place(whole, old_text, new_text, style_));
  // The piece that it stands in: piece k lies before region k.
  std::size_t piece = 0, from = 0;
  for (std::size_t k = 0; k < spans.size(); ++k) {
    if (match.begin + match.size <= spans[k].begin) break;
    if (match.begin < spans[k].end)
      return refuse(fmt::format("stands in the conflict region {} or reaches into it: answer that with resolve_region", cut_.regions[k].id));
    piece = k + 1;
    from = spans[k].end;
  }
  const std::string& before = text_[piece];
  const std::size_t at = match.begin - from;
  std::string after = before;
  after.replace(at, match.size, match.made);
  const auto ended = [](const std::string& text) { return text.empty() || text.back() == '\n'; };
  if (ended(before) != ended(after)) return refuse("is at the end of a line, and the new text has to end it as the old one does");

  // The whole lines that hold a part of a text; none where whole lines were taken out.
  const auto lines_at = [](std::string_view text, std::size_t begin, std::size_t end) {
    const std::size_t first = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;  // npos + 1 = 0
    const std::size_t last = end > begin && text[end - 1] == '\n' ? end - 1 : text.find('\n', end);
    return text.substr(first, last == std::string_view::npos ? last : last + 1 - first);
  };
  const std::string_view old_lines = lines_at(before, at, at + match.size);
  const bool taken_out = match.made.empty() && before[at + match.size - 1] == '\n' && (at == 0 || before[at - 1] == '\n');
  const std::string_view new_lines = taken_out ? std::string_view() : lines_at(after, at, at + match.made.size());
  PieceEdit made{code, {}, reason, norms(old_lines), norms(new_lines)};
  if (before == after) return refuse("and the new text are the same");
  if (code == "API_RENAME") {
    const auto arg = core::one_renaming(old_lines, new_lines);
    if (!arg) return refuse("does not become the new text by putting one name in the place of another: use another reason_code, or one call a name");
    made.arg = *arg;
  }
  text_[piece] = std::move(after);
  edits_.push_back(std::move(made));
  return {};
}

}  // namespace sluice::tools
