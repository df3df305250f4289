// SPDX-License-Identifier: Apache-2.0
#include "ingest/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace sluice::ingest {
namespace {

bool has_stage(const model::Conflict& conflict, int stage) {
  return std::any_of(conflict.stages.begin(), conflict.stages.end(),
                     [&](const auto& s) { return s.stage == stage; });
}

}  // namespace

std::string name_of(const model::UpstreamCommit& commit) {
  return fmt::format("{} \"{}\"", model::short_oid(commit.oid), core::printable(commit.subject, 60));
}

std::string list_words(const std::vector<std::string>& items, std::size_t most) {
  std::string out;
  for (std::size_t k = 0; k < items.size() && k < most; ++k)
    out += (k == 0 ? "" : ", ") + core::printable(items[k]);
  if (items.size() > most) out += fmt::format(" and {} more", items.size() - most);
  return out;
}

std::string dropped_words(const std::vector<model::DroppedPath>& dropped) {
  std::vector<std::string> items;
  for (const auto& path : dropped)
    items.push_back(fmt::format("{} ({}, policy {})", path.path, path.why, path.policy));
  return list_words(items);
}

std::string conflict_words(const model::Conflict& conflict) {
  const std::string path = core::printable(conflict.path);
  const std::string& kind = conflict.kind;
  if (kind == "contents" && conflict.regions > 0)
    return fmt::format("conflict in {}: {} {}", path, conflict.regions,
                       conflict.regions == 1 ? "region" : "regions");
  if (kind == "modify/delete" && !has_stage(conflict, 2))
    return fmt::format("the fork deleted {}, upstream changed it", path);
  if (kind == "modify/delete" && !has_stage(conflict, 3))
    return fmt::format("upstream deleted {}, the fork changed it", path);
  if (kind == "add/add") return fmt::format("both sides added {}, each with its own text", path);
  if (kind == "rename/rename") return fmt::format("both sides renamed {}, each to another name", path);
  if (kind == "rename/delete")
    return fmt::format("{} was renamed on one side and deleted on the other", path);
  if (kind == "binary") return fmt::format("{} is binary and changed on both sides", path);
  if (kind == "submodule" || kind.starts_with("submodule"))
    return fmt::format("the submodule link {} moved on both sides", path);
  if (kind == "file/directory")
    return fmt::format("{} is a file on one side and a directory on the other", path);
  if (kind == "distinct modes" || kind == "distinct types")
    return fmt::format("{} has another type on each side", path);
  if (kind == "directory rename suggested" || kind == "file location")
    return fmt::format(
        "upstream moved the directory of the fork's file {}: it may follow or stay, a person decides", path);
  return fmt::format("conflict in {}: {}", path, kind);
}

}  // namespace sluice::ingest
