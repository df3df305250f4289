// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/standing.h"

#include <algorithm>

#include "core/text.h"
#include "guardrails/pick_view.h"
#include "guardrails/scan/lexical_roles.h"

namespace sluice::guardrails {
namespace {

// Calls `visit(name, line number, end of the name in `text`)` for every word.
template <class Visit>
void each_word(std::string_view text, Visit&& visit) {
  std::uint32_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\n') ++line;
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (text[i] < '0' || text[i] > '9') visit(text.substr(i, end - i), line, end);
    i = end;
  }
}

// First place from `at` on that is no blank; the end of the text when there is none on the line.
std::size_t after_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at < text.size() ? at : text.size();
}

// Behind the bracket that closes the one at `at`, on the same line and not far away; npos when it does not close there.
std::size_t behind_brackets(std::string_view text, std::size_t at) {
  constexpr std::size_t far = 400;
  const char open = text[at], close = open == '[' ? ']' : '>';
  int depth = 0;
  for (std::size_t i = at; i < text.size() && i - at < far && text[i] != '\n' && text[i] != ';'; ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// NAME(...), NAME<T>(...), NAME[grid](...), and NAME as the argument of a template, which is how patterns are registered.
bool is_called(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t next = after_blanks(text, end);
  if (next == text.size()) return false;
  if (text[next] == '(') return true;
  if (text[next] == '>') {
    std::size_t before = begin;
    while (before > 0 && (is_word(text[before - 1]) || text[before - 1] == ':' || text[before - 1] == ' ')) --before;
    return before > 0 && (text[before - 1] == '<' || text[before - 1] == ',');
  }
  if (text[next] != '<' && text[next] != '[') return false;
  next = behind_brackets(text, next);
  if (next == std::string_view::npos) return false;
  next = after_blanks(text, next);
  return next < text.size() && text[next] == '(';
}

bool has_word(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end]))) return true;
  }
  return false;
}

// A method is local to its class, and yet it is what a call calls.
bool is_python_method(std::string_view line, const Occurrence& seen, Family family) {
  if (family != Family::python || seen.role != Role::local) return false;
  const std::string_view trimmed = core::trim(line);
  return trimmed.starts_with("def " + seen.name + "(") || trimmed.starts_with("async def " + seen.name + "(");
}

}  // namespace

std::string directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? "" : path.substr(0, slash));
}

void note_standings(const std::string& path, std::string_view text, Standings& standings) {
  const Family family = family_of(path);
  if (family == Family::none || standings.empty()) return;
  bool any = false;
  const std::string spoken = blank_comments(text, family, Strings::kept);
  each_word(spoken, [&](std::string_view word, std::uint32_t, std::size_t) {
    const auto found = standings.find(std::string(word));
    if (found == standings.end()) return;
    ++found->second.uses;
    any = true;
  });
  if (!any) return;
  const std::string blanked = blank_comments(text, family);
  const std::vector<std::string_view> lines = core::split_lines(blanked);
  for (const Occurrence& seen : occurrences(blanked, family, 4)) {
    const auto found = standings.find(seen.name);
    if (found == standings.end() || seen.line > lines.size()) continue;
    const std::string_view line = lines[seen.line - 1];
    // A name of narrower scope counts as a use: told by its line alone, it may be one (an argument on a line of its own).
    if ((seen.role != Role::definition && !is_python_method(line, seen, family)) || !has_word(line, seen.name)) continue;
    --found->second.uses;
    if (++found->second.definitions == 1) found->second.definition = SymbolUse{path, seen.line, std::string(line)};
  }
}

std::map<std::uint32_t, std::set<std::string>> calls_by_line(std::string_view text, Family family, std::size_t min_length) {
  std::map<std::uint32_t, std::set<std::string>> out;
  const std::string blanked = blank_comments(text, family);
  each_word(blanked, [&](std::string_view word, std::uint32_t line, std::size_t end) {
    if (word.size() >= min_length && is_called(blanked, end - word.size(), end)) out[line].emplace(word);
  });
  for (const Occurrence& seen : occurrences(blanked, family, min_length)) {
    const auto found = out.find(seen.line);
    if (found != out.end() && (seen.role == Role::definition || seen.role == Role::local)) found->second.erase(seen.name);
  }
  return out;
}

Result<Standings> unused(const git::Reader& reader, SymbolIndex& index, const model::Oid& tree, const std::set<std::string>& names,
                         const std::set<std::string>& near) {
  Standings left;
  std::set<std::string> wanted = names;
  for (const std::string& name : names) left[name];
  std::vector<std::pair<std::string, model::Oid>> files;
  TRY(reader.walk(tree, [&](const std::string& path, const git::TreeEntry& entry) {
    if (is_blob_mode(entry.mode) && family_of(path) != Family::none) files.emplace_back(path, entry.oid);
    return true;
  }));
  std::stable_partition(files.begin(), files.end(), [&](const auto& file) { return near.contains(directory_of(file.first)); });
  for (const auto& [path, blob] : files) {
    if (wanted.empty()) break;
    const Result<bool> may = index.may_hold(reader, blob, wanted);
    if (!may.ok()) {
      if (may.error().kind == ErrorKind::not_found) continue;  // a blob that the store lacks uses nothing that can be seen
      return may.error();
    }
    if (!*may) continue;
    TRY_ASSIGN(const std::string text, reader.blob(blob));
    note_standings(path, text, left);
    std::erase_if(left, [&](const auto& entry) {
      if (entry.second.uses > 0) wanted.erase(entry.first);
      return entry.second.uses > 0;
    });
  }
  return left;
}

}  // namespace sluice::guardrails
