// SPDX-License-Identifier: Apache-2.0
// [ladder] and [[resolver]]: which rungs may answer a conflict, and what an answer may do.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/draft.h"
#include "config/names.h"
#include "config/values.h"
#include "core/text.h"

namespace sluice::config {
namespace {

void read_rule_modes(Section& section, Draft& draft) {
  std::vector<std::pair<std::string, std::string>> given;
  section.table_of_texts("rules", given);
  for (const auto& [id, word] : given) {
    const auto found = std::find_if(std::begin(rung_modes), std::end(rung_modes), [&](const auto& m) { return m.first == word; });
    if (found == std::end(rung_modes)) {
      section.problem("rules", fmt::format("'{}' is not off, propose or land (rule {})", core::printable(word), core::printable(id)));
      continue;
    }
    draft.config.ladder.rules.emplace(id, found->second);
  }
}

void read_resolver(const toml::table& table, Draft& draft) {
  Section section(table, "[[resolver]]", draft.problems);
  model::ResolverConfig r;
  section.text("name", r.name);
  section.texts("command", r.command);
  section.require("command");
  section.texts("globs", r.globs);
  for (const std::string& glob : r.globs)
    if (const std::string wrong = check_glob(glob); !wrong.empty()) section.problem("globs", wrong);
  section.seconds("timeout", r.timeout_s, 3600);
  section.finish();
  if (r.command.empty()) {
    if (section.has("command")) section.problem("command", "is empty: a program and its arguments, with %O %A %B in them");
    return;
  }
  if (r.name.empty()) r.name = r.command.front().substr(r.command.front().rfind('/') + 1);
  if (const std::string wrong = check_id(r.name); !wrong.empty()) section.problem("name", wrong);
  const bool reads = std::any_of(r.command.begin(), r.command.end(), [](const std::string& w) { return w.find("%A") != std::string::npos; });
  if (!reads) section.problem("command", "a merge driver writes its answer over %A: name it (git's contract: %O base, %A ours and result, %B theirs, %L marker size, %P path)");
  const auto& others = draft.config.ladder.resolvers;
  if (std::any_of(others.begin(), others.end(), [&](const auto& o) { return o.name == r.name; }))
    section.problem("name", fmt::format("'{}' is used twice", r.name));
  draft.config.ladder.resolvers.push_back(std::move(r));
}

}  // namespace

void read_ladder(const toml::table& root, Draft& draft) {
  for (const toml::table* table : entries_of(root, "resolver", draft.problems)) read_resolver(*table, draft);
  const toml::table* table = table_of(root, "ladder", draft.problems);
  if (table == nullptr) return;
  model::LadderConfig& to = draft.config.ladder;
  Section section(*table, "[ladder]", draft.problems);
  section.word<model::RungMode>("candidate", to.candidate, rung_modes);
  section.word<model::RungMode>("external", to.external, rung_modes);
  section.word<model::RungMode>("model", to.model, rung_modes);
  read_rule_modes(section, draft);
  section.number("land_floor", to.land_floor, 0.5);
  if (to.land_floor > 1) section.problem("land_floor", "is a share, at most 1");
  section.integer("cost_factor", to.cost_factor, 1, 1'000'000);
  section.finish();
}

}  // namespace sluice::config
