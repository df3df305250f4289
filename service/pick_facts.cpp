// SPDX-License-Identifier: Apache-2.0
#include "service/pick_facts.h"

#include <fmt/format.h>

namespace sluice::service {

FoundFacts pick_facts(const git::Reader& reader, git::Picker& picker, const model::Oid& upstream, const model::Oid& onto, const model::Oid& result) {
  FoundFacts out;
  guardrails::PickFacts& facts = out.facts;
  facts.upstream = upstream;
  facts.onto_commit = onto;
  const auto commit = reader.commit(upstream);
  const auto onto_tree = reader.tree_of(onto), result_tree = reader.tree_of(result);
  if (!commit.ok() || !onto_tree.ok() || !result_tree.ok()) {
    out.why = !commit.ok() ? commit.error().message : !onto_tree.ok() ? onto_tree.error().message : result_tree.error().message;
    return out;
  }
  facts.upstream_tree = commit->tree;
  facts.onto_tree = *onto_tree;
  facts.proposed_tree = *result_tree;
  facts.base_tree = model::empty_tree;
  if (!commit->parents.empty()) {
    facts.upstream_parent = commit->parents[0];
    const auto base = reader.tree_of(facts.upstream_parent);
    if (!base.ok()) {
      out.why = base.error().message;
      return out;
    }
    facts.base_tree = *base;
  }
  const model::Pick pick = picker.pick(upstream, facts.onto_tree);
  if (pick.status == model::PickStatus::error || pick.status == model::PickStatus::unknown) {
    out.why = fmt::format("{}: {}", pick.cause, pick.detail);
    return out;
  }
  facts.merge_tree = pick.tree;
  facts.conflicted = pick.status == model::PickStatus::conflict;
  facts.conflicts = pick.conflicts;
  facts.dropped = pick.dropped;
  facts.renames_skipped = pick.renames_skipped;
  return out;
}

}  // namespace sluice::service
