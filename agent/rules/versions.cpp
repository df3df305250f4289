// SPDX-License-Identifier: Apache-2.0
#include "agent/rules/versions.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "agent/rules/text.h"
#include "core/text.h"

namespace sluice::agent::rules {
namespace {

struct Numbers {
  std::string rest;  // the text with `#` in the place of each
  std::vector<std::string_view> found;
};

// `1.2`, `1.2.3rc1`, or digits that are no part of a word.
Numbers cut_numbers(std::string_view text) {
  Numbers out;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      out.rest += text[i++];
      continue;
    }
    std::size_t end = i;
    const auto digits = [&](std::size_t k) {
      while (k < text.size() && is_digit(text[k])) ++k;
      return k;
    };
    end = digits(i);
    bool dotted = false;
    while (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
      end = digits(end + 1);
      dotted = true;
    }
    if (dotted)
      while (end < text.size() && in_word(text[end])) ++end;
    const bool free = (i == 0 || !in_word(text[i - 1])) && (end == text.size() || !in_word(text[end]));
    if (dotted || free) {
      out.found.push_back(text.substr(i, end - i));
      out.rest += '#';
    } else {
      out.rest += text.substr(i, end - i);
    }
    i = end;
  }
  return out;
}

// Its runs of digits, without leading zeros.
std::vector<std::string_view> parts_of(std::string_view number) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < number.size();) {
    std::size_t end = i;
    while (end < number.size() && is_digit(number[end])) ++end;
    if (end == i) {
      ++i;
      continue;
    }
    while (i + 1 < end && number[i] == '0') ++i;
    out.push_back(number.substr(i, end - i));
    i = end;
  }
  return out;
}

bool smaller(std::string_view a, std::string_view b) {
  const auto less = [](std::string_view x, std::string_view y) {
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  };
  const auto x = parts_of(a), y = parts_of(b);
  return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), less);
}

bool speaks_of_versions(std::string_view text) {
  constexpr std::array<std::string_view, 6> words = {"version", "requires", "==", ">=", "tag", "release"};
  const std::string low = core::to_lower(text);
  return std::any_of(words.begin(), words.end(), [&](auto word) { return low.find(word) != std::string::npos; });
}

}  // namespace

Newer newer_versions(std::string_view ours, std::string_view theirs) {
  const Numbers o = cut_numbers(ours), t = cut_numbers(theirs);
  if (o.rest != t.rest || o.found.size() != t.found.size() || o.found.empty() || !speaks_of_versions(ours))
    return Newer::no_answer;
  bool ours_smaller = false, theirs_smaller = false;
  for (std::size_t k = 0; k < o.found.size(); ++k) {
    ours_smaller = ours_smaller || smaller(o.found[k], t.found[k]);
    theirs_smaller = theirs_smaller || smaller(t.found[k], o.found[k]);
  }
  if (!ours_smaller) return Newer::ours;
  return theirs_smaller ? Newer::no_answer : Newer::theirs;
}

}  // namespace sluice::agent::rules
