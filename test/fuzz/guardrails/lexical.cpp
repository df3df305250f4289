// SPDX-License-Identifier: Apache-2.0
// Comments and strings blanked, names with their roles, in every family of languages.
#include "guardrails/scan/lexical.h"

#include "core/text.h"
#include "guardrails/scan/line_set.h"
#include "guardrails/scan/standing.h"
#include "test/fuzz/fuzz.h"

using namespace sluice;
using guardrails::Family;
using guardrails::Strings;

namespace {

void check_blanked(std::string_view blanked, std::string_view text) {
  FUZZ_CHECK(blanked.size() == text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    FUZZ_CHECK((blanked[i] == '\n') == (text[i] == '\n'));
    FUZZ_CHECK(blanked[i] == text[i] || blanked[i] == ' ');
  }
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\r'; });
  return text;
}

void check_occurrences(std::string_view blanked, Family family) {
  constexpr std::size_t least = 3;
  const auto lines = core::split_lines(blanked);
  std::uint32_t last = 1;
  for (const guardrails::Occurrence& found : guardrails::occurrences(blanked, family, least)) {
    FUZZ_CHECK(found.name.size() >= least && found.line >= last && found.line <= lines.size());
    last = found.line;
    // Of TableGen also the accessors that will be made of a name are told, so that it need not stand there itself.
    FUZZ_CHECK(core::trim(lines[found.line - 1]).size() > 0);
    FUZZ_CHECK(!found.type_like || found.role == guardrails::Role::definition);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  for (const Family family : {Family::c, Family::python, Family::cmake, Family::none}) {
    const std::string bare = guardrails::blank_comments(text, family);
    const std::string kept = guardrails::blank_comments(text, family, Strings::kept);
    check_blanked(bare, text);
    check_blanked(kept, text);
    for (std::size_t i = 0; i < text.size(); ++i) FUZZ_CHECK(kept[i] == text[i] || bare[i] == kept[i]);
    check_occurrences(bare, family);
    if (text.find('\r') == std::string_view::npos)
      FUZZ_CHECK(without_blanks(guardrails::blank_comments(fuzz::with_crlf(text), family)) == without_blanks(bare));
    for (const auto& [line, names] : guardrails::calls_by_line(text, family, 3))
      FUZZ_CHECK(line >= 1 && line <= fuzz::lines_of(text) && names.size() <= text.size());
  }
  guardrails::LineCounts counts;
  guardrails::count_lines(text, counts);
  for (const auto& [line, times] : counts) FUZZ_CHECK(guardrails::significant(line) && times > 0);
  return 0;
}
