// SPDX-License-Identifier: Apache-2.0
#include "ingest/message.h"

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace sluice::ingest {
namespace {

using Kind = model::RevertLink::Kind;

constexpr std::size_t max_mentions = 64;  // a message is outside text: it must not grow the facts without end

bool is_sha(std::string_view word) {
  return word.size() >= 7 && word.size() <= 40 && core::is_hex(word, word.size());
}

std::string words(std::string_view text) {
  constexpr std::size_t most = 200, longest_character = 4;
  std::string line = core::to_utf8(text.substr(0, std::min(text.find('\n'), most + longest_character)));
  std::size_t end = std::min(most, line.size());
  while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  line.resize(end);
  return line;
}

}  // namespace

std::int64_t trailing_pr(std::string_view subject) {
  subject = core::trim(subject);
  if (!subject.ends_with(')')) return 0;
  const std::size_t open = subject.rfind("(#");
  if (open == std::string_view::npos) return 0;
  const std::string_view digits = subject.substr(open + 2, subject.size() - open - 3);
  if (digits.empty() || digits.size() > 12) return 0;
  std::int64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + (c - '0');
  }
  return number;
}

std::vector<std::string> leading_shas(std::string_view text) {
  std::vector<std::string> shas;
  std::size_t at = 0;
  while (at < text.size() && shas.size() < max_mentions) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n,;:&", at);
    if (begin == std::string_view::npos) break;
    std::size_t end = text.find_first_of(" \t\r\n,;:&", begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view word = text.substr(begin, end - begin);
    const std::string lower = core::to_lower(word);
    at = end;
    if (lower == "and" || lower == "commit" || lower == "commits") continue;
    std::string_view sha = lower;
    while (!sha.empty() && (sha.back() == '.' || sha.back() == ')')) sha.remove_suffix(1);
    if (!is_sha(sha)) break;
    shas.emplace_back(sha);
    if (sha.size() != lower.size()) break;  // a full stop ends the list
  }
  return shas;
}

MessageRules::MessageRules(core::Regex by_sha, core::Regex by_number, core::Regex subject_revert,
                           core::Regex subject_reland, core::Regex partial)
    : by_sha_(std::move(by_sha)),
      by_number_(std::move(by_number)),
      subject_revert_(std::move(subject_revert)),
      subject_reland_(std::move(subject_reland)),
      partial_(std::move(partial)) {}

Result<MessageRules> MessageRules::compile() {
  TRY_ASSIGN(
      auto by_sha,
      core::Regex::compile(
          R"((?i)\b((?:partial(?:ly)?|partly|in part)[ -])?(?:reverts?|reverting|backs? out)\s+(?:commits?:?\s+([0-9a-f]{7})|([0-9a-f]{40}\b)))"));
  TRY_ASSIGN(
      auto by_number,
      core::Regex::compile(
          R"((?i)\b((?:partial(?:ly)?|partly)[ -])?(reverts?|re-?lands?|re-?appl(?:y|ies)|resurrects?|backs? out)\s+(?:[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)?#[0-9]+)"));
  TRY_ASSIGN(
      auto subject_revert,
      core::Regex::compile(
          R"((?i)^\s*(?:\[[^\]]*\]\s*)*(?:(?:partial(?:ly)?|partly)[ -])?(?:revert(?:s|ed)?|back(?:s|ed)?[ -]?out)\b)"));
  TRY_ASSIGN(
      auto subject_reland,
      core::Regex::compile(
          R"((?i)^\s*(?:\[[^\]]*\]\s*)*(?:re-?land(?:s|ed)?|re-?appl(?:y|ied)|resurrect(?:s|ed)?)\b|\[re-?land\])"));
  TRY_ASSIGN(auto partial, core::Regex::compile(R"((?i)\b(?:partial(?:ly)?|partly)[ -]revert)"));
  return MessageRules(std::move(by_sha), std::move(by_number), std::move(subject_revert),
                      std::move(subject_reland), std::move(partial));
}

bool MessageRules::undoes(std::string_view subject) const { return subject_revert_.search(subject) || subject_reland_.search(subject); }

std::vector<Mention> MessageRules::mentions(std::string_view subject, std::string_view message) const {
  const bool reland = subject_reland_.search(subject);
  const bool partly = partial_.search(subject);
  std::vector<Mention> found;
  std::vector<std::string_view> groups;

  std::string_view rest = message;
  while (found.size() < max_mentions && by_sha_.search(rest, groups)) {
    const char* sha = groups[2].empty() ? groups[3].data() : groups[2].data();
    const auto offset = static_cast<std::size_t>(sha - rest.data());
    Mention mention;
    mention.shas = leading_shas(rest.substr(offset));
    mention.text = words(rest.substr(static_cast<std::size_t>(groups[0].data() - rest.data())));
    if (!groups[1].empty() || partly)
      mention.kind = Kind::partial_revert;
    else if (reland)
      mention.kind = Kind::reland;
    if (!mention.shas.empty()) found.push_back(std::move(mention));
    rest.remove_prefix(offset);
  }

  rest = message;
  while (found.size() < max_mentions && by_number_.search(rest, groups)) {
    const auto offset = static_cast<std::size_t>(groups[0].data() - rest.data());
    const std::string verb = core::to_lower(groups[2]);
    Mention mention;
    mention.text = words(rest.substr(offset));
    if (!groups[1].empty())
      mention.kind = Kind::partial_revert;
    else if (!verb.starts_with("rev") && !verb.starts_with("back"))
      mention.kind = Kind::reland;
    const auto length = groups[0].size();
    found.push_back(std::move(mention));
    rest.remove_prefix(offset + length);
  }

  if (found.empty() && (reland || subject_revert_.search(subject))) {
    Mention mention;
    mention.kind = reland ? Kind::reland : partly ? Kind::partial_revert : Kind::revert;
    mention.text = words(subject);
    found.push_back(std::move(mention));
  }
  return found;
}

}  // namespace sluice::ingest
