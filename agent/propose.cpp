// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "agent/agent.h"
#include "agent/further.h"
#include "agent/line_ends.h"
#include "agent/memory.h"
#include "agent/pieces.h"
#include "core/format.h"
#include "core/glob.h"
#include "core/text.h"

namespace sluice::agent {
namespace {

using model::Conflict;
using model::Resolution;
using model::Rung;

const model::Stage* stage_of(const Conflict& conflict, int stage) {
  const auto found = std::find_if(conflict.stages.begin(), conflict.stages.end(),
                                  [&](const auto& s) { return s.stage == stage; });
  return found == conflict.stages.end() ? nullptr : &*found;
}

// The policy entry that says the fork deleted this path; null = none does.
const model::PathConfig* deleted_entry(const model::PolicyConfig& policy, const std::string& path) {
  for (const auto& entry : policy.paths)
    if (entry.klass != model::PathClass::none && core::glob_match(entry.glob, path))
      return entry.klass == model::PathClass::deleted ? &entry : nullptr;
  return nullptr;
}

std::string why_open(const Conflict& conflict) {
  const bool ours = stage_of(conflict, 2) != nullptr, theirs = stage_of(conflict, 3) != nullptr;
  const std::string& kind = conflict.kind;
  if (kind == "modify/delete" && !ours)
    return "the fork deleted it and no [[path]] entry of class deleted says so: decide whether it stays "
           "deleted";
  if (kind == "modify/delete" && !theirs)
    return "upstream deleted what the fork changed: no rule decides that";
  if (kind == "binary")
    return "binary on both sides: take one side by hand, or by policy (upstream = \"ours\")";
  if (kind.starts_with("submodule"))
    return "a submodule link moved on both sides: the pin lane decides by ancestry";
  if (kind == "add/add")
    return "both sides added it: keep the fork's (then it is already there, with the difference shown) or "
           "merge by hand";
  if (kind == "directory rename suggested" || kind == "file location")
    return "upstream moved its directory: the fork's file follows or stays, by hand";
  if (kind == "contents") return "no resolution is remembered or proven for all of it";
  return "no rule answers this kind of conflict";
}

// The rungs `remembered` and `proven`, file by file.
class SureRungs {
 public:
  SureRungs(git::Repo& repo, store::Store& store, const model::PolicyConfig& policy, const model::Pick& pick)
      : repo_(repo), store_(store), policy_(policy), pick_(pick) {}

  Result<Answer> climb() {
    for (const Conflict& conflict : pick_.conflicts) TRY(answer(conflict));
    out_.complete = out_.open.empty();
    for (const Text& text : pending_) {
      TRY_ASSIGN(const model::Oid blob, repo_.write_blob(text.content));
      updates_.push_back({text.path, git::TreeEntry{text.mode, blob}});
    }
    out_.draft = pick_.tree;
    if (!updates_.empty()) {
      TRY_ASSIGN(out_.draft, repo_.write_tree(pick_.tree, updates_));
    }
    sure_.merged = pick_.tree;
    std::vector<git::TreeUpdate> whole;
    for (const git::TreeUpdate& update : updates_) {
      const bool open = std::any_of(sure_.open.begin(), sure_.open.end(), [&](const auto& c) { return c.path == update.path; });
      if (!open) whole.push_back(update);
    }
    if (out_.complete) out_.tree = out_.draft;
    if (!out_.complete && !whole.empty()) {
      TRY_ASSIGN(sure_.merged, repo_.write_tree(pick_.tree, whole));
    }
    return std::move(out_);
  }
  const Sure& sure() const { return sure_; }

 private:
  void open(const Conflict& conflict, const std::string& why) {
    sure_.open.push_back(conflict);
    const std::string where = conflict.regions == 0  ? conflict.kind
                              : conflict.regions == 1 ? std::string("1 region")
                                                      : fmt::format("{} regions", conflict.regions);
    out_.open.push_back(fmt::format("{} ({}): {}", core::printable(conflict.path), where, why));
  }

  Result<void> answer(const Conflict& conflict) {
    if (keep_deleted(conflict)) return {};
    if (conflict.kind != "contents" && conflict.kind != "add/add") {
      open(conflict, why_open(conflict));
      return {};
    }
    TRY_ASSIGN(const auto entry, repo_.reader().entry(pick_.tree, conflict.path));
    if (!entry || conflict.regions == 0) {
      open(conflict, why_open(conflict));
      return {};
    }
    TRY_ASSIGN(const std::string text, repo_.reader().blob(entry->oid));
    const auto merged = git::cut_regions(conflict.path, text);
    if (!merged.ok() || merged->regions.empty()) {
      open(conflict, merged.ok() ? why_open(conflict) : merged.error().message);
      return {};
    }
    return content(conflict, text, *merged, entry->mode);
  }

  // Normally the picker has taken such a path out already; a rename can bring it back.
  bool keep_deleted(const Conflict& conflict) {
    if (conflict.kind != "modify/delete" || stage_of(conflict, 2) != nullptr) return false;
    const model::PathConfig* entry = deleted_entry(policy_, conflict.path);
    if (entry == nullptr) return false;
    out_.resolutions.push_back({conflict.path,
                                {},
                                Rung::proven,
                                "keep-deleted",
                                "deleted",
                                "policy " + entry->glob + " keeps it deleted in the fork"});
    out_.account.push_back({"proven",
                            conflict.path,
                            {},
                            0,
                            "DROPPED_BY_POLICY",
                            entry->glob,
                            "the fork deleted this file by policy"});
    updates_.push_back({conflict.path, std::nullopt});
    return true;
  }

  Result<void> content(const Conflict& conflict, const std::string& text, const git::MergedFile& merged, std::uint32_t mode) {
    std::vector<std::string> answers, draft;  // of the regions answered; of all, with the markers of the others
    std::vector<Resolution> resolutions;
    std::vector<model::AccountEntry> account;
    std::string refused;
    for (const git::Region& region : merged.regions) {
      const std::size_t before = answers.size();
      TRY_ASSIGN(const Recalled recalled, recall(store_, conflict.path, region));
      const bool equal = core::format_equal(region.ours, region.theirs, core::language_of(conflict.path));
      // Where the proven rule gives the same text it answers: its accounting entry comes with it.
      if (recalled.answer && !(equal && *recalled.answer == region.ours)) {
        answers.push_back(*recalled.answer);
        resolutions.push_back({conflict.path, region.id, Rung::remembered, "remembered",
                               action_of(region, *recalled.answer),
                               "the same conflict landed with " + recalled.unit});
        if (auto side = side_entry(conflict.path, region, *recalled.answer, "the same answer landed with " + recalled.unit))
          account.push_back(std::move(*side));
      } else if (!recalled.refused.empty()) {
        refused = recalled.refused;
      }
      if (answers.size() == before && equal) {
        answers.push_back(region.ours);
        resolutions.push_back({conflict.path, region.id, Rung::proven, "A1s", "ours",
                               "both sides say the same; the fork's spelling is kept"});
        account.push_back(
            {"proven", conflict.path, {}, 0, "FORMAT_EQUAL", region.id, "both sides are lexically equal"});
      }
      draft.push_back(answers.size() > before ? answers.back() : marked(text, region));
    }
    if (answers.size() == merged.regions.size()) {
      take(conflict.path, mode, git::fill_regions(merged, answers), resolutions, account);
      return {};
    }
    TRY_ASSIGN(const auto whole, by_line_ends(conflict, merged));
    if (whole) {
      resolutions.clear();
      for (const git::Region& region : merged.regions)
        resolutions.push_back({conflict.path, region.id, Rung::proven, whole->rule, "mixed", whole->reason});
      take(conflict.path, mode, whole->text, resolutions, {});
      return {};
    }
    const std::size_t left = merged.regions.size() - answers.size();
    std::string why = why_open(conflict);
    if (!answers.empty()) why += fmt::format(" ({} of {} left)", left, merged.regions.size());
    if (!refused.empty()) why += "; " + refused;
    open(conflict, why);
    if (answers.empty()) return {};
    for (std::size_t k = 0; k < answers.size(); ++k) sure_.answers.emplace(resolutions[k].region_id, std::pair(answers[k], resolutions[k]));
    take(conflict.path, mode, git::fill_regions(merged, draft), resolutions, account);
    return {};
  }

  // The lines of a region as they stand in the merged file, markers included.
  static std::string marked(std::string_view text, const git::Region& region) {
    const auto lines = core::split_lines_keep(text);
    std::string out;
    for (std::size_t line = region.first_line; line <= region.last_line && line <= lines.size(); ++line) out += lines[line - 1];
    return out;
  }

  // Only when nothing outside the regions changes: the record of a region speaks for that region alone.
  Result<std::optional<StyledMerge>> by_line_ends(const Conflict& conflict, const git::MergedFile& merged) {
    std::array<std::string, 3> sides;
    for (int stage = 1; stage <= 3; ++stage) {
      const model::Stage* entry = stage_of(conflict, stage);
      if (entry == nullptr) return std::optional<StyledMerge>{};
      TRY_ASSIGN(sides[static_cast<std::size_t>(stage) - 1], repo_.reader().blob(entry->oid));
    }
    TRY_ASSIGN(auto whole,
               merge_styled(sides[0], sides[1], sides[2],
                            [&](std::string_view base, std::string_view ours, std::string_view theirs,
                                bool& clean) { return repo_.merge_text(base, ours, theirs, clean); }));
    if (whole && !answers_in(merged, whole->text, Cut::any)) whole.reset();
    return whole;
  }

  void take(const std::string& path, std::uint32_t mode, std::string text,
            const std::vector<Resolution>& resolutions, const std::vector<model::AccountEntry>& account) {
    pending_.push_back({path, mode, std::move(text)});
    out_.resolutions.insert(out_.resolutions.end(), resolutions.begin(), resolutions.end());
    out_.account.insert(out_.account.end(), account.begin(), account.end());
  }

  struct Text {
    std::string path;
    std::uint32_t mode = 0;
    std::string content;
  };

  git::Repo& repo_;
  store::Store& store_;
  const model::PolicyConfig& policy_;
  const model::Pick& pick_;
  Answer out_;
  Sure sure_;
  std::vector<Text> pending_;
  std::vector<git::TreeUpdate> updates_;
};

}  // namespace

Result<Answer> propose(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream,
                       const model::Pick& pick) {
  if (pick.status != model::PickStatus::conflict || pick.conflicts.empty())
    return make_error(ErrorKind::invalid, fmt::format("the pick of {} has no conflict to answer (it is {})",
                                                      upstream.oid, model::to_string(pick.status)));
  SureRungs rungs(repo, store, *ladder.policy, pick);
  TRY_ASSIGN(Answer answer, rungs.climb());
  if (!answer.complete && ladder.rungs != nullptr && ladder.checks != nullptr)
    TRY(climb_further(repo, store, ladder, upstream, pick, rungs.sure(), answer));
  return answer;
}

Result<std::string> preview(git::Repo& repo, store::Store& store, const Ladder& ladder, const model::UpstreamCommit& upstream, const model::Pick& pick) {
  SureRungs rungs(repo, store, *ladder.policy, pick);
  TRY_ASSIGN(const Answer answer, rungs.climb());
  if (answer.complete) return make_error(ErrorKind::not_found, "surer rungs answer every conflict of it, so no model is asked");
  return preview_further(repo, store, ladder, upstream, pick, rungs.sure(), answer);
}

Result<void> remember(git::Repo& repo, store::Store& store, const std::string& unit,
                      const model::ProposalMember& member, std::int64_t now) {
  if (!member.resolved) return {};
  for (const Conflict& conflict : member.pick.conflicts) {
    if (conflict.regions == 0) continue;
    TRY_ASSIGN(const auto before, repo.reader().file(member.pick.tree, conflict.path));
    TRY_ASSIGN(const auto after, repo.reader().file(member.tree, conflict.path));
    if (!before || !after) continue;
    const auto merged = git::cut_regions(conflict.path, *before);
    if (!merged.ok()) continue;
    const auto answers = answers_in(*merged, *after, Cut::only_way);
    if (!answers) continue;  // edited outside the regions as well: no region's answer stands on its own
    for (std::size_t k = 0; k < answers->size(); ++k) {
      const git::Region& region = merged->regions[k];
      const auto record = std::find_if(
          member.resolutions.begin(), member.resolutions.end(),
          [&](const Resolution& r) { return r.path == conflict.path && r.region_id == region.id; });
      TRY(keep(store, conflict.path, region, (*answers)[k],
               record == member.resolutions.end() ? "person" : record->rule, unit, now));
    }
  }
  return {};
}

}  // namespace sluice::agent
