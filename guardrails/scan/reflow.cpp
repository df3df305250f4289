// SPDX-License-Identifier: Apache-2.0
#include "guardrails/scan/reflow.h"

#include "core/format.h"
#include "core/text.h"
#include "guardrails/scan/lexical.h"

namespace sluice::guardrails {
namespace {

std::string_view left_trimmed(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t\r");
  return at == std::string_view::npos ? std::string_view() : line.substr(at);
}

// What begins a comment line in files of that name; empty when that is not known.
std::string_view leader_of(std::string_view path) {
  if (path.ends_with(".mlir") || path.ends_with(".proto") || family_of(path) == Family::c) return "//";
  for (const std::string_view ending : {".py", ".pyi", ".cmake", "CMakeLists.txt", ".sh", ".yml", ".yaml", ".toml", ".cfg"}) {
    if (path.ends_with(ending)) return "#";
  }
  return path.ends_with(".ll") || path.ends_with(".s") ? ";" : "";
}

// Without the leader of a comment line, if it is one.
std::string_view without_leader(std::string_view line, std::string_view leader) {
  while (!leader.empty() && line.starts_with(leader)) line.remove_prefix(leader.size());
  return line;
}

std::string norm_of_comment(std::string_view line, std::string_view leader) {
  line = without_leader(left_trimmed(line), leader);
  for (const std::string_view block : {"/*", "* "}) {
    if (line.starts_with(block)) line.remove_prefix(block.size());
  }
  std::string norm = core::strip_space(line);
  if (norm.ends_with("*/")) norm.resize(norm.size() - 2);
  return norm;
}

// Prose and lone words are no code, even when some line of code equals them.
bool like_code(std::string_view norm) {
  if (!significant(norm) || norm.size() < 6) return false;
  return norm.find_first_of("(=;{[<") != std::string_view::npos;
}

// Not of lexical.h: nobody looks for definitions in MLIR, its comments are those of C.
Family comments_of(std::string_view path) { return path.ends_with(".mlir") ? Family::c : family_of(path); }

}  // namespace

std::string reflow_form(std::string_view text, std::string_view path) {
  const std::string_view leader = leader_of(path);
  std::string joined;
  bool in_comment = false;
  for (const std::string_view line : core::split_lines(text)) {
    std::string_view rest = core::trim(line);
    if (rest.empty()) continue;
    const std::string_view said = without_leader(rest, leader);
    const bool comment = said.size() < rest.size();
    if (comment != in_comment) joined.push_back(comment ? '\x02' : '\x03');  // where a comment begins and ends
    in_comment = comment;
    joined.append(said).push_back('\n');
  }
  return core::loose_form(joined);
}

bool breaks_differ(std::string_view a, std::string_view b) {
  const auto lines = [](std::string_view text) {
    std::vector<std::string> out;
    for (const std::string_view line : core::split_lines(text)) {
      std::string norm = core::strip_space(line);
      if (!norm.empty()) out.push_back(std::move(norm));
    }
    return out;
  };
  return lines(a) != lines(b);
}

bool has_formatter(std::string_view path) {
  const core::Language language = core::language_of(path);
  return language == core::Language::python || (language == core::Language::c_family && !path.ends_with(".td"));
}

CodeLines code_lines(std::string_view text, std::string_view path) {
  CodeLines out;
  const Family family = comments_of(path);
  if (family == Family::none) return out;
  const std::string_view leader = leader_of(path);
  const std::string blanked = blank_comments(text, family);
  const std::vector<std::string_view> lines = core::split_lines(text), code = core::split_lines(blanked);
  for (std::size_t i = 0; i < lines.size() && i < code.size(); ++i) {
    std::string norm = core::strip_space(lines[i]);
    if (norm.empty()) continue;
    if (!core::strip_space(code[i]).empty()) {
      if (like_code(norm)) ++out.code[std::move(norm)];
      continue;
    }
    norm = norm_of_comment(lines[i], leader);
    if (!like_code(norm)) continue;
    ++out.comments[norm];
    out.comment_lines.emplace_back(static_cast<std::uint32_t>(i) + 1, std::move(norm));
  }
  return out;
}

}  // namespace sluice::guardrails
