// SPDX-License-Identifier: Apache-2.0
#include "core/glob.h"

#include <cstddef>
#include <vector>

#include "core/text.h"

namespace sluice::core {
namespace {

// Matches one element of `p` at `i` (a byte, `?` or a class) against `c`; moves `i` behind it.
bool element_matches(std::string_view p, std::size_t& i, char c) {
  if (p[i] == '?') {
    ++i;
    return true;
  }
  if (p[i] == '[') {
    std::size_t k = i + 1;
    const bool negated = k < p.size() && (p[k] == '!' || p[k] == '^');
    if (negated) ++k;
    const std::size_t close = p.find(']', k + 1);  // a ']' that comes first stands for itself
    if (close != std::string_view::npos) {
      const auto byte = static_cast<unsigned char>(c);
      bool in = false;
      while (k < close) {
        const auto low = static_cast<unsigned char>(p[k]);
        if (k + 2 < close && p[k + 1] == '-') {
          in = in || (byte >= low && byte <= static_cast<unsigned char>(p[k + 2]));
          k += 3;
        } else {
          in = in || byte == low;
          ++k;
        }
      }
      i = close + 1;
      return in != negated;
    }
  }
  return p[i++] == c;
}

// One component. On a mismatch only the last `*` takes one byte more, so at most |p| x |s| steps.
bool component_matches(std::string_view p, std::string_view s) {
  std::size_t i = 0, k = 0;
  std::size_t after_star = std::string_view::npos, star_k = 0;
  while (k < s.size()) {
    if (i < p.size() && p[i] == '*') {
      after_star = ++i;
      star_k = k;
      continue;
    }
    std::size_t next = i;
    if (i < p.size() && element_matches(p, next, s[k])) {
      i = next;
      ++k;
      continue;
    }
    if (after_star == std::string_view::npos) return false;
    i = after_star;
    k = ++star_k;
  }
  while (i < p.size() && p[i] == '*') ++i;
  return i == p.size();
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view path) {
  if (pattern.empty() || path.empty()) return false;
  if (pattern.find('/') == std::string_view::npos) {
    const std::string_view last = path.substr(path.rfind('/') + 1);
    return component_matches(pattern, last);
  }
  if (pattern.front() == '/') pattern.remove_prefix(1);
  std::vector<std::string_view> want = split(pattern, '/');
  if (want.back().empty()) {  // "dir/": one component or more below it
    want.back() = "*";
    want.push_back("**");
  }
  // reached[i]: the components seen so far can be matched by the first i pattern components.
  std::vector<bool> reached(want.size() + 1, false);
  const auto skip_double_stars = [&](std::vector<bool>& at) {
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (at[i] && want[i] == "**") at[i + 1] = true;
    }
  };
  reached[0] = true;
  skip_double_stars(reached);
  for (const std::string_view component : split(path, '/')) {
    std::vector<bool> next(want.size() + 1, false);
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!reached[i]) continue;
      if (want[i] == "**") {
        next[i] = true;
      } else if (component_matches(want[i], component)) {
        next[i + 1] = true;
      }
    }
    skip_double_stars(next);
    reached = std::move(next);
  }
  return reached[want.size()];
}

}  // namespace sluice::core
