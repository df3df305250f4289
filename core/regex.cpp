// SPDX-License-Identifier: Apache-2.0
#include "core/regex.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "core/text.h"

namespace sluice::core {
namespace {

RE2::Options options() {
  RE2::Options o;
  o.set_encoding(RE2::Options::EncodingLatin1);
  o.set_log_errors(false);
  return o;
}

re2::StringPiece piece(std::string_view s) { return {s.data(), s.size()}; }

}  // namespace

struct Regex::State {
  explicit State(std::string_view pattern) : text(pattern), re(piece(pattern), options()) {}
  std::string text;
  RE2 re;
};

Regex::Regex(std::unique_ptr<State> state) : state_(std::move(state)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view pattern) {
  auto state = std::make_unique<State>(pattern);
  if (!state->re.ok()) {
    return make_error(ErrorKind::invalid, fmt::format("regular expression '{}' cannot be read: {}",
                                                      printable(pattern), printable(state->re.error())));
  }
  return Regex(std::move(state));
}

bool Regex::search(std::string_view text) const {
  return state_->re.Match(piece(text), 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

bool Regex::full_match(std::string_view text) const {
  return state_->re.Match(piece(text), 0, text.size(), RE2::ANCHOR_BOTH, nullptr, 0);
}

bool Regex::search(std::string_view text, std::vector<std::string_view>& groups) const {
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(state_->re.NumberOfCapturingGroups()) + 1);
  if (!state_->re.Match(piece(text), 0, text.size(), RE2::UNANCHORED, found.data(),
                        static_cast<int>(found.size()))) {
    return false;
  }
  groups.clear();
  for (const auto& f : found) groups.emplace_back(f.data(), f.size());
  return true;
}

const std::string& Regex::pattern() const { return state_->text; }

}  // namespace sluice::core
