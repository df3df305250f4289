// SPDX-License-Identifier: Apache-2.0
// What may leave: by path, and line by line whatever brings it.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "agent/loop/loop.h"
#include "agent/loop/skeleton.h"
#include "core/glob.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

// Shorter lines (`return nullptr;`, a lone brace) stand in every project and give nothing away.
constexpr std::size_t window = 24;
constexpr std::uint64_t factor = 1'099'511'628'211u;

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0;
  for (const char c : bytes) hash = hash * factor + static_cast<unsigned char>(c);
  return hash;
}

// What many files begin with says nothing about the file that it was found in.
bool everywhere(std::string_view line) {
  const std::string_view text = core::trim(line);
  if (text.starts_with("#include") || text.starts_with("import ") || text.starts_with("from ") || text.starts_with("using namespace "))
    return true;
  const std::string lower = core::to_lower(text);
  for (const auto* words : {"spdx-license", "copyright", "licensed under", "llvm.org/license", "apache license", "all rights reserved"})
    if (lower.find(words) != std::string::npos) return true;
  return false;
}

std::vector<std::string> lines_of(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const std::string& text : texts)
    for (const std::string_view line : core::split_lines(text)) {
      if (everywhere(line)) continue;
      std::string bones = skeleton(line);
      if (bones.size() >= window) out.push_back(std::move(bones));
    }
  return out;
}

}  // namespace

std::string skeleton(std::string_view text, std::vector<std::uint32_t>* offsets) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' || c == '"') continue;
    if (c != '\\') {
      out += c;
      if (offsets != nullptr) offsets->push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    while (i + 1 < text.size() && text[i + 1] == '\\') ++i;
    if (i + 1 >= text.size()) break;
    const char escape = text[i + 1];
    if (escape == 'u')
      i += std::min<std::size_t>(5, text.size() - i - 1);
    else if (std::string_view("nrtbf").find(escape) != std::string_view::npos)
      ++i;
  }
  return out;
}

struct Outgate::State {
  std::vector<std::string> send, never_send;
  Content never_sent, may_stand;

  std::once_flag once;
  std::optional<Error> failed;
  std::unordered_multimap<std::uint64_t, std::string> lines;  // by the hash of their first `window` bytes
  // Whether any of `lines` has a hash with these upper bits: asked at every byte of a request.
  std::vector<bool> may_be = std::vector<bool>(std::size_t{1} << 20);
  static std::size_t place(std::uint64_t hash) { return static_cast<std::size_t>((hash * 0x9e3779b97f4a7c15u) >> 44); }

  void read() {
    if (never_send.empty() || !never_sent) return;
    Result<std::vector<std::string>> texts = never_sent();
    if (!texts.ok()) {
      failed = texts.error();
      return;
    }
    std::unordered_set<std::string> known;
    if (may_stand) {
      Result<std::vector<std::string>> others = may_stand();
      if (!others.ok()) {
        failed = others.error();
        return;
      }
      for (std::string& line : lines_of(*others)) known.insert(std::move(line));
    }
    for (std::string& line : lines_of(*texts)) {
      if (!known.insert(line).second) continue;
      const std::uint64_t hash = hash_of(std::string_view(line).substr(0, window));
      may_be[place(hash)] = true;
      lines.emplace(hash, std::move(line));
    }
  }

  // Offset of a line that may not leave.
  std::optional<std::size_t> find(std::string_view text) const {
    if (lines.empty()) return std::nullopt;
    const std::string bones = skeleton(text);
    if (bones.size() < window) return std::nullopt;
    std::uint64_t out_of_window = 1;
    for (std::size_t i = 1; i < window; ++i) out_of_window *= factor;
    std::uint64_t hash = hash_of(std::string_view(bones).substr(0, window));
    for (std::size_t at = 0;; ++at) {
      const auto [first, last] = may_be[place(hash)] ? lines.equal_range(hash) : std::pair{lines.end(), lines.end()};
      for (auto line = first; line != last; ++line)
        if (bones.compare(at, line->second.size(), line->second) == 0) {
          std::vector<std::uint32_t> offsets;  // only now: most requests hold none
          skeleton(text, &offsets);
          return offsets[at];
        }
      if (at + window >= bones.size()) return std::nullopt;
      hash = (hash - out_of_window * static_cast<unsigned char>(bones[at])) * factor + static_cast<unsigned char>(bones[at + window]);
    }
  }
};

Outgate::Outgate(std::vector<std::string> send, std::vector<std::string> never_send, Content never_sent_texts, Content may_stand)
    : state_(std::make_shared<State>()) {
  state_->send = std::move(send);
  state_->never_send = std::move(never_send);
  state_->never_sent = std::move(never_sent_texts);
  state_->may_stand = std::move(may_stand);
}

bool Outgate::may_send(std::string_view path) const {
  const auto matches = [&](const std::string& glob) { return core::glob_match(glob, path); };
  for (const std::string& glob : state_->never_send)
    if (matches(glob)) return false;
  if (state_->send.empty()) return true;
  for (const std::string& glob : state_->send)
    if (matches(glob)) return true;
  return false;
}

Result<void> Outgate::check(const LlmRequest& request, std::string_view rendered) const {
  for (const Source& source : request.sources)
    if (!source.path.empty() && !may_send(source.path))
      return make_error(ErrorKind::denied, fmt::format("{} holds lines of {}, which [model] send and never_send keep here", source.what,
                                                       core::printable(source.path)));
  std::call_once(state_->once, [this] { state_->read(); });
  if (state_->failed)
    return make_error(ErrorKind::denied, "the files that [model] never_send names cannot be read, so nothing is sent: " + state_->failed->message);
  const auto at = state_->find(rendered);
  if (!at) return {};
  const auto in = [&](std::string_view text) { return state_->find(text).has_value(); };
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const LlmMessage& message = request.messages[i];
    const bool in_a_call = std::any_of(message.calls.begin(), message.calls.end(), [&](const ToolCall& call) { return in(call.raw); });
    if (in_a_call || in(message.text))
      return make_error(ErrorKind::denied, fmt::format("message {} ({}) holds a line of a file that [model] never_send names", i + 1,
                                                       message.role == LlmMessage::Role::user ? "of ours" : "of the model"));
    for (const ToolAnswer& answer : message.answers)
      if (in(answer.text))
        return make_error(ErrorKind::denied, fmt::format("message {} (the answer to call {}) holds a line of a file that [model] never_send names",
                                                         i + 1, core::printable(answer.call_id)));
  }
  return make_error(ErrorKind::denied, fmt::format("the request holds, at byte {}, a line of a file that [model] never_send names", *at));
}

}  // namespace sluice::agent
