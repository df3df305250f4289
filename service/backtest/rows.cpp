// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/rows.h"

#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "core/clock.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/text.h"

namespace sluice::service::backtest {

namespace {

constexpr std::size_t most_defects = 16u << 20;  // bytes of the table

struct Field {
  std::string_view key;
  std::string Case::*text;
  bool needed = false, lines = false;
};
constexpr Field fields[] = {
    {"base", &Case::base, true, true},   {"ours", &Case::ours, true, true},    {"theirs", &Case::theirs, true, true}, {"resolved", &Case::resolved, true, true},
    {"path", &Case::path, true, false},  {"before", &Case::before, false, true}, {"after", &Case::after, false, true}, {"id", &Case::id},
    {"repo", &Case::repo},               {"landed", &Case::landed},            {"upstream", &Case::upstream},         {"lang", &Case::lang},
    {"class", &Case::klass},
};

}  // namespace

Error RowReader::wrong(const std::string& what) const { return make_error(ErrorKind::invalid, fmt::format("{}:{}: {}", path_, lines_.number(), what)); }

Result<RowReader> RowReader::open(const std::string& path, RowLimits limits) {
  TRY_ASSIGN(core::LineReader lines, core::LineReader::open(path));
  return RowReader(std::move(lines), core::printable(path, 400), limits);
}

Result<std::optional<Case>> RowReader::next() {
  std::string_view line;
  do {
    TRY_ASSIGN(const bool more, lines_.next(line));
    if (!more) return std::optional<Case>{};
  } while (core::trim(line).empty());
  const auto json = core::Json::parse(line);
  if (!json.ok()) return wrong(json.error().message);
  if (!json->is_object()) return wrong("an object is wanted, one a line");
  Case out;
  for (const Field& field : fields) {
    const core::Json& value = (*json)[field.key];
    if (value.is_null() && !field.needed) continue;
    if (!value.is_string()) return wrong(fmt::format("field {}: {}", field.key, json->has(field.key) ? "a string is wanted" : "it is missing"));
    std::string& text = out.*field.text;
    text = value.as_string();
    if (text.size() > limits_.max_text) return wrong(fmt::format("field {}: {} bytes, at most {} are read", field.key, text.size(), limits_.max_text));
    if (field.lines && !text.empty() && text.back() != '\n') text += '\n';
  }
  if (const core::Json& date = (*json)["date"]; !date.is_null()) {
    if (date.is_int()) {
      out.date = date.as_int();
    } else {
      const auto at = core::parse_utc(date.as_string());
      if (!at.ok()) return wrong("field date: " + at.error().message);
      out.date = *at;
    }
  }
  if (out.path.empty()) return wrong("field path: it is empty");
  if (out.id.empty()) out.id = fmt::format("line {}", lines_.number());
  if (!ids_.insert(out.id).second) return wrong(fmt::format("field id: \"{}\" stands in an earlier line too", core::printable(out.id)));
  if (ids_.size() > limits_.max_rows) return wrong(fmt::format("more than {} rows", limits_.max_rows));
  if (out.lang.empty()) out.lang = lang_of(out.path);
  if (out.klass.empty()) out.klass = class_of(out);
  return std::optional<Case>(std::move(out));
}

Result<std::set<std::string>> read_defects(const std::string& path) {
  TRY_ASSIGN(const std::string text, core::read_file(path, most_defects));
  const std::vector<std::string_view> lines = core::split_lines(text);
  if (lines.empty() || core::split(lines[0], '\t')[0] != "id")
    return make_error(ErrorKind::invalid, fmt::format("{}:1: the first line must name the columns, id first, separated by tabs", core::printable(path, 400)));
  std::set<std::string> out;
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const std::string_view id = core::trim(core::split(lines[k], '\t')[0]);
    if (!id.empty()) out.emplace(id);
  }
  return out;
}

Result<std::string> sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  core::Sha256 sha;
  std::string piece(1u << 20, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0)
    sha.add(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount())));
  if (!file.eof()) return make_error(ErrorKind::transient, fmt::format("cannot read {} to its end", core::printable(path, 400)));
  return sha.hex();
}

}  // namespace sluice::service::backtest
