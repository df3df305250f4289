// SPDX-License-Identifier: Apache-2.0
// Second door of config/: an operator's sluice.toml is changed as text, so that comments, order and everything that
// nobody asked about stay byte for byte. Nothing here reads or writes a file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace sluice::config {

// Keys to set in one section of tables, e.g. `rules.G24`: {"mode", "\"observe\""}. Values are TOML as it is written.
struct SectionEdit {
  std::string section;
  std::vector<std::pair<std::string, std::string>> values;
};

// What became of the text, for people: a line of the old text and what stands there now.
struct EditedLine {
  std::size_t line = 0;  // 1-based in the old text; an added line: the one it follows
  std::string section;
  std::vector<std::string> removed, added;  // without line ends
};

struct EditedText {
  std::string text;
  std::vector<EditedLine> lines;  // in the order of the text
};

// A key that stands in its section gets its new value, and keeps the comment behind it; any other is added to the
// section; a section that is not there is added at the end. Values that are there already change nothing.
// Errors: invalid where the text writes the section in another form ([rules] G24 = {...}, G24.mode = ...) or the
// value goes over several lines: naming the line. The caller parses the result, and compares with what was meant.
Result<EditedText> edit_sections(std::string_view text, const std::vector<SectionEdit>& edits);

// A number as TOML writes it: 3, 0.25.
std::string toml_number(double value);

}  // namespace sluice::config
