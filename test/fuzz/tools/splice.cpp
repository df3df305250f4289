// SPDX-License-Identifier: Apache-2.0
// A merged file and, behind the line "%%", the text of an answer: what stands in the file then is the answer and the
// text around it, and no marker that nobody had.
#include "tools/splice.h"

#include "core/region_side.h"
#include "core/text.h"
#include "test/fuzz/fuzz.h"
#include "tools/proposed_file.h"

using namespace sluice;

namespace {

std::size_t markers(std::string_view text) {
  std::size_t n = 0;
  for (const auto line : core::split_lines(text)) n += core::is_conflict_marker(line) ? 1U : 0U;
  return n;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [merged, text] = fuzz::two_parts(fuzz::text_of(data, size));
  const auto cut = git::cut_regions("a/b.cpp", merged);
  if (!cut.ok() || cut->regions.empty()) return 0;
  const tools::LineStyle style = tools::style_of(cut->text.front());
  std::vector<std::string> answers;
  for (const git::Region& region : cut->regions) {
    const auto answer = tools::spliced(region, text, style);
    if (!answer.ok()) {
      FUZZ_CHECK(answer.error().kind == ErrorKind::invalid && !answer.error().message.empty());
      return 0;
    }
    FUZZ_CHECK(core::is_utf8(*answer) && answer->find('\0') == std::string::npos);
    const std::string ended = text.empty() || text.back() == '\n' ? std::string(text) : std::string(text) + '\n';
    FUZZ_CHECK(tools::without_cr(*answer) == tools::without_cr(ended));
    FUZZ_CHECK(style.crlf || style.mixed || *answer == region.ours || answer->find("\r\n") == std::string::npos);
    FUZZ_CHECK(markers(*answer) == 0 || markers(region.base + region.ours + region.theirs) > 0);
    const std::string action = tools::action_of(region, *answer);
    FUZZ_CHECK(tools::bears_out(region, *answer, action));
    FUZZ_CHECK(action == tools::action_of(region, text));  // how it is written changes nothing of what it is
    answers.push_back(*answer);
  }
  tools::ProposedFile file("a/b.cpp", 0100644, *cut, merged, style);
  std::vector<const std::string*> given, none(cut->regions.size(), nullptr);
  for (const std::string& answer : answers) given.push_back(&answer);
  FUZZ_CHECK(file.render(none) == merged);
  std::vector<tools::ProposedFile::Span> spans;
  const std::string whole = file.render(given, &spans), filled = git::fill_regions(*cut, answers);
  FUZZ_CHECK(filled.starts_with(whole) && filled.size() - whole.size() <= 2);  // but for the end of the last line
  for (std::size_t k = 0; k < spans.size(); ++k) FUZZ_CHECK(std::string_view(answers[k]).starts_with(whole.substr(spans[k].begin, spans[k].end - spans[k].begin)));
  return 0;
}
