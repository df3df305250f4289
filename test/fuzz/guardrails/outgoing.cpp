// SPDX-License-Identifier: Apache-2.0
// G65: text for a forge. Twice is once, and nothing in the result notifies, links, loads or hides.
#include "guardrails/outgoing.h"

#include "core/text.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/guardrails/references.h"

using namespace sluice;
using guardrails::Outgoing;

namespace {

// The text outside its fenced blocks, which a forge shows as it is.
std::string prose_of(std::string_view text) {
  std::string out;
  char mark = 0;
  std::size_t length = 0;
  for (const std::string_view line : core::split_lines_keep(text)) {
    const char c = line.front();
    const std::size_t n = c == '`' || c == '~' ? std::min(line.find_first_not_of(c), line.size()) : 0;
    if (mark != 0) {
      if (c == mark && n >= length && core::trim(line.substr(n)).empty()) mark = 0;
    } else if (n >= 3 && (c == '~' || line.find('`', n) == std::string_view::npos)) {
      mark = c;
      length = n;
    } else {
      out += line;
    }
  }
  FUZZ_CHECK(mark == 0);  // or what is added behind it would be code
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  static const std::vector<std::string> hosts = {"github.example", "docs.example.org"};
  for (const Outgoing kind : {Outgoing::issue, Outgoing::comment}) {
    const guardrails::Sanitized clean = guardrails::sanitize(text, kind, hosts);
    FUZZ_CHECK(clean.text.size() <= guardrails::limit_of(kind) && core::is_utf8(clean.text));
    const guardrails::Sanitized again = guardrails::sanitize(clean.text, kind, hosts);
    FUZZ_CHECK(again.text == clean.text);
    FUZZ_CHECK(clean.text.find('\0') == std::string::npos && clean.text.find("\xe2\x80\xae") == std::string::npos);
    const std::string prose = prose_of(clean.text);
    FUZZ_CHECK(prose.find("<!--") == std::string::npos && prose.find("![") == std::string::npos);
    for (std::size_t i = 0; i + 1 < prose.size(); ++i) {
      const bool letter = fuzz::is_word(prose[i + 1]) && !fuzz::is_digit(prose[i + 1]) && prose[i + 1] != '_';
      FUZZ_CHECK(!fuzz::is_reference(prose, i));
      if (prose[i] == '<') FUZZ_CHECK(!letter);
      if (prose[i] == '@' && (i == 0 || prose[i - 1] == ' ')) FUZZ_CHECK(!fuzz::is_word(prose[i + 1]));
      if (prose[i] == '/' && (i == 0 || prose[i - 1] == '\n')) FUZZ_CHECK(!letter);
    }
  }
  return 0;
}
