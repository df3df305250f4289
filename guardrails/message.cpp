// SPDX-License-Identifier: Apache-2.0
#include "guardrails/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "guardrails/guardrails.h"
#include "guardrails/scan/lexical_roles.h"

namespace sluice::guardrails {
namespace {

using std::string_view;

constexpr std::array<string_view, 9> closing_words = {"close", "closes",  "closed",   "fix",     "fixes",
                                                      "fixed", "resolve", "resolves", "resolved"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t end_of_digits(string_view s, std::size_t i) {
  while (i < s.size() && is_digit(s[i])) ++i;
  return i;
}

// Length of `#12` or `GH-12` at s[i]; 0 when there is none. Word characters around it make it
// something else (`owner/name#12`, `v2#12`, `#12ab`).
std::size_t reference_at(string_view s, std::size_t i) {
  if (i > 0 && is_word(s[i - 1])) return 0;
  std::size_t digits = i;
  if (s[i] == '#')
    digits = i + 1;
  else if (core::to_lower(s.substr(i, 3)) == "gh-")
    digits = i + 3;
  else
    return 0;
  const std::size_t end = end_of_digits(s, digits);
  if (i > 0 && s[i - 1] == '&' && end < s.size() && s[end] == ';') return 0;  // an HTML entity
  return end == digits || (end < s.size() && is_word(s[end])) ? 0 : end - i;
}

// `#12`, `GH-12`, `owner/name#12` or an issue's address begins at s[i].
bool issue_at(string_view s, std::size_t i) {
  if (i >= s.size()) return false;
  if (reference_at(s, i) > 0) return true;
  const string_view word = s.substr(i, s.find_first_of(" \t\n", i) - i);
  if (word.starts_with("http://") || word.starts_with("https://")) {
    return word.find("/issues/") != string_view::npos || word.find("/pull/") != string_view::npos ||
           word.find("/merge_requests/") != string_view::npos;
  }
  const std::size_t hash = word.find('#');
  return hash != string_view::npos && hash > 0 && word.find('/') < hash && hash + 1 < word.size() &&
         is_digit(word[hash + 1]);
}

// Length of a closing keyword at s[i] that an issue follows (`Fixes: #12`); 0 when there is none.
std::size_t closing_word_at(string_view s, std::size_t i) {
  if (i > 0 && (is_word(s[i - 1]) || s[i - 1] == '-')) return 0;
  std::size_t end = i;
  while (end < s.size() && is_word(s[end])) ++end;
  const std::string word = core::to_lower(s.substr(i, end - i));
  if (std::find(closing_words.begin(), closing_words.end(), word) == closing_words.end()) return 0;
  std::size_t next = end;
  if (next < s.size() && s[next] == ':') ++next;
  while (next < s.size() && (is_blank(s[next]) || s[next] == '\n')) ++next;
  if (next < s.size() && (s[next] == '(' || s[next] == '[')) ++next;
  return issue_at(s, next) ? end - i : 0;
}

// The `@` at s[i] stands in an address: a local part before it, a dotted domain after it.
bool in_email(string_view s, std::size_t i) {
  static constexpr string_view local = "._%+-";
  if (i == 0 || !(is_word(s[i - 1]) || local.find(s[i - 1]) != string_view::npos)) return false;
  std::size_t end = i + 1;
  while (end < s.size() && (is_word(s[end]) || s[end] == '-' || s[end] == '.')) ++end;
  const string_view domain = s.substr(i + 1, end - i - 1);
  const std::size_t dot = domain.find('.');
  return dot != string_view::npos && dot > 0 && dot + 1 < domain.size();
}

}  // namespace

std::string neutral_text(string_view text, string_view upstream_repo) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t n = closing_word_at(text, i); n > 0) {
      out += "Upstream-";
      out += text.substr(i, n);
      i += n;
    } else if (const std::size_t m = reference_at(text, i); m > 0) {
      const string_view number = text.substr(i + (text[i] == '#' ? 1 : 3), m - (text[i] == '#' ? 1 : 3));
      out +=
          upstream_repo.empty() ? fmt::format("# {}", number) : fmt::format("{}#{}", upstream_repo, number);
      i += m;
    } else if (text[i] == '@' && i + 1 < text.size() && is_word(text[i + 1]) && !in_email(text, i) &&
               (i == 0 || !is_word(text[i - 1]))) {
      out += "@ ";
      ++i;
    } else {
      out += text[i++];
    }
  }
  return out;
}

bool looks_like_trailer(string_view line) {
  line = core::trim(line);
  while (!line.empty() && (line.front() == '>' || is_blank(line.front()))) line.remove_prefix(1);
  const std::string low = core::to_lower(line);
  if (low.starts_with("sluice-")) return low.find(':') != std::string::npos;
  if (low.starts_with("```") || low.starts_with("~~~")) return low.find("sluice-") != std::string::npos;
  return low.starts_with("upstream-commit:") || low.starts_with("upstream-author:") ||
         low.starts_with("upstream-commit :");
}

namespace {

std::string prefixed(const std::string& subject_prefix) {
  std::string out = subject_prefix;
  if (!out.empty() && !is_blank(out.back())) out += ' ';
  return out;
}

// Lines of somebody's text, none of which can be read as a trailer.
std::string quoted(string_view text) {
  std::string out;
  bool first = true;
  for (string_view line : core::split_lines(text)) {
    while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
    if (!first) out += '\n';
    if (looks_like_trailer(line)) out += "> ";
    out += line;
    first = false;
  }
  return out;
}

string_view first_line(string_view text) { return core::trim(text.substr(0, text.find('\n'))); }

}  // namespace

std::string pick_message(const model::UpstreamCommit& upstream, const std::string& unit, bool resolved,
                         const std::string& upstream_repo, const std::string& subject_prefix) {
  std::string text =
      neutral_text(core::trim(upstream.message.empty() ? upstream.subject : upstream.message), upstream_repo);
  if (text.empty()) text = "(no subject)";
  return fmt::format("{}{}\n\nUpstream-Commit: {}\nSluice-Unit: {}\nSluice-Resolution: {}\n",
                     prefixed(subject_prefix), quoted(text), upstream.oid, unit, resolved ? "resolved" : "clean");
}

std::string revert_message(const git::Commit& landed, const std::string& reason, const std::string& unit,
                           const std::string& subject_prefix) {
  const std::string prefix = prefixed(subject_prefix);
  string_view subject = first_line(core::trim(landed.message));
  if (!prefix.empty() && subject.starts_with(prefix)) subject.remove_prefix(prefix.size());
  // What sluice landed is neutral already; a subject that somebody else wrote must not close an issue again.
  return fmt::format(
      "{}Revert \"{}\"\n\n{}\n\nThis reverts commit {}.\n\nSluice-Reverts: {}\nSluice-Unit: {}\nSluice-Resolution: clean\n",
      prefix, subject.empty() ? "(no subject)" : neutral_text(subject, ""), quoted(core::trim(reason)), landed.oid,
      landed.oid, unit);
}

std::string merge_message(const model::Proposal& proposal, const std::string& subject_prefix) {
  constexpr std::size_t most_subjects = 50;
  const std::size_t n = proposal.members.size();
  const bool reverts = n > 0 && !proposal.members.front().reverts.empty();
  std::string out = fmt::format("{}Merge {}: {} {}{}\n\n", prefixed(subject_prefix), proposal.unit, n,
                                reverts ? "revert" : "upstream commit", n == 1 ? "" : "s");
  for (std::size_t k = 0; k < std::min(n, most_subjects); ++k)
    out += fmt::format("- {}\n", first_line(proposal.members[k].message));
  if (n > most_subjects) out += fmt::format("- and {} more\n", n - most_subjects);
  return fmt::format("{}\nSluice-Unit: {}\n", out, proposal.unit);
}

std::string companion_message(string_view words, const Oid& upstream, const std::string& unit) {
  std::string out;
  for (string_view line : core::split_lines(core::trim(words))) {
    while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
    if (looks_like_trailer(line) && !line.starts_with('>')) out += "> ";
    out += line;
    out += '\n';
  }
  if (out.empty()) out = fmt::format("Adapt the fork to {}\n", model::short_oid(upstream));
  return fmt::format("{}\n{}", out, companion_trailers(upstream, unit));
}

std::string companion_trailers(const Oid& upstream, const std::string& unit) {
  return fmt::format("Sluice-Unit: {}\nSluice-Companion-Of: {}\n", unit, upstream);
}

std::string with_evidence(const std::string& message, const std::string& verdict_digest) {
  return fmt::format("{}Sluice-Evidence: {}\n", message, verdict_digest);
}

}  // namespace sluice::guardrails
