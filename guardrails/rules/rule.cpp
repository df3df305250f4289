// SPDX-License-Identifier: Apache-2.0
#include "guardrails/rules/rule.h"

#include <fmt/format.h>

#include <array>

namespace sluice::guardrails {

std::span<const Rule> rules() {
  static constexpr std::array<Rule, 20> all = {{
      {"G01", "provenance", "BLOCK", nullptr, g01_provenance},
      {"G02", "clean pick equals the machine merge", "BLOCK in a bundle, else ESCALATE", g02_machine_merge},
      {"G03", "bundle fold", "BLOCK", nullptr, g03_fold},
      {"G04", "tested is landed", "BLOCK", nullptr, g04_tested_is_landed, false, true},
      {"G05", "message and author", "BLOCK", nullptr, g05_message},
      {"G06", "refs", "BLOCK", nullptr, g06_refs},
      {"G10", "paths outside the conflict", "EXPLAIN, above the threshold ESCALATE", g10_paths},
      {"G12", "protected paths", "BLOCK", g12_protected},
      {"G13", "modes, links, size, names", "BLOCK", g13_modes},
      {"G15", "pins", "BLOCK", g15_pins},
      {"G20", "conflict markers", "BLOCK", g20_markers},
      {"G21", "upstream's lines are there", "EXPLAIN, much or a whole file ESCALATE", g21_upstream_added},
      {"G23", "the fork's lines are kept", "EXPLAIN, in the fork surface ESCALATE", g23_fork_kept},
      {"G25", "dangling reference", "BLOCK", g25_dangling},
      {"G26", "duplicate", "ESCALATE", g26_duplicate},
      {"G28", "every conflict has one record", "BLOCK", g28_coverage, nullptr, true},
      {"G42", "expected suites", "BLOCK", nullptr, g42_suites, false, true},
      {"G43", "test counts and identities", "BLOCK", nullptr, g43_counts, false, true},
      {"G44", "runner semantics", "BLOCK", nullptr, g44_runner, false, true},
      {"G50", "clean build", "BLOCK", nullptr, g50_build, false, true},
  }};
  return all;
}

model::VerdictItem make_item(std::string path, std::string_view text, std::string detail,
                             model::Judgement judgement) {
  model::VerdictItem item;
  item.path = std::move(path);
  item.text = std::string(text.substr(0, 300));
  item.detail = std::move(detail);
  item.origin = "proposal";
  item.judgement = judgement;
  return item;
}

void apply(const Lift& lift, model::VerdictItem& item) {
  if (!lift.found) return;
  item.judgement = lift.judgement;
  item.lifted_by = lift.lifted_by;
  if (!lift.detail.empty()) item.detail = lift.detail;
}

void cap(Items& items, std::size_t limit) {
  if (items.size() <= limit) return;
  model::VerdictItem rest;
  rest.origin = "proposal";
  rest.detail = fmt::format("{} more items like these", items.size() - limit);
  for (std::size_t i = limit; i < items.size(); ++i)
    rest.judgement = model::worse(rest.judgement, items[i].judgement);
  items.resize(limit);
  items.push_back(std::move(rest));
}

}  // namespace sluice::guardrails
