// SPDX-License-Identifier: Apache-2.0
// The accounting record as people write it: a file, or a fenced block in a message.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "core/model/accounting.h"
#include "core/text.h"

namespace sluice::model {
namespace {

using core::Json;

constexpr std::string_view info_string = "sluice-account";

// The line on which each element of the outermost array begins. REQUIRES: `text` is JSON.
std::vector<int> element_lines(std::string_view text, int first_line) {
  std::vector<int> out;
  int line = first_line, depth = 0;
  bool in_string = false, open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"' || i >= text.size();
      continue;
    }
    const bool begins = depth == 1 && open && c != ',' && c != ']' && c != ' ' && c != '\t' && c != '\r' && c != '\n';
    if (begins) {
      out.push_back(line);
      open = false;
    }
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') {
      if (++depth == 1) open = true;
    }
    if (c == ']' || c == '}') --depth;
    if (c == ',' && depth == 1) open = true;
  }
  return out;
}

// "not JSON at byte N: ..." as a line.
int line_of_byte(std::string_view text, const std::string& message, int first_line) {
  constexpr std::string_view words = "at byte ";
  const std::size_t at = message.find(words);
  std::size_t byte = at == std::string::npos ? 0 : std::strtoull(message.c_str() + at + words.size(), nullptr, 10);
  byte = std::min(byte, text.size());
  return first_line + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n'));
}

Error wrong(const std::string& name, int line, std::string_view what) {
  return make_error(ErrorKind::invalid, fmt::format("{}:{}: {}", name, line, what));
}

struct Fence {
  char mark = 0;
  std::size_t size = 0;
  std::string_view rest;  // after the marks, trimmed
};

// A line that opens or closes a fenced block of Markdown: up to three blanks, then three or more of one mark.
Fence fence_of(std::string_view line) {
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  if (blanks > 3 || blanks == line.size()) return {};
  const char mark = line[blanks];
  if (mark != '`' && mark != '~') return {};
  const std::size_t end = std::min(line.find_first_not_of(mark, blanks), line.size());
  if (end - blanks < 3) return {};
  return {mark, end - blanks, core::trim(line.substr(end))};
}

}  // namespace

Result<std::vector<AccountEntry>> parse_account_text(std::string_view text, const std::string& name, int first_line) {
  if (text.size() > account_cap) {
    return wrong(name, first_line, fmt::format("an account of {} bytes is over the limit of {}", text.size(), account_cap));
  }
  const auto json = Json::parse(text);
  if (!json.ok()) return wrong(name, line_of_byte(text, json.error().message, first_line), json.error().message);
  if (!json->is_array()) return wrong(name, first_line, "an account must be an array of entries");
  if (json->items().size() > account_entries_cap) {
    return wrong(name, first_line, fmt::format("an account of {} entries is over the limit of {}", json->items().size(), account_entries_cap));
  }
  std::vector<AccountEntry> out;
  std::vector<int> lines;
  for (std::size_t i = 0; i < json->items().size(); ++i) {
    auto entry = parse_account_entry(json->items()[i], i);
    if (!entry.ok()) {
      if (lines.empty()) lines = element_lines(text, first_line);
      return wrong(name, i < lines.size() ? lines[i] : first_line, entry.error().message);
    }
    out.push_back(std::move(*entry));
  }
  return out;
}

Result<std::vector<AccountEntry>> account_in_text(std::string_view text, const std::string& name) {
  if (text.size() > account_cap) return wrong(name, 1, fmt::format("{} bytes are over the limit of {}", text.size(), account_cap));
  std::vector<AccountEntry> out;
  Fence open;         // of the block that the line is in
  int opened = 0;
  std::string block;  // of an account; other blocks are passed over
  int number = 0;
  for (const std::string_view line : core::split_lines(text)) {
    ++number;
    const Fence fence = fence_of(line);
    if (open.mark == 0) {
      if (fence.mark == 0 || (fence.mark == '`' && fence.rest.find('`') != std::string_view::npos)) continue;
      open = fence;
      opened = number;
      block.clear();
      continue;
    }
    const bool account = open.rest == info_string;
    const bool closes = fence.mark == open.mark && fence.size >= open.size && fence.rest.empty();
    if (!closes) {
      if (account) block.append(line).append("\n");
      continue;
    }
    if (account) {
      TRY_ASSIGN(std::vector<AccountEntry> entries, parse_account_text(block, name, opened + 1));
      out.insert(out.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
      if (out.size() > account_entries_cap) {
        return wrong(name, opened, fmt::format("an account of more than {} entries", account_entries_cap));
      }
    }
    open = {};
  }
  if (open.mark != 0 && open.rest == info_string) return wrong(name, opened, "the block sluice-account is not closed");
  return out;
}

}  // namespace sluice::model
