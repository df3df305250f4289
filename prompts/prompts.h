// SPDX-License-Identifier: Apache-2.0
// Front door of prompts/: the fixed text of every prompt, versioned, embedded at build time and hashed. Only fixed text
// stands here; what a fork, a commit or a log brings enters as data, never into these.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::prompts {

// A file prompts/<name>.md: a head of `key: value` lines (version, job, contract), a line `---`, the text.
struct Prompt {
  std::string_view name;      // "resolver", "repair", "parked_text"
  int version = 1;            // any change of the text is another version
  std::string_view contract;  // what goes in and what must come out, one sentence
  std::string_view text;
  std::string sha256;         // of the text
};

// REQUIRES: a name of `names()`.
const Prompt& prompt(std::string_view name);
std::vector<std::string_view> names();
// Descriptions of the tools, from prompts/tools.md: name and text, in the order of the file.
std::vector<std::pair<std::string, std::string>> tool_descriptions();

}  // namespace sluice::prompts
