// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/special_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "guardrails/scan/call_scan.h"
#include "guardrails/scan/cpp_tokens.h"
#include "guardrails/scan/lexical.h"

namespace sluice::guardrails {
namespace {

using Tokens = std::vector<Token>;

Tokens tokens_of(std::string_view path, std::string_view text) {
  if (family_of(path) == Family::c) return tokenize_cpp(text).tokens;
  return tokenize_python(text).tokens;  // '#' begins a comment in every other language that is looked at
}

bool any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_ci_variable(std::string_view word) {
  return any_of(word, {"CI", "GITHUB_ACTIONS", "GITHUB_RUN_ID", "BUILDKITE", "JENKINS_URL",
                       "CONTINUOUS_INTEGRATION", "TRAVIS", "CIRCLECI", "GITLAB_CI", "SANDCASTLE"});
}
bool is_timer(std::string_view word) {
  return any_of(word, {"elapsed_time", "perf_counter", "perf_counter_ns", "monotonic", "process_time",
                       "do_bench", "do_bench_cudagraph", "cudaEventElapsedTime", "hipEventElapsedTime"});
}
bool is_hash_word(std::string_view word) {
  const std::string low = core::to_lower(word.substr(0, 100));
  return low.find("hash") != std::string::npos || low.find("sha") == 0 ||
         low.find("md5") != std::string::npos || low.find("digest") != std::string::npos ||
         low.find("checksum") != std::string::npos || low.find("crc") != std::string::npos;
}
bool is_digest(std::string_view word) {
  if (word.starts_with("0x")) word.remove_prefix(2);
  return (word.size() == 16 || word.size() == 32 || word.size() == 40 || word.size() == 64) &&
         core::is_hex(core::to_lower(word), word.size()) &&
         word.find_first_not_of("0123456789") != std::string_view::npos;
}

class Scan {
 public:
  Scan(std::string_view path, std::string_view text, const std::vector<std::string>& names)
      : tokens_(tokens_of(path, text)), names_(names) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) take(i);
  }
  std::vector<SpecialCase> out;

 private:
  std::string_view text(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }
  bool is_text(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == TokenKind::text; }
  void add(std::size_t i, std::string what, bool in_tests) {
    out.push_back({tokens_[i].line, std::move(what), in_tests});
  }

  // A variable of the environment: its name in a literal, or `$NAME`, `${NAME}`, `ENV{NAME}`.
  bool environment(std::size_t i) const {
    if (is_text(i) || (i > 0 && text(i - 1) == "$")) return true;
    return i > 1 && text(i - 1) == "{" && (text(i - 2) == "$" || text(i - 2) == "ENV");
  }
  // "$NAME" and "${NAME...}" inside a literal of a script.
  void expansions(std::size_t i, std::string_view word) {
    for (std::size_t at = word.find('$'); at != std::string_view::npos; at = word.find('$', at + 1)) {
      const auto names = core::identifiers(word.substr(at, 64));
      const bool here =
          !names.empty() && static_cast<std::size_t>(names.front().data() - word.data()) <= at + 2;
      if (here && is_ci_variable(names.front()))
        add(i, fmt::format("asks whether it runs in CI (`{}`)", names.front()), true);
    }
  }
  // On a line of its own or as an attribute: a keyword of a call only has the name.
  bool assigned(std::size_t i) const {
    return text(i + 1) == "=" && (i == 0 || text(i - 1) == "." || tokens_[i - 1].line != tokens_[i].line);
  }

  void take(std::size_t i) {
    if (tokens_[i].kind != TokenKind::name && !is_text(i)) {
      if (tokens_[i].kind == TokenKind::number && is_digest(tokens_[i].text)) digest(i, tokens_[i].text);
      return;
    }
    const std::string_view word = is_text(i) ? inner_text(tokens_[i].text) : tokens_[i].text;
    if (word.find("PYTEST_CURRENT_TEST") != std::string_view::npos)
      add(i, "asks for PYTEST_CURRENT_TEST", true);
    if (is_ci_variable(word) && environment(i))
      add(i, fmt::format("asks whether it runs in CI (`{}`)", word), true);
    if (word.starts_with("LIT_") && word.size() > 4)
      add(i, fmt::format("asks for lit's `{}`", word.substr(0, 60)), false);
    if (std::binary_search(names_.begin(), names_.end(), word))
      add(i, fmt::format("names the test `{}`", word.substr(0, 100)), false);
    if (word == "HOSTNAME" && environment(i)) add(i, "asks for the name of its host", false);
    if (is_text(i)) {
      expansions(i, word);
      if (is_digest(word)) digest(i, word);
      if (is_timer(word) && i >= 4 && text(i - 1) == "," && within(i, "setattr"))
        add(i, fmt::format("replaces the timer `{}`", word), true);
      return;
    }
    const std::string_view next = text(i + 1);
    if (next == "(" && any_of(word, {"gethostname", "uname", "getfqdn", "GetComputerName"}))
      add(i, "asks for the name of its host", false);
    if (word == "node" && next == "(" && i >= 2 && text(i - 2) == "platform")
      add(i, "asks for the name of its host", false);
    if (word == "get_objects" && i >= 2 && text(i - 2) == "gc")
      add(i, "searches the objects of the process (gc.get_objects)", true);
    if (is_timer(word) && assigned(i)) add(i, fmt::format("replaces the timer `{}`", word), true);
    if (word == "time" && next == "=" && i >= 2 && text(i - 1) == "." && text(i - 2) == "time")
      add(i, "replaces the timer `time.time`", true);
    if ((word == "import" || word == "from") &&
        any_of(next, {"pytest", "_pytest", "unittest", "lit", "gtest"}))
      add(i, fmt::format("imports the harness `{}`", next), false);
    if (word == "modules" && i >= 2 && text(i - 2) == "sys") {
      for (std::size_t k = i > 4 ? i - 4 : 0; k < std::min(i + 4, tokens_.size()); ++k) {
        if (is_text(k) && any_of(inner_text(tokens_[k].text), {"pytest", "_pytest", "unittest", "lit"}))
          add(i, "asks whether a harness is loaded", true);
      }
    }
    if (word == "UnitTest" && (next == "::" || next == "."))
      add(i, "asks the harness which test runs", false);
    if (any_of(word, {"current_test_info", "current_test_suite"}))
      add(i, "asks the harness which test runs", false);
  }

  bool within(std::size_t i, std::string_view callee) const {
    for (std::size_t k = i; k-- > 0 && i - k < 12;) {
      if (text(k) == callee) return true;
    }
    return false;
  }

  // A digest is one of an input where the line speaks of hashes.
  void digest(std::size_t i, std::string_view word) {
    const std::uint32_t line = tokens_[i].line;
    const std::size_t first = i > 24 ? i - 24 : 0;
    for (std::size_t k = first; k < std::min(i + 24, tokens_.size()); ++k) {
      if (tokens_[k].line == line && tokens_[k].kind == TokenKind::name && is_hash_word(tokens_[k].text)) {
        add(i, fmt::format("compares with the hard-coded hash {}", word.substr(0, 40)), true);
        return;
      }
    }
  }

  Tokens tokens_;
  const std::vector<std::string>& names_;
};

}  // namespace

std::vector<SpecialCase> special_cases(std::string_view path, std::string_view text,
                                       const std::vector<std::string>& test_names) {
  return std::move(Scan(path, text, test_names).out);
}

std::vector<std::string> possible_test_names(std::string_view path, std::string_view text) {
  std::vector<std::string> out;
  for (const Token& token : tokens_of(path, text)) {
    const bool literal = token.kind == TokenKind::text;
    if (!literal && token.kind != TokenKind::name) continue;
    const std::string_view word = literal ? inner_text(token.text) : token.text;
    const bool file = literal && word.size() < 200 && word.find('.') != std::string_view::npos &&
                      word.find(' ') == std::string_view::npos;
    if (file ||
        (word.size() > 5 && word.size() < 200 && (word.starts_with("test_") || word.ends_with("Test"))))
      out.emplace_back(word);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace sluice::guardrails
