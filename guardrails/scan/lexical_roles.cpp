// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/lexical_roles.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/text.h"

namespace sluice::guardrails {
namespace {

using std::string_view;

template <std::size_t N>
bool one_of(string_view word, const std::array<string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Words after which a name followed by `(` is a call, never a declaration.
constexpr std::array<string_view, 20> statement_words = {
    "return", "else", "case", "throw", "new", "delete", "co_return", "co_yield", "co_await", "goto",
    "and",    "or",   "not",  "in",    "if",  "while",  "for",       "switch",   "do",       "assert"};
constexpr std::array<string_view, 24> reserved = {
    "return",      "switch",    "sizeof",           "static_assert", "decltype",     "typename",
    "template",    "namespace", "operator",         "noexcept",      "explicit",     "alignas",
    "static_cast", "dyn_cast",  "reinterpret_cast", "const_cast",    "dynamic_cast", "virtual",
    "override",    "private",   "public",           "protected",     "typedef",      "lambda"};
constexpr std::array<string_view, 6> type_words = {"class", "struct",    "union",
                                                   "enum",  "namespace", "concept"};
constexpr std::array<string_view, 4> record_words = {"def", "defm", "multiclass", "defset"};

string_view trim_right(string_view s) {
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

string_view last_word(string_view s) {
  std::size_t begin = s.size();
  while (begin > 0 && is_word(s[begin - 1])) --begin;
  return s.substr(begin);
}

string_view first_word(string_view s) {
  s = core::trim(s);
  std::size_t end = 0;
  while (end < s.size() && is_word(s[end])) ++end;
  return s.substr(0, end);
}

bool only(string_view s, string_view allowed) {
  return std::all_of(s.begin(), s.end(),
                     [&](char c) { return is_word(c) || allowed.find(c) != string_view::npos; });
}

// `a::B<int>::` at the end of a prefix.
string_view without_qualifier(string_view s, bool& qualified) {
  qualified = false;
  while (s.ends_with("::") || s.ends_with("~")) {
    qualified = true;
    s.remove_suffix(s.ends_with("::") ? 2 : 1);
    if (s.ends_with(">")) {
      const std::size_t open = s.rfind('<');
      if (open == string_view::npos) break;
      s = s.substr(0, open);
    }
    s.remove_suffix(last_word(s).size());
  }
  return trim_right(s);
}

// A type keyword stands before the name with nothing but attributes and qualifiers between.
bool after_type_word(string_view prefix) {
  std::size_t i = prefix.size();
  while (i > 0 && (is_word(prefix[i - 1]) || prefix[i - 1] == ' ' || prefix[i - 1] == ':')) --i;
  string_view tail = prefix.substr(i);
  while (!tail.empty()) {
    std::size_t begin = 0;
    while (begin < tail.size() && !is_word(tail[begin])) ++begin;
    tail.remove_prefix(begin);
    std::size_t end = 0;
    while (end < tail.size() && is_word(tail[end])) ++end;
    const string_view word = tail.substr(0, end);
    if (one_of(word, type_words)) return true;
    // `friend class X`, `typedef struct X`, `static struct X`: the words before a type word; a base
    // clause (`struct A : public B`) has the colon before it and ends the search.
    tail.remove_prefix(end);
    if (end == 0) break;
  }
  return false;
}

// Text in front of `NAME(` that reads like a return type (and so makes it a declaration).
bool reads_like_type(string_view rest) {
  if (rest.ends_with("&&") || rest.ends_with("->") || rest.ends_with("||")) return false;
  const char last = rest.back();
  if (!is_word(last) && last != '>' && last != '*' && last != '&') return false;
  if (last == '>' && rest.find('<') == string_view::npos) return false;
  if (!only(rest, " \t:<>,*&[]")) return false;
  return !one_of(first_word(rest), statement_words) && !one_of(last_word(rest), statement_words);
}

// `NAME(` at the beginning of a line: a return type may stand on the line before.
bool type_on_previous_line(string_view previous) {
  previous = trim_right(previous);
  if (previous.empty() || core::trim(previous).front() == '#') return false;
  return reads_like_type(core::trim(previous));
}

Role role_before_paren(const Site& site) {
  bool qualified = false;
  const string_view rest = without_qualifier(site.before(), qualified);
  if (core::trim(rest).empty()) {
    if (!site.indented()) return Role::definition;  // file scope: no call stands there
    return type_on_previous_line(site.previous) ? Role::definition : Role::call;
  }
  return reads_like_type(core::trim(rest)) ? Role::definition : Role::call;
}

// `Type NAME,` `auto NAME =` `Type &NAME)`: a variable or parameter.
bool declares_variable(const Site& site) {
  static constexpr string_view closing = ",)=;{[:";
  if (closing.find(site.next()) == string_view::npos) return false;
  string_view prefix = site.before();
  if (const std::size_t open = prefix.find_last_of("(,;{"); open != string_view::npos)
    prefix = prefix.substr(open + 1);
  prefix = core::trim(prefix);
  return !prefix.empty() && reads_like_type(prefix) && !one_of(first_word(prefix), reserved);
}

// The accessor that TableGen makes of an operand `$fooBar` or `$foo_bar`.
std::string accessor(string_view operand) {
  std::string out = "get";
  bool upper = true;
  for (const char c : operand) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return out;
}

}  // namespace

string_view Site::before() const { return trim_right(line.substr(0, begin)); }

char Site::next() const {
  for (std::size_t i = end; i < line.size(); ++i) {
    if (line[i] != ' ' && line[i] != '\t') return line[i];
  }
  return 0;
}

void note_c(const Site& site, std::size_t min_length, std::uint32_t line, std::vector<Occurrence>& out) {
  const string_view name = site.name();
  const string_view prefix = site.before();
  if (site.begin > 0 && site.line[site.begin - 1] == '$') {
    std::string made = accessor(name);
    if (made.size() >= min_length) out.push_back({std::move(made), Role::local, false, line});
    return;
  }
  const string_view word = last_word(prefix);
  if (one_of(word, record_words) && core::trim(prefix) == word) {
    // A record `TT_LoadOp` also makes the C++ class `LoadOp`.
    if (name.size() >= min_length) out.push_back({std::string(name), Role::definition, true, line});
    const std::size_t underscore = name.find('_');
    if (underscore != string_view::npos && name.size() - underscore - 1 >= min_length) {
      out.push_back({std::string(name.substr(underscore + 1)), Role::definition, true, line});
    }
    return;
  }
  if (name.size() < min_length || one_of(name, reserved)) return;
  Occurrence seen{std::string(name), Role::mention, false, line};
  const string_view trimmed = core::trim(prefix);
  if (trimmed.starts_with("#")) {
    if (core::trim(trimmed.substr(1)) == "define")
      seen = {std::move(seen.name), Role::definition, true, line};
  } else if (after_type_word(prefix) && site.next() != '(') {
    seen.role = Role::definition;
    seen.type_like = true;
  } else if (word == "using" && site.next() == '=') {
    seen.role = Role::definition;
    seen.type_like = true;
  } else if (trimmed.starts_with("typedef") && site.next() == ';') {
    seen.role = Role::definition;
    seen.type_like = true;
  } else if (trimmed.starts_with("using ") && site.next() == ';') {
    seen.role = Role::local;
  } else if (site.next() == '(') {
    seen.role = role_before_paren(site);
  } else if (declares_variable(site)) {
    seen.role = Role::local;
  }
  out.push_back(std::move(seen));
}

void note_python(const Site& site, std::size_t min_length, std::uint32_t line, std::vector<Occurrence>& out) {
  if (site.name().size() < min_length) return;
  const string_view prefix = site.before();
  const string_view trimmed = core::trim(prefix);
  const string_view word = last_word(prefix);
  if (prefix.ends_with(".")) return;  // an attribute: of which object, no line says
  Occurrence seen{std::string(site.name()), Role::mention, false, line};
  const char next = site.next();
  const bool assigned =
      next == '=' && site.line.substr(site.end).find("==") != site.line.substr(site.end).find('=');
  if (word == "def" || word == "class") {
    seen.role = site.indented() ? Role::local : Role::definition;
    seen.type_like = word == "class";
  } else if (word == "as" || word == "for" || word == "lambda" || word == "global" || word == "nonlocal") {
    seen.role = Role::local;
  } else if (trimmed.starts_with("from ") && trimmed.find(" import") != string_view::npos) {
    seen.role = Role::call;  // the name must exist over there
  } else if (trimmed.starts_with("import") || trimmed.starts_with("def ") ||
             trimmed.find("lambda ") != string_view::npos) {
    seen.role = Role::local;
  } else if (trimmed.empty() && (next == ':' || next == ',')) {
    seen.role = Role::local;  // a parameter on a line of its own, an annotated name
  } else if (assigned) {
    seen.role = Role::local;
  } else if (trimmed.starts_with("for ") && trimmed.find(" in ") == string_view::npos) {
    seen.role = Role::local;
  } else if (next == '(') {
    seen.role = Role::call;
  }
  out.push_back(std::move(seen));
}

void note_cmake(const Site& site, std::size_t min_length, std::uint32_t line, std::vector<Occurrence>& out) {
  if (site.name().size() < min_length) return;
  string_view prefix = site.before();
  Occurrence seen{std::string(site.name()), Role::mention, false, line};
  if (prefix.ends_with("(")) {
    prefix.remove_suffix(1);
    const std::string command = core::to_lower(last_word(trim_right(prefix)));
    if (command == "function" || command == "macro") {
      seen.role = Role::definition;
      seen.name = core::to_lower(seen.name);  // commands are case-insensitive
    } else if (command.starts_with("add_") &&
               (command.ends_with("library") || command.ends_with("executable") ||
                command.ends_with("target"))) {
      seen.role = Role::definition;
      seen.type_like = true;
    } else if (command == "set" || command == "option" || command == "foreach") {
      seen.role = Role::local;
    }
  } else if (site.next() == '(' && core::trim(prefix).empty()) {
    seen.role = Role::call;
    seen.name = core::to_lower(seen.name);
  }
  out.push_back(std::move(seen));
}

}  // namespace sluice::guardrails
