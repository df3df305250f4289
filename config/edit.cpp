// SPDX-License-Identifier: Apache-2.0
#include "config/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text.h"

namespace sluice::config {
namespace {

// One line of the text and what it is in TOML: text inside """ or a list of several lines is never a section or a key.
struct Line {
  std::string_view text;  // with its line end
  bool starts = false;    // a statement may begin here
  bool whole = true;      // ... and ends here
  std::size_t comment = std::string_view::npos;  // where it begins
};

// Follows strings, comments and brackets over the whole text.
class Scanner {
 public:
  std::vector<Line> scan(std::string_view text) {
    std::vector<Line> out;
    for (const std::string_view each : core::split_lines_keep(text)) {
      Line line{each, quote_.empty() && depth_ == 0, true, std::string_view::npos};
      take(line);
      line.whole = quote_.empty() && depth_ == 0;
      out.push_back(line);
    }
    return out;
  }

 private:
  void take(Line& line) {
    const std::string_view text = line.text;
    std::size_t i = 0;
    while (i < text.size()) {
      const std::string_view rest = text.substr(i);
      if (!quote_.empty()) {
        if (quote_[0] == '"' && rest[0] == '\\') {
          i += 2;
        } else if (rest.starts_with(quote_)) {
          i += quote_.size();
          if (quote_.size() == 3) {  // up to two quotes may stand before the end
            while (i < text.size() && text[i] == quote_[0]) ++i;
          }
          quote_.clear();
        } else {
          ++i;
        }
        continue;
      }
      if (rest[0] == '#') {
        line.comment = i;
        break;
      }
      if (rest[0] == '"' || rest[0] == '\'') {
        const bool triple = rest.size() >= 3 && rest[1] == rest[0] && rest[2] == rest[0];
        quote_ = std::string(triple ? 3 : 1, rest[0]);
        i += quote_.size();
        continue;
      }
      if (rest[0] == '[' || rest[0] == '{') ++depth_;
      if ((rest[0] == ']' || rest[0] == '}') && depth_ > 0) --depth_;
      ++i;
    }
    if (quote_.size() == 1) quote_.clear();  // such a string ends with its line; the parser says what is wrong
  }

  std::string quote_;
  int depth_ = 0;
};

// `a . "b"` as a.b; empty for anything that is no key.
std::string plain_key(std::string_view text) {
  std::string out;
  for (const std::string_view part : core::split(text, '.')) {
    std::string_view key = core::trim(part);
    if (key.size() >= 2 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front()) key = key.substr(1, key.size() - 2);
    if (key.empty()) return {};
    if (!out.empty()) out += '.';
    out += key;
  }
  return out;
}

std::string_view statement(const Line& line) { return core::trim(line.text.substr(0, line.comment)); }

// The section that a header line opens; nothing where the line is no header. `[[x]]` is x too: nothing is added to it.
std::optional<std::string> header(const Line& line) {
  std::string_view text = statement(line);
  if (!line.starts || text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  const bool list = text.starts_with("[[") && text.ends_with("]]");
  text = text.substr(list ? 2 : 1, text.size() - (list ? 4 : 2));
  return (list ? "[" : "") + plain_key(text);
}

std::string_view line_end(std::string_view line) {
  return line.ends_with("\r\n") ? line.substr(line.size() - 2) : line.ends_with("\n") ? line.substr(line.size() - 1) : std::string_view{};
}

std::string without_end(std::string_view line) { return std::string(line.substr(0, line.size() - line_end(line).size())); }

class Editor {
 public:
  explicit Editor(std::string_view text) : lines_(Scanner().scan(text)), changed_(lines_.size()), after_(lines_.size()) {
    for (const Line& line : lines_) {
      if (!line_end(line.text).empty()) {
        end_ = line_end(line.text);
        break;
      }
    }
  }

  Result<void> edit(const SectionEdit& edit) {
    TRY(check_other_forms(edit.section));
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (header(lines_[i]) == edit.section) at = i;
    }
    if (!at) {
      new_sections_.push_back(edit);
      return {};
    }
    // Added keys follow the last key of the section: comments and empty lines before the next one belong to that.
    std::size_t last = *at;
    std::vector<std::pair<std::string, std::string>> missing = edit.values;
    for (std::size_t i = *at + 1; i < lines_.size() && !header(lines_[i]); ++i) {
      if (statement(lines_[i]).empty() && lines_[i].starts) continue;
      last = i;
      if (!lines_[i].starts) continue;
      const std::string_view text = lines_[i].text;
      const std::size_t equals = text.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string key = plain_key(text.substr(0, equals));
      const auto wanted = std::find_if(missing.begin(), missing.end(), [&](const auto& value) { return value.first == key; });
      if (wanted == missing.end()) continue;
      TRY(replace(i, equals, wanted->second, edit.section));
      missing.erase(wanted);
    }
    for (const auto& [key, value] : missing) after_[last].push_back({edit.section, fmt::format("{} = {}", key, value)});
    return {};
  }

  EditedText result() const {
    EditedText out;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      EditedLine edited{i + 1, "", {}, {}};
      if (changed_[i]) {
        edited.section = changed_[i]->first;
        edited.removed.push_back(without_end(lines_[i].text));
        edited.added.push_back(without_end(changed_[i]->second));
        out.text += changed_[i]->second;
      } else {
        out.text += lines_[i].text;
      }
      for (const auto& [section, added] : after_[i]) {
        close_line(out.text);
        out.text += added + end_;
        edited.section = section;
        edited.added.push_back(added);
      }
      if (!edited.added.empty()) out.lines.push_back(std::move(edited));
    }
    for (const SectionEdit& section : new_sections_) {
      EditedLine edited{lines_.size(), section.section, {}, {}};
      const auto add = [&](const std::string& line) {
        out.text += line + end_;
        edited.added.push_back(line);
      };
      close_line(out.text);
      if (!out.text.empty()) add("");
      add("[" + section.section + "]");
      for (const auto& [key, value] : section.values) add(fmt::format("{} = {}", key, value));
      out.lines.push_back(std::move(edited));
    }
    return out;
  }

 private:
  // The last line may lack its end.
  void close_line(std::string& text) const {
    if (!text.empty() && text.back() != '\n') text += end_;
  }

  Result<void> replace(std::size_t i, std::size_t equals, const std::string& value, const std::string& section) {
    const Line& line = lines_[i];
    if (!line.whole) return make_error(ErrorKind::invalid, fmt::format("line {}: a value over several lines is not edited; change it by hand", i + 1));
    const std::string_view before = line.text.substr(0, equals + 1);
    std::string_view old = line.text.substr(equals + 1, line.comment == std::string_view::npos ? line.text.size() - equals - 1 - line_end(line.text).size()
                                                                                               : line.comment - equals - 1);
    if (core::trim(old) == value) return {};
    const std::size_t first = old.find_first_not_of(" \t");
    const std::string_view lead = old.substr(0, first == std::string_view::npos ? 0 : first);
    const std::size_t length = old.find_last_not_of(" \t\r");
    const std::string_view behind = length == std::string_view::npos ? std::string_view{} : line.text.substr(equals + 1 + length + 1);
    changed_[i] = {section, fmt::format("{}{}{}{}", before, lead.empty() ? " " : lead, value, behind)};
    return {};
  }

  // [rules] with `G24 = {...}` or `G24.mode = ...`, or `rules.G24.mode = ...` before any section.
  Result<void> check_other_forms(const std::string& section) const {
    std::string here;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (const auto opened = header(lines_[i])) {
        here = *opened;
        continue;
      }
      const std::size_t equals = lines_[i].text.find('=');
      if (!lines_[i].starts || equals == std::string_view::npos || here == section || here.starts_with("[")) continue;
      const std::string key = (here.empty() ? "" : here + ".") + plain_key(lines_[i].text.substr(0, equals));
      if (key != section && !key.starts_with(section + ".")) continue;
      return make_error(ErrorKind::invalid, fmt::format("line {}: {} is written inside another section; write [{}] as a section of its own first", i + 1,
                                                        core::printable(key), section));
    }
    return {};
  }

  std::vector<Line> lines_;
  std::vector<std::optional<std::pair<std::string, std::string>>> changed_;     // section, line with its end
  std::vector<std::vector<std::pair<std::string, std::string>>> after_;         // section, line
  std::vector<SectionEdit> new_sections_;
  std::string end_ = "\n";
};

}  // namespace

Result<EditedText> edit_sections(std::string_view text, const std::vector<SectionEdit>& edits) {
  Editor editor(text);
  for (const SectionEdit& edit : edits) {
    if (edit.values.empty()) continue;
    TRY(editor.edit(edit));
  }
  return editor.result();
}

std::string toml_number(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) return fmt::format("{}", static_cast<long long>(value));
  return fmt::format("{:.6g}", value);
}

}  // namespace sluice::config
