// SPDX-License-Identifier: Apache-2.0
#include "ingest/source_words.h"

#include <algorithm>
#include <charconv>

#include "core/text.h"

namespace sluice::ingest {
namespace {

constexpr std::size_t max_members = 1000;
constexpr std::size_t max_text = 1u << 20;  // a message is outside text
constexpr std::size_t max_tags = 8;

std::int64_t number(std::string_view digits) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return error == std::errc() && end == digits.data() + digits.size() ? n : 0;
}

// Distinct `#N` in order of appearance; with `links` also `/pull/N`.
std::vector<std::int64_t> numbers_in(std::string_view text, bool links = false) {
  std::vector<std::int64_t> out;
  for (std::size_t at = 0; at < text.size() && out.size() < max_members; ++at) {
    std::size_t begin = at + 1;
    if (links && text.substr(at).starts_with("/pull/")) begin = at + 6;
    else if (text[at] != '#') continue;
    std::size_t end = begin;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const std::int64_t n = end > begin && end - begin < 9 ? number(text.substr(begin, end - begin)) : 0;
    if (n > 0 && std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
    at = end - 1;
  }
  return out;
}

}  // namespace

SourceWords::SourceWords(core::Regex title, core::Regex picked, core::Regex member, core::Regex source, core::Regex partial,
                         core::Regex several)
    : title_(std::move(title)),
      picked_(std::move(picked)),
      member_(std::move(member)),
      source_(std::move(source)),
      partial_(std::move(partial)),
      several_(std::move(several)) {}

Result<SourceWords> SourceWords::compile() {
  TRY_ASSIGN(auto title, core::Regex::compile(R"((?i)(?:cherry-?pick|backport)\s+(\d{1,4})\s+upstream)"));
  TRY_ASSIGN(auto picked, core::Regex::compile(R"((?i)^[#*\s-]*(?:picked|applied)\W{0,3}\((\d{1,4})\)(.*)$)"));
  TRY_ASSIGN(auto member, core::Regex::compile(R"(^\s*[-*]?\s*\[\d{1,4}\].*#(\d{1,7})\s*\W{0,3}([0-9a-f]{7,40})\b)"));
  // At the beginning of a line, or in brackets: a sentence in the middle of a text tells of some other pick.
  TRY_ASSIGN(auto source,
             core::Regex::compile(R"((?im)(?:^[\s*-]*|\()(?:this (?:commit |change |pr )?(?:is an? )?)?(?:manual |resolved |clean )?)"
                                  R"((?:backport(?:s|ed)?|cherry[ -]?pick(?:s|ed)?|original(?:ly)?)\b[\s:]*)"
                                  R"((?:(?:of|from|for|the|an?|upstream|prs?|pull requests?)\b[\s:]*)*)"
                                  R"(((?:(?:https?://[^\s#]{1,200}/pull/|(?:[\w.-]{1,100}/[\w.-]{1,100})?#)\d{1,8}\b[\s,;&]*(?:and\s+)?)+))"));
  TRY_ASSIGN(auto partial, core::Regex::compile(R"((?i)\bpartial(?:ly)?[ -](?:cherry[ -]?)?(?:pick|backport|port)|)"
                                                R"(\b(?:backport|cherry[ -]?pick)(?:s|ed|ing)? (?:a )?parts? of\b)"));
  TRY_ASSIGN(auto several, core::Regex::compile(R"((?i)\[[^\]]{0,20}bundle\]|\b(?:backport|cherry-?pick)s? bundle\b|#\d+ and \d+ more\b)"));
  return SourceWords(std::move(title), std::move(picked), std::move(member), std::move(source), std::move(partial), std::move(several));
}

BundleWords SourceWords::bundle(std::string_view message) const {
  BundleWords out;
  message = message.substr(0, max_text);
  std::vector<std::string_view> groups;
  const std::string_view subject = message.substr(0, message.find('\n'));
  if (title_.search(subject, groups)) {
    out.declared = number(groups[1]);
    const std::string_view rest = subject.substr(static_cast<std::size_t>(groups[1].data() - subject.data()));
    const std::string_view list = rest.substr(0, rest.find(')'));
    if (auto found = numbers_in(list); static_cast<std::int64_t>(found.size()) == out.declared) out.numbers = std::move(found);
  }
  out.several = out.declared > 1 || several_.search(subject);
  bool below = false;  // the line before was `Picked (n)` alone
  for (const std::string_view line : core::split_lines(message)) {
    const auto take = [&](std::string_view text) {
      if (auto found = numbers_in(text); out.numbers.empty() && static_cast<std::int64_t>(found.size()) == out.declared)
        out.numbers = std::move(found);
    };
    if (below) take(line);
    below = false;
    if (out.lines.size() < max_members && member_.search(line, groups)) out.lines.emplace_back(number(groups[1]), std::string(groups[2]));
    if (!picked_.search(line, groups)) continue;
    if (out.declared == 0) out.declared = number(groups[1]);
    take(groups[2]);
    below = core::trim(groups[2]).empty();
  }
  return out;
}

std::vector<std::int64_t> SourceWords::numbers(std::string_view message) const {
  std::vector<std::int64_t> out;
  std::vector<std::string_view> groups;
  std::string_view rest = message.substr(0, max_text);
  while (out.size() < max_members && source_.search(rest, groups)) {
    for (const std::int64_t n : numbers_in(groups[1], true)) {
      if (std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
    }
    rest.remove_prefix(static_cast<std::size_t>(groups[0].data() - rest.data()) + groups[0].size());
  }
  return out;
}

bool SourceWords::partial(std::string_view subject) const { return partial_.search(subject); }

bool speaks_of_undoing(std::string_view words) {
  const std::string lower = core::to_lower(words);
  for (const char* word : {"revert", "back out", "backout", "back-out", "backing out", "undo "}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string_view subject_line(std::string_view message) { return core::trim(message.substr(0, message.find('\n'))); }

std::string_view without_last_number(std::string_view subject) {
  const auto at = subject.rfind(" (#");
  return at == std::string_view::npos || !subject.ends_with(')') ? subject : core::trim(subject.substr(0, at));
}

std::string_view without_numbers(std::string_view subject) {
  for (std::string_view shorter = without_last_number(subject); shorter.size() < subject.size(); shorter = without_last_number(subject))
    subject = shorter;
  return subject;
}

std::string title_key(std::string_view subject) {
  std::string out;
  const std::string_view text = without_numbers(core::trim(subject));
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool hard = text.substr(i).starts_with("\xc2\xa0");  // a blank that does not break
    const char c = hard ? ' ' : text[i];
    if (hard) ++i;
    if (c == '`' || (c == ' ' && (out.empty() || out.back() == ' '))) continue;
    out += c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::vector<std::string> titles(std::string_view subject) {
  std::vector<std::string> out;
  std::string_view rest = core::trim(subject);
  while (out.size() < max_tags) {
    out.push_back(title_key(rest));
    rest = without_numbers(rest);
    const std::string lower = core::to_lower(rest.substr(0, 12));
    std::size_t skip = 0;
    if (rest.starts_with('[')) {
      skip = rest.find(']') == std::string_view::npos ? 0 : rest.find(']') + 1;
    } else if (rest.size() > 2 && (rest.front() == '\'' || rest.front() == '"') && rest.back() == rest.front()) {
      rest.remove_suffix(1);
      skip = 1;
    } else {
      for (const std::string_view word : {"backport", "cherry-pick", "cherrypick", "cherry pick"}) {
        if (lower.starts_with(word) && rest.size() > word.size() && (rest[word.size()] == ' ' || rest[word.size()] == ':')) skip = word.size();
      }
    }
    if (skip == 0) break;
    rest = core::trim(rest.substr(skip));
    if (rest.starts_with(':')) rest = core::trim(rest.substr(1));
  }
  return out;
}

}  // namespace sluice::ingest
