// SPDX-License-Identifier: Apache-2.0
// Tokens and facts of C++: the tokens stand in the text, in order, and know their lines.
#include "guardrails/scan/cpp_tokens.h"

#include "test/fuzz/guardrails/facts.h"

using namespace sluice;

namespace {

void check_tokens(const std::vector<guardrails::Token>& tokens, std::string_view text, bool gaps) {
  std::size_t at = 0, line = 1;
  for (const guardrails::Token& token : tokens) {
    FUZZ_CHECK(!token.text.empty());
    if (!fuzz::within(token.text, text)) {  // what `#define NAME NUMBER` is told as
      FUZZ_CHECK(token.text == "=" || token.text == ";");
      continue;
    }
    const auto from = static_cast<std::size_t>(token.text.data() - text.data());
    FUZZ_CHECK(from >= at);
    const std::string_view gap = text.substr(at, from - at);
    const std::size_t begin = gap.find_first_not_of(std::string_view("\0 \t\n\v\f\r\\", 8));
    // Between two tokens nothing but blanks, or what begins with a comment or a directive.
    if (gaps && at > 0 && begin != std::string_view::npos) {
      const bool inside_define = text.substr(0, from).find('#') != std::string_view::npos;
      FUZZ_CHECK(gap[begin] == '/' || gap[begin] == '#' || inside_define);
    }
    line += fuzz::line_ends(gap);
    FUZZ_CHECK(token.line == line);
    line += fuzz::line_ends(token.text);
    at = from + token.text.size();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const guardrails::CppTokens read = guardrails::tokenize_cpp(text);
  check_tokens(read.tokens, text, true);
  check_tokens(read.directives, text, false);
  for (const guardrails::Token& directive : read.directives) FUZZ_CHECK(directive.text.front() == '#');
  fuzz::check_facts(guardrails::cpp_facts(text), text);
  if (text.find('\r') != std::string_view::npos) return 0;
  const std::string other_text = fuzz::with_crlf(text);
  const guardrails::CppTokens other = guardrails::tokenize_cpp(other_text);
  FUZZ_CHECK(other.tokens.size() == read.tokens.size() && other.directives.size() == read.directives.size());
  for (std::size_t i = 0; i < read.tokens.size(); ++i) {
    FUZZ_CHECK(other.tokens[i].line == read.tokens[i].line);
    FUZZ_CHECK(fuzz::without_cr(other.tokens[i].text) == read.tokens[i].text);
  }
  fuzz::check_same_facts(guardrails::cpp_facts(text), guardrails::cpp_facts(other_text));
  return 0;
}
