// SPDX-License-Identifier: Apache-2.0
// Text of TOML -> a table, with a limit that the parser itself lacks.
#include <fmt/format.h>

#include <algorithm>

#include "config/toml.h"
#include "core/text.h"

namespace sluice::config {
namespace {

// Every dot of a key is a table in a table. The parser takes any number of them, and a file of some megabytes
// of `a.a.a` would exhaust the stack when the tables are read or destroyed.
constexpr std::size_t most_key_dots = 64;

// Behind the text that opens at `at`: to its closing quote, or to the end of a line where it may not go on.
std::size_t end_of_text(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool long_one = text.substr(at).starts_with(triple);
  for (at += long_one ? 3 : 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (long_one ? text.substr(at).starts_with(triple) : text[at] == quote || text[at] == '\n') {
      return at + (long_one ? 3 : 1);
    }
  }
  return text.size();
}

// The line of the first key with too many dots; 0 when there is none. A number or a date has fewer.
std::size_t line_of_long_key(std::string_view text) {
  std::size_t line = 1, dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"' || c == '\'') {
      const std::size_t end = end_of_text(text, at);
      line += static_cast<std::size_t>(std::count(text.data() + at, text.data() + std::min(end, text.size()), '\n'));
      at = end;
    } else {
      if (c == '\n') ++line;
      if (c == '.') ++dots;
      if (dots > most_key_dots) return line;
      if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{' || c == ']' || c == '}') dots = 0;
      ++at;
    }
  }
  return 0;
}

}  // namespace

Result<toml::table> read_toml(std::string_view text, const std::string& file) {
  if (const std::size_t line = line_of_long_key(text); line > 0)
    return make_error(ErrorKind::invalid, fmt::format("{}:{}: a key of more than {} parts", file, line, most_key_dots + 1));
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return make_error(ErrorKind::invalid,
                      fmt::format("{}:{}: {}", file, error.source().begin.line, core::printable(error.description(), 400)));
  }
  return std::move(parsed).table();
}

}  // namespace sluice::config
