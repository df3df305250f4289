// SPDX-License-Identifier: Apache-2.0
// Tokens and facts of Python: the tokens cover the text, in order, and know their lines.
#include "guardrails/scan/python_tokens.h"

#include "test/fuzz/guardrails/facts.h"

using namespace sluice;
using guardrails::TokenKind;

namespace {

// Between two tokens there are blanks, comments and joined line ends only.
void check_gap(std::string_view gap) {
  for (std::size_t i = 0; i < gap.size(); ++i) {
    const char c = gap[i];
    if (c == '#') {
      i = std::min(gap.find('\n', i), gap.size());
    } else if (c == '\\') {
      FUZZ_CHECK(gap.substr(i + 1).starts_with('\n') || gap.substr(i + 1).starts_with("\r\n"));
    } else {
      FUZZ_CHECK(c == ' ' || (c >= '\t' && c <= '\r') || c == '\0');
    }
  }
}

void check_tokens(const guardrails::PythonTokens& read, std::string_view text) {
  std::size_t at = 0, line = 1;
  for (const guardrails::Token& token : read.tokens) {
    FUZZ_CHECK(!token.text.empty() && fuzz::within(token.text, text));
    const auto from = static_cast<std::size_t>(token.text.data() - text.data());
    FUZZ_CHECK(from >= at);
    const std::string_view gap = text.substr(at, from - at);
    check_gap(gap);
    line += fuzz::line_ends(gap);
    FUZZ_CHECK(token.line == line);
    line += fuzz::line_ends(token.text);
    at = from + token.text.size();
    if (token.kind == TokenKind::text) FUZZ_CHECK(guardrails::inner_text(token.text).size() < token.text.size());
  }
  check_gap(text.substr(at));
  std::size_t next = 0;
  for (const guardrails::PythonLine& logical : read.lines) {
    FUZZ_CHECK(logical.begin == next && logical.end > next);
    next = logical.end;
  }
  FUZZ_CHECK(next == read.tokens.size());
}

void check_line_ends(const guardrails::PythonTokens& read, std::string_view text) {
  const std::string other_text = fuzz::with_crlf(text);
  const guardrails::PythonTokens other = guardrails::tokenize_python(other_text);
  FUZZ_CHECK(other.tokens.size() == read.tokens.size() && other.lines.size() == read.lines.size());
  for (std::size_t i = 0; i < read.tokens.size(); ++i) {
    FUZZ_CHECK(other.tokens[i].line == read.tokens[i].line && other.tokens[i].kind == read.tokens[i].kind);
    FUZZ_CHECK(fuzz::without_cr(other.tokens[i].text) == read.tokens[i].text);
  }
  fuzz::check_same_facts(guardrails::python_facts(text), guardrails::python_facts(other_text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const guardrails::PythonTokens read = guardrails::tokenize_python(text);
  check_tokens(read, text);
  FUZZ_CHECK(guardrails::plain_text(read.tokens, 0, read.tokens.size()).size() <= 3 * text.size());
  fuzz::check_facts(guardrails::python_facts(text), text);
  if (text.find('\r') == std::string_view::npos) check_line_ends(read, text);
  return 0;
}
