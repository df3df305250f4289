// SPDX-License-Identifier: Apache-2.0
// One table of the file: typed reads that remember which keys are known, so that the rest are errors.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/toml.h"
#include "core/result.h"

namespace sluice::config {

// Of all problems the one that comes first in the file is reported; what is missing comes after what is
// there and wrong, since a misspelt key is both.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}
  enum class Kind { wrong, missing };
  void add(int line, std::string_view message, Kind kind = Kind::wrong);
  bool any() const { return first_.has_value(); }
  Error error() const { return *first_; }  // REQUIRES: any()

 private:
  std::string file_;
  std::pair<Kind, int> rank_;
  std::optional<Error> first_;
};

int line_of(const toml::node& node);

// "; did you mean 'branch'?" when a known word is close, else "; known here: a, b, c".
std::string suggest(std::string_view word, const std::vector<std::string>& known);

// `text` in the error is shown escaped and capped. Values are strings without control characters.
class Section {
 public:
  // `name` as the reader wrote it: "[fork]", "[[suite]]".
  Section(const toml::table& table, std::string name, Problems& problems);

  bool has(std::string_view key) const { return table_.contains(key); }
  int line(std::string_view key) const;  // of the key's value, else of the table
  int line() const;
  // Absent: `out` stays. A wrong type or an empty text is a problem.
  void text(std::string_view key, std::string& out);
  void integer(std::string_view key, std::int64_t& out, std::int64_t min, std::int64_t max);
  void number(std::string_view key, double& out, double min);
  void boolean(std::string_view key, bool& out);
  void texts(std::string_view key, std::vector<std::string>& out);
  // Seconds, or text with a unit: "90s", "30m", "2h".
  void seconds(std::string_view key, std::int64_t& out, std::int64_t max);
  // One of a closed list. `later`: words of the design that this version does not carry out.
  template <class T>
  void word(std::string_view key, T& out, std::span<const std::pair<std::string_view, T>> allowed,
            std::span<const std::string_view> later = {}) {
    std::string given;
    text(key, given);
    if (given.empty()) return;
    std::vector<std::string> names;
    for (const auto& [name, value] : allowed) {
      if (name == given) {
        out = value;
        return;
      }
      names.emplace_back(name);
    }
    bad_word(key, given, names, later);
  }
  // A table of its own, e.g. allowed_skips: text by text.
  void table_of_texts(std::string_view key, std::vector<std::pair<std::string, std::string>>& out);
  const toml::node* node(std::string_view key);  // for what has a shape of its own; null when absent
  // Keys of the design that this version does not carry out.
  void later(std::initializer_list<std::string_view> keys);
  void require(std::string_view key);  // a problem when absent
  void finish();                       // every key nobody asked for is a problem
  void problem(std::string_view key, std::string_view message);
  const std::string& name() const { return name_; }

 private:
  void bad_word(std::string_view key, const std::string& given, const std::vector<std::string>& names,
                std::span<const std::string_view> later);

  const toml::table& table_;
  std::string name_;
  Problems& problems_;
  std::set<std::string, std::less<>> known_;
};

// A text without control characters, or a problem on its line.
std::optional<std::string> plain_text(const toml::node& node, std::string_view what, Problems& problems);

}  // namespace sluice::config
