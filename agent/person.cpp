// SPDX-License-Identifier: Apache-2.0
// The last rung: a person's tree, read as answers to the conflicts of a pick.
#include <algorithm>

#include "agent/agent.h"
#include "agent/pieces.h"

namespace sluice::agent {
namespace {

using model::Resolution;
using model::Rung;

const model::Stage* stage_of(const model::Conflict& conflict, int stage) {
  const auto found = std::find_if(conflict.stages.begin(), conflict.stages.end(), [&](const auto& s) { return s.stage == stage; });
  return found == conflict.stages.end() ? nullptr : &*found;
}

// A whole path, without regions: which side's entry stands there.
std::string action_of_path(const model::Conflict& conflict, const std::optional<git::TreeEntry>& entry) {
  if (!entry) return "deleted";
  for (const auto& [stage, action] : {std::pair{2, "ours"}, std::pair{3, "theirs"}}) {
    const model::Stage* side = stage_of(conflict, stage);
    if (side != nullptr && side->oid == entry->oid && side->mode == entry->mode) return action;
  }
  return "mixed";
}

// Looks like a NUL within git's reach: no text, so no regions.
bool is_text(const std::optional<std::string>& file) {
  return file && std::string_view(*file).substr(0, 8000).find('\0') == std::string_view::npos;
}

class Reading {
 public:
  Reading(const git::Reader& reader, const Answer& ladder, const model::Pick& pick, const model::Oid& tree)
      : reader_(reader), ladder_(ladder), pick_(pick), tree_(tree) {}

  Result<Answer> read() {
    out_.complete = true;
    out_.tree = out_.draft = tree_;
    for (const model::Conflict& conflict : pick_.conflicts) TRY(read_path(conflict));
    return std::move(out_);
  }

 private:
  Result<void> read_path(const model::Conflict& conflict) {
    TRY_ASSIGN(const auto entry, reader_.entry(tree_, conflict.path));
    TRY_ASSIGN(const auto merged, reader_.file(pick_.tree, conflict.path));
    git::MergedFile cut;
    if (is_text(merged)) {
      if (auto regions = git::cut_regions(conflict.path, *merged); regions.ok()) cut = std::move(*regions);
    }
    if (cut.regions.empty()) {
      add(conflict.path, {}, action_of_path(conflict, entry));
      return {};
    }
    TRY_ASSIGN(const auto text, reader_.file(tree_, conflict.path));
    const auto answers = text ? answers_in(cut, *text, Cut::any) : std::nullopt;
    std::vector<git::RegionResult> results(cut.regions.size());
    if (text) results = git::region_results(reader_, cut, *text);
    for (std::size_t k = 0; k < cut.regions.size(); ++k) {
      const git::Region& region = cut.regions[k];
      const std::string* answer = results[k].located ? &results[k].text : answers ? &(*answers)[k] : nullptr;
      add(conflict.path, region.id, !entry ? "deleted" : answer != nullptr ? action_of(region, *answer) : "mixed");
      // Whoever resolved by hand has made the choice; the entry says so in their place.
      if (!results[k].located || out_.resolutions.back().rung == Rung::proven) continue;
      if (auto side = side_entry(conflict.path, region, *answer, "chosen by the person who resolved it")) out_.account.push_back(std::move(*side));
    }
    return {};
  }

  // The two proven rules say `ours` and `deleted`; where the person says the same, they answer, and bring the
  // accounting entry that goes with it.
  void add(const std::string& path, const std::string& region, const std::string& action) {
    for (const Resolution& former : ladder_.resolutions) {
      const bool same = former.path == path && former.region_id == region && former.rung == Rung::proven &&
                        former.action == action && (action == "ours" || action == "deleted");
      if (!same) continue;
      out_.resolutions.push_back(former);
      for (const model::AccountEntry& entry : ladder_.account) {
        if (entry.path == path && (region.empty() ? entry.code == "DROPPED_BY_POLICY" : entry.arg == region)) out_.account.push_back(entry);
      }
      return;
    }
    out_.resolutions.push_back({path, region, Rung::person, "person", action, "resolved by a person"});
  }

  const git::Reader& reader_;
  const Answer& ladder_;
  const model::Pick& pick_;
  const model::Oid& tree_;
  Answer out_;
};

}  // namespace

Result<Answer> by_person(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream,
                         const model::Pick& pick, const model::Oid& tree) {
  TRY_ASSIGN(Answer answer, propose(repo, store, ladder, upstream, pick));
  if (answer.complete && !answer.for_person && answer.tree == tree) return answer;
  return Reading(repo.reader(), answer, pick, tree).read();
}

}  // namespace sluice::agent
