// SPDX-License-Identifier: Apache-2.0
// Linear-time regular expressions (RE2, included in regex.cpp alone): safe on hostile text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace sluice::core {

class Regex {
 public:
  // Errors: invalid, with RE2's reason. Bytes are Latin-1, so any byte string can be searched.
  static Result<Regex> compile(std::string_view pattern);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  bool search(std::string_view text) const;      // anywhere
  bool full_match(std::string_view text) const;  // whole text
  // groups[0] is the match, then the capture groups; false leaves `groups` untouched.
  bool search(std::string_view text, std::vector<std::string_view>& groups) const;
  const std::string& pattern() const;

 private:
  struct State;
  explicit Regex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sluice::core
