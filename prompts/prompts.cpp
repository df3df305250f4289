// SPDX-License-Identifier: Apache-2.0
#include "prompts/prompts.h"

#include <fmt/format.h>

#include <charconv>

#include "core/hash.h"
#include "core/text.h"
#include "prompts/embedded.h"

namespace sluice::prompts {
namespace {

constexpr std::string_view tools_file = "tools";

Error wrong(std::string_view name, std::string_view what) {
  return make_error(ErrorKind::invalid, fmt::format("prompts/{}.md: {}", name, what));
}

// Read once: the files are part of the program, and a test reads every one of them.
const std::vector<Prompt>& all() {
  static const std::vector<Prompt> prompts = [] {
    std::vector<Prompt> out;
    for (const EmbeddedFile& file : embedded_files()) {
      Result<Prompt> prompt = parse_prompt(file.name, file.content);
      SLUICE_CHECK(prompt.ok());
      out.push_back(std::move(*prompt));
    }
    return out;
  }();
  return prompts;
}

}  // namespace

Result<Prompt> parse_prompt(std::string_view name, std::string_view content) {
  constexpr std::string_view rule = "---\n";
  Prompt out;
  out.name = name;
  out.version = 0;
  bool job = false;
  while (!content.starts_with(rule)) {
    const std::size_t end = content.find('\n');
    if (end == std::string_view::npos) return wrong(name, "the head does not end with a line ---");
    const std::string_view line = content.substr(0, end);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return wrong(name, fmt::format("'{}' in the head is not `key: value`", line));
    const std::string_view key = line.substr(0, colon), value = core::trim(line.substr(colon + 2));
    if (key == "version") {
      const auto [last, error] = std::from_chars(value.data(), value.data() + value.size(), out.version);
      if (error != std::errc() || last != value.data() + value.size()) return wrong(name, fmt::format("version '{}' is no number", value));
    } else if (key == "contract") {
      out.contract = value;
    } else if (key == "job") {
      job = true;
    } else {
      return wrong(name, fmt::format("'{}' is no key of a head (version, job, contract)", key));
    }
    content.remove_prefix(end + 1);
  }
  content.remove_prefix(rule.size());
  if (out.version < 1 || out.contract.empty() || !job) return wrong(name, "the head needs version (1 or more), job and contract");
  if (core::trim(content).empty()) return wrong(name, "there is no text");
  out.text = content;
  out.sha256 = core::sha256_hex(content);
  return out;
}

Result<std::vector<std::pair<std::string, std::string>>> parse_sections(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string_view line : core::split_lines_keep(text)) {
    if (line.starts_with("# ")) {
      const std::string name(core::trim(line.substr(2)));
      for (const auto& [other, words] : out)
        if (other == name) return wrong(tools_file, fmt::format("'{}' stands there twice", name));
      out.emplace_back(name, "");
    } else if (!out.empty()) {
      out.back().second += line;
    } else if (!core::trim(line).empty()) {
      return wrong(tools_file, "there is text before the first section");
    }
  }
  for (auto& [name, words] : out) {
    words = std::string(core::trim(words));
    if (words.empty()) return wrong(tools_file, fmt::format("'{}' has no text", name));
  }
  return out;
}

const Prompt& prompt(std::string_view name) {
  for (const Prompt& prompt : all())
    if (prompt.name == name) return prompt;
  core::throw_bug(__FILE__, __LINE__, "a prompt of that name is embedded");
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> out;
  for (const Prompt& prompt : all())
    if (prompt.name != tools_file) out.push_back(prompt.name);
  return out;
}

std::vector<std::pair<std::string, std::string>> tool_descriptions() {
  auto sections = parse_sections(prompt(tools_file).text);
  SLUICE_CHECK(sections.ok());
  return std::move(*sections);
}

}  // namespace sluice::prompts
