// SPDX-License-Identifier: Apache-2.0
#include "guardrails/account.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/format.h"
#include "core/glob.h"
#include "core/hash.h"
#include "core/renaming.h"
#include "core/text.h"
#include "guardrails/account_words.h"
#include "guardrails/policy.h"

namespace sluice::guardrails {

using model::Judgement;

Account::Account(PickView& view, const std::set<std::string>* open_deferrals)
    : view_(view), open_deferrals_(open_deferrals) {
  for (const model::AccountEntry& entry : view.pick().account) open_.push_back({&entry, entry.count});
}

Result<Lift> Account::take(std::string_view kind, const std::string& path, const std::string& line) {
  const std::string norm = core::strip_space(line);
  const std::string sha = core::sha256_hex(norm);
  for (Open& open : open_) {
    const model::AccountEntry& entry = *open.entry;
    if (open.left <= 0 || entry.kind != kind || entry.path != path || entry.norm_sha256 != sha) continue;
    --open.left;
    return verify(entry, line, norm);
  }
  return Lift{};
}

Result<Lift> Account::verify(const model::AccountEntry& entry, const std::string& line,
                             const std::string& norm) {
  if (entry.kind == "upstream_removed") {
    TRY_ASSIGN(const std::optional<Lift> kept, verify_kept(entry, norm));
    if (kept) return *kept;
  }
  if (entry.code == "ALREADY_PRESENT") {
    // A line that was lost stood in the fork's file: what counts is whether the result still has it.
    TRY_ASSIGN(const FileText* onto, view_.file(Tree::onto, entry.path));
    TRY_ASSIGN(const FileText* proposed, view_.file(Tree::proposed, entry.path));
    const int there = count_of(onto->counts, norm), now = count_of(proposed->counts, norm);
    if (std::min(there, now) >= std::max(entry.count, 1)) return lifted(entry);
    return refuted(entry, fmt::format("the fork's {} has the line {} times, the result {} times, the entry accounts for {}",
                                      entry.path, there, now, entry.count));
  }
  if (entry.code == "MOVED_TO") {
    TRY_ASSIGN(const FileText* now, view_.file(Tree::proposed, entry.arg));
    TRY_ASSIGN(const FileText* was, view_.file(Tree::onto, entry.arg));
    if (count_of(now->counts, norm) == 0)
      return refuted(entry, fmt::format("{} does not have the line", entry.arg));
    if (count_of(was->counts, norm) > 0)
      return refuted(entry, fmt::format("{} had the line before", entry.arg));
    return lifted(entry);
  }
  if (entry.code == "RENAMED") return verify_renamed(entry, line);
  if (entry.code == "SUPERSEDED_BY_FORK") return verify_superseded(entry, norm);
  if (entry.code == "UPSTREAM_DELETED") {
    TRY_ASSIGN(const LineCounts* removed, view_.removed(Tree::base, Tree::upstream));
    if (count_of(*removed, norm) > 0) return lifted(entry);
    return refuted(entry, "the upstream commit does not remove the line");
  }
  if (entry.code == "NOT_APPLICABLE")
    return to_a_person(entry, "a claim that no program can check; a person must");
  if (entry.code == "DEFERRED") {
    if (open_deferrals_ != nullptr && !open_deferrals_->contains(entry.arg)) {
      return refuted(entry, fmt::format("'{}' is no open deferral of the ledger", entry.arg));
    }
    return to_a_person(entry, "a deferral that no program can check; a person must");
  }
  return refuted(entry, fmt::format("code {} does not answer a line", entry.code));
}

// A line that upstream removes and the result keeps: what the codes say of it is not what they say of a lost line.
Result<std::optional<Lift>> Account::verify_kept(const model::AccountEntry& entry, const std::string& norm) {
  if (entry.code == "ALREADY_PRESENT") {
    TRY_ASSIGN(const FileText* onto, view_.file(Tree::onto, entry.path));
    TRY_ASSIGN(const FileText* proposed, view_.file(Tree::proposed, entry.path));
    if (norm.empty()) {  // the file as a whole
      if (onto->present && onto->text == proposed->text) return std::optional(lifted(entry));
      return std::optional(refuted(entry, fmt::format("the result's {} is not the fork's", entry.path)));
    }
    const int there = count_of(onto->counts, norm), now = count_of(proposed->counts, norm);
    if (there > 0 && there >= now) return std::optional(lifted(entry));
    return std::optional(refuted(entry, fmt::format("the fork's {} has the line {} times, the result {} times", entry.path, there, now)));
  }
  if (entry.code == "UPSTREAM_DELETED")
    return std::optional(refuted(entry, "that upstream removes the line is what has to be answered"));
  if (entry.code == "MOVED_TO") return std::optional(refuted(entry, "the line has not moved, the result still has it"));
  return std::optional<Lift>();
}

Result<Lift> Account::verify_renamed(const model::AccountEntry& entry, const std::string& line) {
  const std::optional<core::Renaming> names = core::renaming_of(entry.arg);
  if (!names) return refuted(entry, core::renaming_form);
  const std::string renamed = core::strip_space(core::rename_in(line, names->from, names->to));
  TRY_ASSIGN(const FileText* proposed, view_.file(Tree::proposed, entry.path));
  if (renamed == core::strip_space(line)) return refuted(entry, "the line does not hold the old name");
  const int now = count_of(proposed->counts, renamed);
  if (now == 0) return refuted(entry, fmt::format("no line of {} equals the renamed line", entry.path));
  if (entry.kind == "downstream_lost") {  // a line that the fork had beside the lost one is not what became of it
    TRY_ASSIGN(const FileText* onto, view_.file(Tree::onto, entry.path));
    const int was = count_of(onto->counts, renamed);
    if (now <= was) return refuted(entry, fmt::format("the fork's {} had the renamed line already", entry.path));
  }
  return lifted(entry);
}

Result<Lift> Account::verify_superseded(const model::AccountEntry& entry, const std::string& norm) {
  const Oid& onto = view_.pick().onto_commit;
  if (onto.empty()) return to_a_person(entry, "the fork commit to compare with is not known here");
  if (!model::is_oid(entry.arg) || !view_.reader().has(entry.arg)) {
    return refuted(entry, fmt::format("'{}' is no commit of the fork (give all 40 digits)", entry.arg));
  }
  TRY_ASSIGN(const bool ancestor, view_.reader().is_ancestor(entry.arg, onto));
  if (!ancestor && entry.arg != onto)
    return refuted(entry, fmt::format("{} is no ancestor of the fork's tip", entry.arg));
  if (const Oid& theirs = view_.pick().upstream_parent; !theirs.empty()) {  // what both have superseded nothing here
    TRY_ASSIGN(const bool shared, view_.reader().is_ancestor(entry.arg, theirs));
    if (shared || entry.arg == theirs) return refuted(entry, fmt::format("{} is a commit of upstream, not of the fork", entry.arg));
  }
  TRY_ASSIGN(const git::Commit commit, view_.reader().commit(entry.arg));
  Oid before(model::empty_tree);
  if (!commit.parents.empty()) {
    TRY_ASSIGN(before, view_.reader().tree_of(commit.parents.front()));
  }
  TRY_ASSIGN(const std::vector<git::TreeDelta> deltas, view_.reader().diff_trees(before, commit.tree));
  const bool touches = std::any_of(deltas.begin(), deltas.end(),
                                   [&](const git::TreeDelta& d) { return d.path == entry.path; });
  if (!touches) return refuted(entry, fmt::format("{} does not touch {}", entry.arg, entry.path));
  if (entry.kind != "downstream_lost") return lifted(entry);
  // Nothing supersedes a line that is not there yet: the commit that wrote it, and every older one, is no answer.
  TRY_ASSIGN(const auto earlier, view_.reader().file(before, entry.path));
  LineCounts stood;
  if (earlier) count_lines(*earlier, stood);
  if (count_of(stood, norm) > 0) return lifted(entry);
  return refuted(entry, fmt::format("the line did not stand in {} before {}: the commit that wrote a line has not superseded it", entry.path, entry.arg));
}

Result<Lift> Account::take_adapted(const std::string& path) {
  Lift out;
  LineCounts covered;
  for (Open& open : open_) {
    const model::AccountEntry& entry = *open.entry;
    if (entry.kind != "adapt" || entry.path != path) continue;
    out.found = true;
    open.left = 0;
    if (entry.code != "API_RENAME") {  // SIGNATURE, INCLUDE, ...: nothing that a program could check
      if (out.judgement < Judgement::escalate)
        out = to_a_person(entry, "declared as adapted; a person must look at it");
      continue;
    }
    TRY_ASSIGN(const git::TextDiff* diff, view_.diff(Tree::merge, Tree::proposed, path));
    const std::optional<core::Renaming> names = core::renaming_of(entry.arg);
    if (!names) return refuted(entry, core::renaming_form);
    bool proven = false;
    for (const git::DiffLine& line : diff->lines) {
      if (line.side != '-') continue;
      const std::string made = core::strip_space(core::rename_in(line.text, names->from, names->to));
      if (made != core::strip_space(line.text) && core::sha256_hex(made) == entry.norm_sha256) {
        covered[made] += std::max(entry.count, 1);
        proven = true;
        break;
      }
    }
    if (!proven)
      return refuted(entry, fmt::format("no line of {} becomes the new one by that renaming", path));
    if (out.lifted_by.empty()) out.lifted_by = name_of(entry);
  }
  if (!out.found || out.judgement != Judgement::pass) return out;
  TRY_ASSIGN(const git::TextDiff* diff, view_.diff(Tree::merge, Tree::proposed, path));
  for (const git::DiffLine& line : diff->lines) {
    if (line.side == '+' && !guardrails::take(covered, core::strip_space(line.text))) {
      out.judgement = Judgement::escalate;
      out.detail = fmt::format("line {} is not covered by the declared renaming", line.line);
    }
  }
  return out;
}

Result<Account::Regions> Account::format_equal(const std::string& path) {
  Regions out;
  for (const Open& open : open_) {
    const model::AccountEntry& entry = *open.entry;
    if (entry.code != "FORMAT_EQUAL" || entry.path != path) continue;
    TRY_ASSIGN(const std::vector<RegionFact>* regions, view_.regions(path));
    const auto found = std::find_if(regions->begin(), regions->end(),
                                    [&](const RegionFact& fact) { return fact.region.id == entry.arg; });
    if (found == regions->end()) {
      out.false_entries.push_back(refuted(entry, "the machine merge has no such region").detail);
    } else if (!core::format_equal(found->region.ours, found->region.theirs, core::language_of(path))) {
      out.false_entries.push_back(refuted(entry, "the two sides differ in more than formatting").detail);
    } else if (!found->answered_ours) {
      out.false_entries.push_back(refuted(entry, "the result is not the fork's side").detail);
    } else {
      count_lines(found->region.theirs, out.equal);
      count_lines(found->region.ours, out.kept);
      if (out.lifted_by.empty()) out.lifted_by = name_of(entry);
    }
  }
  return out;
}

Result<Lift> Account::dropped(const std::string& path) {
  const model::DroppedPath* drop = view_.dropped(path);
  const auto entry = std::find_if(open_.begin(), open_.end(), [&](const Open& open) {
    return open.entry->code == "DROPPED_BY_POLICY" && open.entry->path == path;
  });
  if (drop == nullptr && entry == open_.end()) return Lift{};
  model::AccountEntry said;
  if (entry != open_.end())
    said = *entry->entry;
  else
    said = {"proven", path, "", 0, "DROPPED_BY_POLICY", drop->policy, ""};
  const PathRule rule = path_rule(view_.policy(), path);
  TRY_ASSIGN(const std::optional<git::TreeEntry> onto, view_.entry(Tree::onto, path));
  TRY_ASSIGN(const std::optional<git::TreeEntry> proposed, view_.entry(Tree::proposed, path));
  if (rule.klass == model::PathClass::deleted && !onto) {
    if (!proposed) return lifted(said);
    return refuted(said, "the path is in the result");
  }
  if (rule.upstream == model::UpstreamSay::ours || (drop != nullptr && drop->why == "missing")) {
    const bool same = onto.has_value() == proposed.has_value() &&
                      (!onto || (onto->oid == proposed->oid && onto->mode == proposed->mode));
    if (same) return lifted(said);
    return refuted(said, "the result differs from what the fork has there");
  }
  return refuted(said, "no entry of the policy drops this path, or the fork has it");
}

std::set<std::string> Account::proven_paths() const {
  std::set<std::string> out;
  for (const Open& open : open_) {
    if (open.entry->kind == "proven") out.insert(open.entry->path);
  }
  return out;
}

}  // namespace sluice::guardrails
