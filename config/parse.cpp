// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "config/config.h"
#include "config/draft.h"
#include "core/file.h"
#include "core/text.h"

namespace sluice::config {
namespace {

constexpr std::size_t max_bytes = 4u << 20;

// DESIGN has them, this version does not carry them out: saying so beats ignoring them.
constexpr std::string_view later_sections[] = {"forge", "schedule", "input"};
constexpr std::string_view sections[] = {"fork",    "upstream",    "store",  "trailers",
                                         "message", "landing",     "path",   "suite",
                                         "rules",   "environment", "runner", "fork_surface",
                                         "invariant", "registers",   "policy", "model",
                                         "budget",  "ladder",      "resolver"};

template <std::size_t N>
bool one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

void check_section_names(const toml::table& root, Problems& problems) {
  const std::vector<std::string> known(std::begin(sections), std::end(sections));
  for (const auto& [key, value] : root) {
    if (one_of(key.str(), sections)) continue;
    const std::string name = core::printable(key.str());
    // A section has its header's line, a stray key its own.
    const int line = static_cast<int>(key.source().begin.line);
    if (one_of(key.str(), later_sections)) {
      problems.add(line, fmt::format("section [{}] is not supported by this version", name));
    } else if (value.is_table() || value.is_array_of_tables()) {
      const std::string header = value.is_table() ? fmt::format("[{}]", name) : fmt::format("[[{}]]", name);
      problems.add(line, fmt::format("unknown section {}{}", header, suggest(key.str(), known)));
    } else {
      problems.add(line,
                   fmt::format("unknown key '{}' outside every section{}", name, suggest(key.str(), known)));
    }
  }
}

}  // namespace

const toml::table* table_of(const toml::table& root, std::string_view name, Problems& problems,
                            Presence presence) {
  const toml::node* node = root.get(name);
  if (node == nullptr) {
    if (presence == Presence::required)
      problems.add(1, fmt::format("section [{}] is missing", name), Problems::Kind::missing);
    return nullptr;
  }
  const toml::table* table = node->as_table();
  if (table == nullptr)
    problems.add(line_of(*node), fmt::format("'{0}' must be a section: write [{0}]", name));
  return table;
}

std::vector<const toml::table*> entries_of(const toml::table& root, std::string_view name,
                                           Problems& problems) {
  std::vector<const toml::table*> out;
  const toml::node* node = root.get(name);
  if (node == nullptr) return out;
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    problems.add(line_of(*node), fmt::format("there may be several of '{0}': write [[{0}]]", name));
    return out;
  }
  for (const toml::node& element : *array) {
    if (const toml::table* table = element.as_table())
      out.push_back(table);
    else
      problems.add(line_of(element), fmt::format("'{0}' must hold sections: write [[{0}]]", name));
  }
  return out;
}

Result<model::Config> parse(std::string_view text, const std::string& file_name) {
  if (text.size() > max_bytes)
    return make_error(ErrorKind::invalid,
                      fmt::format("{}: {} bytes are more than {}", file_name, text.size(), max_bytes));
  TRY_ASSIGN(const toml::table root, read_toml(text, file_name));
  Draft draft(file_name);
  draft.config.file = core::absolute_path(file_name);
  draft.directory = draft.config.file.substr(0, draft.config.file.rfind('/') + 1);
  check_section_names(root, draft.problems);
  read_fork(root, draft);
  read_upstream(root, draft);
  read_store(root, draft);
  read_trailers(root, draft);
  read_message(root, draft);
  read_landing(root, draft);
  read_runners(root, draft);
  read_environments(root, draft);
  read_model(root, draft);
  read_budget(root, draft);
  read_ladder(root, draft);
  read_policy_place(root, draft);
  const bool elsewhere = root.contains("policy");
  if (!elsewhere) read_policy_sections(root, draft);
  check_whole(draft);
  if (draft.problems.any()) return draft.problems.error();
  TRY(fill_registers(draft));
  if (!elsewhere) draft.config.policy.sha256 = policy_sha256(draft.config.policy);
  return std::move(draft.config);
}

Result<model::Config> load(const std::string& path) {
  Result<std::string> text = core::read_file(path, max_bytes);
  if (!text.ok()) {
    Error error = std::move(text.error());
    if (error.kind == ErrorKind::not_found) error.message += "; `sluice init` writes one";
    return error;
  }
  return parse(*text, path);
}

}  // namespace sluice::config
