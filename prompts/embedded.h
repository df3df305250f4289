// SPDX-License-Identifier: Apache-2.0
// Inner header: the files prompts/*.md as they were at build time, and how they are read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "prompts/prompts.h"

namespace sluice::prompts {

struct EmbeddedFile {
  std::string_view name;  // without .md
  std::string_view content;
};
std::span<const EmbeddedFile> embedded_files();

// `content` has to outlive the result. Errors: invalid: names the file, the line and what is missing.
Result<Prompt> parse_prompt(std::string_view name, std::string_view content);
// Sections `# name` of a text. Errors: invalid: text before the first one, an empty section, a name twice.
Result<std::vector<std::pair<std::string, std::string>>> parse_sections(std::string_view text);

}  // namespace sluice::prompts
