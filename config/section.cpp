// SPDX-License-Identifier: Apache-2.0
#include "config/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/text.h"

namespace sluice::config {
namespace {

// Edits (insert, delete, replace) that turn one word into the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t above = row[k];
      row[k] = std::min({above + 1, row[k - 1] + 1, diagonal + (a[i - 1] == b[k - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

}  // namespace

void Problems::add(int line, std::string_view message, Kind kind) {
  const std::pair rank(kind, line);
  if (first_ && rank_ <= rank) return;
  rank_ = rank;
  first_ = make_error(ErrorKind::invalid, fmt::format("{}:{}: {}", file_, line, message));
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

std::string suggest(std::string_view word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    const std::size_t d = distance(word.substr(0, 64), candidate);
    if (best == nullptr || d < best_distance) {
      best = &candidate;
      best_distance = d;
    }
  }
  if (best == nullptr) return "";
  if (best_distance <= std::max<std::size_t>(2, best->size() / 3))
    return fmt::format("; did you mean '{}'?", *best);
  return fmt::format("; known here: {}", core::join(known, ", "));
}

std::optional<std::string> plain_text(const toml::node& node, std::string_view what, Problems& problems) {
  const auto value = node.value_exact<std::string>();
  if (!value) {
    problems.add(line_of(node), fmt::format("{} must be a text, not {}", what, type_name(node)));
    return std::nullopt;
  }
  for (const char c : *value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) continue;
    problems.add(line_of(node), fmt::format("{} holds the control character {:#04x}: '{}'", what,
                                            static_cast<unsigned>(byte), core::printable(*value)));
    return std::nullopt;
  }
  return value;
}

Section::Section(const toml::table& table, std::string name, Problems& problems)
    : table_(table), name_(std::move(name)), problems_(problems) {}

int Section::line() const { return line_of(table_); }

int Section::line(std::string_view key) const {
  const auto found = table_.find(key);
  return found == table_.end() ? line() : static_cast<int>(found->first.source().begin.line);
}

const toml::node* Section::node(std::string_view key) {
  known_.emplace(key);
  return table_.get(key);
}

void Section::problem(std::string_view key, std::string_view message) {
  problems_.add(line(key), fmt::format("{} {}: {}", name_, key, message));
}

void Section::text(std::string_view key, std::string& out) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto value = plain_text(*found, fmt::format("{} {}", name_, key), problems_);
  if (value && value->empty()) problem(key, "is empty; leave the key out for the default");
  if (value) out = *value;
}

void Section::integer(std::string_view key, std::int64_t& out, std::int64_t min, std::int64_t max) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto value = found->value_exact<std::int64_t>();
  if (!value) return problem(key, fmt::format("must be an integer, not {}", type_name(*found)));
  if (*value < min || *value > max)
    return problem(key, fmt::format("{} is not between {} and {}", *value, min, max));
  out = *value;
}

void Section::number(std::string_view key, double& out, double min) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  if (!found->is_number()) return problem(key, fmt::format("must be a number, not {}", type_name(*found)));
  const double value = found->value<double>().value_or(0);
  if (!(value >= min) || value > 1e9)
    return problem(key, fmt::format("{} is not between {} and 1e9", value, min));
  out = value;
}

void Section::boolean(std::string_view key, bool& out) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const auto value = found->value_exact<bool>();
  if (!value) return problem(key, fmt::format("must be true or false, not {}", type_name(*found)));
  out = *value;
}

void Section::texts(std::string_view key, std::vector<std::string>& out) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const toml::array* array = found->as_array();
  if (array == nullptr)
    return problem(key, fmt::format("must be an array of texts, not {}", type_name(*found)));
  out.clear();
  for (const toml::node& element : *array) {
    auto value = plain_text(element, fmt::format("{} {}", name_, key), problems_);
    if (!value) continue;
    if (value->empty())
      problems_.add(line_of(element), fmt::format("{} {}: holds an empty text", name_, key));
    if (std::find(out.begin(), out.end(), *value) != out.end())
      problems_.add(line_of(element),
                    fmt::format("{} {}: names '{}' twice", name_, key, core::printable(*value)));
    out.push_back(std::move(*value));
  }
}

void Section::seconds(std::string_view key, std::int64_t& out, std::int64_t max) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  if (found->is_integer()) return integer(key, out, 1, max);
  std::string given;
  text(key, given);
  if (given.empty()) return;
  const char unit = given.back();
  const std::int64_t factor = unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : 0;
  const std::string_view digits = std::string_view(given).substr(0, given.size() - 1);
  const bool number = !digits.empty() && digits.size() <= 9 &&
                      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (factor == 0 || !number)
    return problem(key,
                   fmt::format("'{}' is not a time; write seconds, or a text like \"90s\", \"30m\", \"2h\"",
                               core::printable(given)));
  const std::int64_t value = std::stoll(std::string(digits)) * factor;
  if (value < 1 || value > max)
    return problem(key, fmt::format("{} s is not between 1 and {} s", value, max));
  out = value;
}

void Section::table_of_texts(std::string_view key, std::vector<std::pair<std::string, std::string>>& out) {
  const toml::node* found = node(key);
  if (found == nullptr) return;
  const toml::table* table = found->as_table();
  if (table == nullptr)
    return problem(key, fmt::format("must be a table of texts, not {}", type_name(*found)));
  for (const auto& [name, value] : *table) {
    auto given =
        plain_text(value, fmt::format("{} {} '{}'", name_, key, core::printable(name.str())), problems_);
    if (given) out.emplace_back(std::string(name.str()), std::move(*given));
  }
}

void Section::later(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (node(key) != nullptr)
      problems_.add(line(key), fmt::format("key '{}' in {} is not supported by this version", key, name_));
  }
}

void Section::require(std::string_view key) {
  if (!has(key))
    problems_.add(line(), fmt::format("{} lacks the key '{}'", name_, key), Problems::Kind::missing);
}

void Section::finish() {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const auto& [key, value] : table_) {
    (void)value;
    if (known_.contains(key.str())) continue;
    problems_.add(static_cast<int>(key.source().begin.line),
                  fmt::format("unknown key '{}' in {}{}", core::printable(key.str()), name_,
                              suggest(key.str(), known)));
  }
}

void Section::bad_word(std::string_view key, const std::string& given, const std::vector<std::string>& names,
                       std::span<const std::string_view> later) {
  if (std::find(later.begin(), later.end(), given) != later.end())
    return problem(key, fmt::format("'{}' is not supported by this version; it knows: {}", given,
                                    core::join(names, ", ")));
  problem(key, fmt::format("'{}' is not one of {}{}", core::printable(given), core::join(names, ", "),
                           suggest(given, names).starts_with("; did") ? suggest(given, names) : ""));
}

}  // namespace sluice::config
