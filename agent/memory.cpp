// SPDX-License-Identifier: Apache-2.0
#include "agent/memory.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "core/hash.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

constexpr std::string_view ambiguous = "ambiguous";  // in `rule`: two different answers landed

std::string normalised(std::string_view text) {
  std::string out;
  for (const std::string_view line : core::split_lines(text)) {
    const std::string bare = core::strip_space(line);
    if (!bare.empty()) out += bare + "\n";
  }
  return out;
}

std::string_view extension(std::string_view path) {
  const std::string_view name =
      path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot);
}

// The key ignores whitespace, the answer may not: its lines must be spelled as this conflict spells them.
bool spelled_alike(const git::Region& region, std::string_view answer) {
  std::map<std::string, std::set<std::string_view>> here;
  for (const std::string* side : {&region.base, &region.ours, &region.theirs})
    for (const std::string_view line : core::split_lines_keep(*side))
      here[core::strip_space(line)].insert(line);
  for (const std::string_view line : core::split_lines_keep(answer)) {
    const std::string bare = core::strip_space(line);
    const auto known = here.find(bare);
    if (!bare.empty() && known != here.end() && !known->second.contains(line)) return false;
  }
  return true;
}

Result<bool> still_landed(store::Store& store, const std::string& unit_id) {
  TRY_ASSIGN(const auto unit, store.unit(unit_id));
  if (!unit) return true;  // brought from another store
  for (const auto& oid : unit->commits) {
    TRY_ASSIGN(const auto row, store.ledger(oid));
    if (row && (row->disposition == model::Disposition::backed_out ||
                row->disposition == model::Disposition::reverted_upstream))
      return false;
  }
  return true;
}

}  // namespace

std::string memory_key(std::string_view path, const git::Region& region) {
  core::Sha256 hash;
  const auto add = [&hash](std::string_view part) {
    hash.add(fmt::format("{}:", part.size()));
    hash.add(part);
  };
  add(extension(path));
  add(normalised(region.base));
  add(normalised(region.ours));
  add(normalised(region.theirs));
  return hash.hex();
}

Result<Recalled> recall(store::Store& store, std::string_view path, const git::Region& region) {
  Recalled out;
  TRY_ASSIGN(auto row, store.remembered(memory_key(path, region)));
  if (!row) return out;
  out.unit = row->unit;
  if (row->rule == ambiguous) {
    out.refused = "the same conflict was answered in two different ways before";
    return out;
  }
  TRY_ASSIGN(const bool landed, still_landed(store, row->unit));
  if (!landed)
    out.refused = "the answer remembered from " + row->unit + " was backed out";
  else if (!spelled_alike(region, row->answer))
    out.refused = "the answer remembered from " + row->unit + " has other whitespace";
  else
    out.answer = std::move(row->answer);
  return out;
}

Result<void> keep(store::Store& store, std::string_view path, const git::Region& region,
                  const std::string& answer, const std::string& rule, const std::string& unit,
                  std::int64_t now) {
  store::RememberedRow row{memory_key(path, region), answer, rule, unit, now, std::string(path), region.base, region.ours, region.theirs};
  TRY_ASSIGN(const auto before, store.remembered(row.key));
  if (before) {
    if (before->rule == ambiguous) return {};
    TRY_ASSIGN(const bool landed, still_landed(store, before->unit));
    if (landed && normalised(before->answer) != normalised(answer)) {
      row.answer.clear();
      row.rule = ambiguous;
    }
  }
  return store.put_remembered(row);
}

}  // namespace sluice::agent
