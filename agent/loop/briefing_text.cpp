// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "agent/loop/briefing_parts.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

struct Ending {
  std::string_view ending, language;
};
constexpr std::array endings = {
    Ending{".cpp", "C++"},       Ending{".cc", "C++"},          Ending{".cxx", "C++"},        Ending{".h", "C++"},
    Ending{".hpp", "C++"},       Ending{".inc", "C++"},         Ending{".c", "C"},            Ending{".cu", "CUDA"},
    Ending{".cuh", "CUDA"},      Ending{".hip", "HIP"},         Ending{".py", "Python"},      Ending{".pyi", "Python"},
    Ending{".td", "TableGen"},   Ending{".mlir", "MLIR"},       Ending{".ll", "LLVM IR"},     Ending{".rs", "Rust"},
    Ending{".go", "Go"},         Ending{".java", "Java"},       Ending{".js", "JavaScript"},  Ending{".ts", "TypeScript"},
    Ending{".cmake", "CMake"},   Ending{"CMakeLists.txt", "CMake"}, Ending{".sh", "shell"},   Ending{".md", "Markdown"},
    Ending{".rst", "reStructuredText"}, Ending{".yml", "YAML"}, Ending{".yaml", "YAML"},      Ending{".json", "JSON"},
    Ending{".toml", "TOML"},     Ending{".bzl", "Starlark"},    Ending{".proto", "protocol buffers"},
};

constexpr std::uint32_t around = 3;  // lines of context in a patch

}  // namespace

std::string_view language_of(std::string_view path) {
  for (const auto& [ending, language] : endings)
    if (path.ends_with(ending)) return language;
  return "text";
}

std::string cut_middle(std::string_view text, std::size_t cap) {
  if (text.size() <= cap) return std::string(text);
  const auto lines = core::split_lines_keep(text);
  std::size_t front = 0, back = lines.size(), used = 0;
  while (front < back && used + lines[front].size() <= cap / 2) used += lines[front++].size();
  while (back > front && used + lines[back - 1].size() <= cap) used += lines[--back].size();
  std::string out;
  for (std::size_t i = 0; i < front; ++i) out += lines[i];
  out += fmt::format("[... {} lines, {} bytes left out ...]\n", back - front, text.size() - used);
  for (std::size_t i = back; i < lines.size(); ++i) out += lines[i];
  return out;
}

std::string untrusted_line(std::string_view source, std::string_view text, std::size_t cap, core::Json more) {
  more.set("source", source);
  more.set("untrusted", true);
  more.set("text", cut_middle(text, cap));
  return more.dump() + "\n";
}

std::string patch_of(const git::Reader& reader, std::string_view before, std::string_view after) {
  const git::TextDiff diff = reader.diff_text(before, after);
  if (diff.binary) return "(binary)\n";
  const auto old_lines = core::split_lines(before);
  std::string out;
  std::size_t line = 0;  // in diff.lines
  for (std::size_t h = 0; h < diff.hunks.size();) {
    // Hunks whose context touches are one.
    std::size_t last = h;
    const auto begin_of = [&](const model::Hunk& k) { return k.old_count == 0 ? k.old_start + 1 : k.old_start; };
    const auto end_of = [&](const model::Hunk& k) { return begin_of(k) + k.old_count; };  // the line after it
    while (last + 1 < diff.hunks.size() && begin_of(diff.hunks[last + 1]) <= end_of(diff.hunks[last]) + 2 * around) ++last;
    const std::uint32_t first_old = begin_of(diff.hunks[h]) > around ? begin_of(diff.hunks[h]) - around : 1;
    const auto end_old = static_cast<std::uint32_t>(std::min<std::size_t>(end_of(diff.hunks[last]) + around, old_lines.size() + 1));
    std::string body;
    std::uint32_t at = first_old, removed = 0, added = 0;
    for (std::size_t k = h; k <= last; ++k) {
      for (; at < begin_of(diff.hunks[k]); ++at) body += fmt::format(" {}\n", old_lines[at - 1]);
      const std::size_t count = diff.hunks[k].old_count + diff.hunks[k].new_count;
      for (std::size_t i = 0; i < count && line < diff.lines.size(); ++i, ++line)
        body += fmt::format("{}{}\n", diff.lines[line].side, diff.lines[line].text);
      at += diff.hunks[k].old_count;
      removed += diff.hunks[k].old_count;
      added += diff.hunks[k].new_count;
    }
    for (; at < end_old; ++at) body += fmt::format(" {}\n", old_lines[at - 1]);
    const std::uint32_t old_count = end_old - first_old;
    const model::Hunk& head = diff.hunks[h];
    const std::uint32_t new_begin = head.new_count == 0 ? head.new_start + 1 : head.new_start;
    const std::uint32_t first_new = new_begin - (begin_of(head) - first_old);
    out += fmt::format("@@ -{},{} +{},{} @@\n{}", old_count == 0 ? first_old - 1 : first_old, old_count, first_new, old_count - removed + added, body);
    h = last + 1;
  }
  return out;
}

}  // namespace sluice::agent
