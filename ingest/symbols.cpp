// SPDX-License-Identifier: Apache-2.0
#include "ingest/symbols.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/text.h"
#include "ingest/ingest.h"

namespace sluice::ingest {
namespace {

// A reformatting commit names everything; what it names is no evidence, and its row must stay small.
constexpr std::size_t max_named = 20'000;
constexpr std::size_t max_line = 4096;

enum class Kind { c, python, tablegen, cmake, prose, other };

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Kind kind_of_file(std::string_view path) {
  const std::string_view name =
      path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  if (name == "CMakeLists.txt") return Kind::cmake;
  const std::size_t dot = name.rfind('.');
  const std::string_view ext = dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
  if (one_of(ext,
             {"h", "hh", "hpp", "hxx", "c", "cc", "cpp", "cxx", "cu", "cuh", "hip", "inc", "def", "inl"}))
    return Kind::c;
  if (one_of(ext, {"py", "pyi"})) return Kind::python;
  if (ext == "td") return Kind::tablegen;
  if (ext == "cmake") return Kind::cmake;
  if (one_of(ext, {"md", "rst", "txt", "adoc"})) return Kind::prose;
  return Kind::other;
}

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view skip_blanks(std::string_view s) {
  const std::size_t at = s.find_first_not_of(" \t");
  return at == std::string_view::npos ? std::string_view{} : s.substr(at);
}
std::string_view leading_word(std::string_view s) {
  if (s.empty() || !word_start(s[0])) return {};
  std::size_t n = 1;
  while (n < s.size() && word_char(s[n])) ++n;
  return s.substr(0, n);
}
// Word after `keyword` when `s` starts with it as a word; empty otherwise.
std::string_view after_keyword(std::string_view s, std::string_view keyword) {
  if (leading_word(s) != keyword) return {};
  return leading_word(skip_blanks(s.substr(keyword.size())));
}

// Up to the body: what a caller depends on.
std::string signature(std::string_view s) {
  const std::size_t end = s.find_first_of("{;");
  return core::strip_space(s.substr(0, end));
}

// Two words side by side, or a word with * or &, inside the brackets: parameters, not arguments.
bool looks_like_parameters(std::string_view inside) {
  const std::string_view text = core::trim(inside);
  if (text.empty() || text == "void" || text.starts_with("...")) return true;
  const std::string_view first = core::trim(text.substr(0, text.find(',')));
  if (one_of(first, {"int", "bool", "float", "double", "char", "long", "short", "unsigned"})) return true;
  std::size_t words = 0;
  char last = 0;
  int angle = 0;
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (first[k] == '<') ++angle;
    if (first[k] == '>') --angle;
    if (first[k] == '"' || first[k] == '(' || first[k] == '+' || first[k] == '.') return false;
    if (angle == 0 && word_start(first[k]) && !word_char(last) && last != ':') ++words;
    last = first[k];
  }
  return words >= 2 || first.ends_with('&') || first.ends_with('*');
}

void c_function(std::string_view line, std::vector<Definition>& out) {
  const bool column0 = word_start(line[0]) || line[0] == '~';
  const std::string_view text = skip_blanks(line);
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || open == 0) return;
  const std::string_view head = text.substr(0, open);
  if (head.find_first_of("=.\"'!?;{}|+/%^") != std::string_view::npos ||
      head.find("->") != std::string_view::npos)
    return;
  std::size_t end = head.size();
  while (end > 0 && (head[end - 1] == ' ' || head[end - 1] == '\t')) --end;
  std::size_t begin = end;
  while (begin > 0 && word_char(head[begin - 1])) --begin;
  if (begin == end || !word_start(head[begin])) return;
  const std::string_view name = head.substr(begin, end - begin);
  if (name == "operator") return;  // operator(): no name that a use could be told by
  const std::string_view before = core::trim(head.substr(0, begin));
  if (one_of(leading_word(text),
             {"return",   "else",          "if",     "for",   "while",   "switch",    "throw",
              "new",      "delete",        "case",   "goto",  "do",      "co_return", "co_yield",
              "co_await", "static_assert", "assert", "using", "typedef", "sizeof",    "catch"}))
    return;
  // No type in front: a call, a macro, or a constructor (`Class::Class(`).
  if (before.empty() || (before.ends_with("::") && before.find(' ') == std::string_view::npos && !column0))
    return;
  if (!word_char(before.back()) && !one_of(before.substr(before.size() - 1), {"*", "&", ">", ":", "~"}))
    return;
  const std::size_t close = text.find(')', open);
  const std::string_view inside =
      text.substr(open + 1, close == std::string_view::npos ? close : close - open - 1);
  if (!looks_like_parameters(inside)) return;
  out.push_back({std::string(name), signature(text)});
}

void c_definitions(std::string_view line, std::vector<Definition>& out) {
  std::string_view s = skip_blanks(line);
  if (s.starts_with("#")) {
    const std::string_view name = after_keyword(skip_blanks(s.substr(1)), "define");
    // The value of a macro is part of what its users see only when it takes arguments or has none.
    if (!name.empty()) out.push_back({std::string(name), core::strip_space(s)});
    return;
  }
  if (s.starts_with("template")) {
    const std::size_t close = s.rfind('>');
    const std::string_view rest =
        close == std::string_view::npos ? std::string_view{} : skip_blanks(s.substr(close + 1));
    if (rest.empty() || rest.find('(') != std::string_view::npos) return;
    s = rest;
  }
  for (const std::string_view keyword : {"class", "struct", "union", "enum", "namespace"}) {
    if (leading_word(s) != keyword) continue;
    std::string_view rest = skip_blanks(s.substr(keyword.size()));
    if (keyword == "enum" && one_of(leading_word(rest), {"class", "struct"}))
      rest = skip_blanks(rest.substr(leading_word(rest).size()));
    const std::string_view name = leading_word(rest);
    if (name.empty()) return;
    const std::string_view tail = skip_blanks(rest.substr(name.size()));
    const bool body = tail.empty() || tail[0] == '{' || (tail[0] == ':' && !tail.starts_with("::")) ||
                      tail.starts_with("final");
    if (body && keyword != "namespace") out.push_back({std::string(name), signature(s)});
    if (body || tail.starts_with("::") || tail[0] == ';') return;
    break;  // `struct X f(...)`: a function
  }
  if (const std::string_view name = after_keyword(s, "using");
      !name.empty() && s.find('=') != std::string_view::npos) {
    out.push_back({std::string(name), signature(s)});
    return;
  }
  if (leading_word(s) == "typedef" && s.find(';') != std::string_view::npos) {
    const auto words = core::identifiers(s.substr(0, s.find(';')));
    if (words.size() > 2) out.push_back({std::string(words.back()), signature(s)});
    return;
  }
  c_function(line, out);
}

void python_definitions(std::string_view line, std::vector<Definition>& out) {
  std::string_view s = skip_blanks(line);
  if (leading_word(s) == "async") s = skip_blanks(s.substr(5));
  for (const std::string_view keyword : {"def", "class"}) {
    const std::string_view name = after_keyword(s, keyword);
    if (name.empty()) continue;
    const std::size_t colon = s.rfind(':');
    out.push_back({std::string(name), core::strip_space(s.substr(0, colon))});
    return;
  }
  const std::string_view name = leading_word(line);
  if (name.empty()) return;
  const std::string_view rest = skip_blanks(line.substr(name.size()));
  if (rest.size() > 1 && rest[0] == '=' && rest[1] != '=')
    out.push_back({std::string(name), std::string(name)});
}

void tablegen_definitions(std::string_view line, std::vector<Definition>& out) {
  const std::string_view s = skip_blanks(line);
  for (const std::string_view keyword : {"def", "defm", "class", "multiclass", "defvar"}) {
    const std::string_view name = after_keyword(s, keyword);
    if (name.empty()) continue;
    out.push_back({std::string(name), signature(s)});
    break;
  }
  // `Foo_Op<"load_tile", ...>`, `TT_Op<"mesh.load_tile">`: the operation is written with its mnemonic in
  // MLIR.
  const std::size_t quote = s.find("Op<\"");
  if (quote == std::string_view::npos) return;
  std::string_view mnemonic = s.substr(quote + 4);
  mnemonic = mnemonic.substr(0, mnemonic.find('"'));
  if (const std::size_t dot = mnemonic.rfind('.'); dot != std::string_view::npos)
    mnemonic = mnemonic.substr(dot + 1);
  if (!mnemonic.empty() && leading_word(mnemonic) == mnemonic)
    out.push_back({std::string(mnemonic), "op:" + std::string(mnemonic)});
}

void cmake_definitions(std::string_view line, std::vector<Definition>& out) {
  const std::string_view s = skip_blanks(line);
  const std::string_view command = leading_word(s);
  const std::string_view rest = skip_blanks(s.substr(command.size()));
  if (!rest.starts_with('(')) return;
  const std::string lower = core::to_lower(command);
  if (!lower.starts_with("add_") && !one_of(lower, {"function", "macro", "option", "set"})) return;
  if (one_of(lower, {"add_subdirectory", "add_definitions", "add_compile_options", "add_link_options",
                     "add_dependencies", "add_compile_definitions", "add_test"}))
    return;
  const std::string_view name = leading_word(skip_blanks(rest.substr(1)));
  if (!name.empty()) out.push_back({std::string(name), lower + "(" + std::string(name)});
}

// `__init__`, `__all__`, `main`: every program has its own, and nobody who names one means another's.
bool own_to_each(std::string_view name) {
  return name == "main" || (name.size() > 4 && name.starts_with("__") && name.ends_with("__"));
}

bool is_comment(Kind kind, std::string_view line) {
  const std::string_view s = skip_blanks(line);
  switch (kind) {
    case Kind::c:
    case Kind::tablegen:
      return s.starts_with("//") || s.starts_with("/*") || s.starts_with("* ");
    case Kind::python:
    case Kind::cmake:
      return s.starts_with("#");
    case Kind::prose:
      return true;
    case Kind::other:
      return false;
  }
  return false;
}

}  // namespace

std::vector<Definition> definitions(std::string_view path, std::string_view line) {
  std::vector<Definition> out;
  const Kind kind = kind_of_file(path);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty() || line.size() > max_line || is_comment(kind, line)) return out;
  switch (kind) {
    case Kind::c:
      c_definitions(line, out);
      break;
    case Kind::python:
      python_definitions(line, out);
      break;
    case Kind::tablegen:
      tablegen_definitions(line, out);
      break;
    case Kind::cmake:
      cmake_definitions(line, out);
      break;
    case Kind::prose:
    case Kind::other:
      break;
  }
  return out;
}

std::vector<std::string_view> names_in(std::string_view path, std::string_view text) {
  const Kind kind = kind_of_file(path);
  std::vector<std::string_view> out;
  if (kind == Kind::prose) return out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!is_comment(kind, line))
      for (const std::string_view name : core::identifiers(line, 3)) out.push_back(name);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

void SymbolScan::add(std::string_view path, const std::vector<std::string>& removed_lines,
                     const std::vector<std::string>& added_lines) {
  const Kind kind = kind_of_file(path);
  const auto scan = [&](const std::vector<std::string>& lines, auto& into) {
    for (const std::string& line : lines) {
      if (line.size() > max_line || is_comment(kind, line)) continue;
      for (auto& definition : definitions(path, line))
        if (!own_to_each(definition.name))
          into[definition.name].insert(std::move(definition.signature));
      if (named_.size() >= max_named) continue;
      for (const std::string_view name : core::identifiers(line, 3))
        if (!named_.contains(name)) named_.emplace(name);
    }
  };
  scan(removed_lines, before_);
  scan(added_lines, after_);
}

Symbols SymbolScan::finish() {
  Symbols out;
  for (const auto& [name, signatures] : after_)
    if (!before_.contains(name)) out.defined.push_back(name);
  for (const auto& [name, signatures] : before_) {
    const auto now = after_.find(name);
    if (now == after_.end() || now->second != signatures) out.removed.push_back(name);
  }
  out.named.assign(named_.begin(), named_.end());
  return out;
}

}  // namespace sluice::ingest
