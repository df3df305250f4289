// SPDX-License-Identifier: Apache-2.0
#include "service/calibrate/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "service/pick_facts.h"

namespace sluice::service::calibrate {

namespace {

constexpr int merges_a_process = 64;  // one process a core, all at once
constexpr int picks_a_memory = 100;   // what the rules remember of blobs grows with every pick

bool speaks_of_conflict(const std::string& message) { return core::to_lower(message).find("conflict") != std::string::npos; }

void skip(RowResult& out, std::string why, std::size_t members) {
  if (members == 0) return;
  out.skipped.push_back({std::move(why), static_cast<std::int64_t>(members)});
}

}  // namespace

RowJudge::RowJudge(git::Repo repo, git::Picker picker, const model::PolicyConfig& policy, const guardrails::RuleFilter& filter)
    : repo_(std::move(repo)), picker_(std::move(picker)), policy_(policy), filter_(filter) {}

Result<RowJudge> RowJudge::open(const std::string& scratch_dir, const model::PolicyConfig& policy, const guardrails::RuleFilter& filter) {
  TRY_ASSIGN(git::Repo repo, git::Repo::open(scratch_dir));
  TRY_ASSIGN(git::Picker picker, git::Picker::open(repo, policy.paths, merges_a_process));
  return RowJudge(std::move(repo), std::move(picker), policy, filter);
}

RowResult RowJudge::judge(const Row& row) {
  RowResult out;
  out.commit = row.commit;
  if (row.upstream.size() > 1) {
    judge_bundle(row, out);
  } else {
    for (const Oid& upstream : row.upstream) out.samples.push_back(judge_pick(row, upstream, row.parent, row.commit, false));
  }
  return out;
}

// `onto` and `result`: commits of the fork, or of a member trees of the fold.
Sample RowJudge::judge_pick(const Row& row, const Oid& upstream, const Oid& onto, const Oid& result, bool member) {
  Sample out;
  out.commit = row.commit;
  out.upstream = upstream;
  out.member = member;
  const git::Reader& reader = repo_.reader();
  FoundFacts found = pick_facts(reader, picker_, upstream, onto, result);
  out.why = found.why;
  if (!found.why.empty()) return out;
  found.facts.onto_commit = row.parent;
  if (++judged_ % picks_a_memory == 0) *memory_ = guardrails::JudgeMemory();
  const auto measured = guardrails::measure(reader, found.facts, policy_, *memory_);
  const auto landed = reader.commit(row.commit);
  if (!measured.ok() || !landed.ok()) {
    out.why = measured.ok() ? landed.error().message : measured.error().message;
    return out;
  }
  out.measure = *measured;
  out.noted = speaks_of_conflict(landed->message);
  out.kind = out.measure.conflicted ? Kind::conflict : out.measure.identical ? Kind::as_merged : Kind::otherwise;
  const model::Verdict verdict = guardrails::judge_pick(reader, found.facts, policy_, filter_, guardrails::Judged::pick, memory_.get());
  for (const model::RuleResult& rule : verdict.rules) {
    if (!rule.applicable) continue;
    out.asked.push_back(rule.id);
    if (rule.judgement == model::Judgement::pass) continue;
    const auto above = std::count_if(rule.items.begin(), rule.items.end(), [](const model::VerdictItem& item) { return item.judgement != model::Judgement::pass; });
    out.alarms.push_back({rule.id, rule.judgement, above});
  }
  return out;
}

// Every path that a member changed on the fold holds in the landed tree what the member put there.
Result<bool> RowJudge::landed_so(const Oid& before, const Oid& after, const Oid& landed) const {
  TRY_ASSIGN(const std::vector<git::TreeDelta> deltas, repo_.reader().diff_trees(before, after));
  for (const git::TreeDelta& delta : deltas) {
    TRY_ASSIGN(const auto entry, repo_.reader().entry(landed, delta.path));
    const git::TreeEntry there = entry.value_or(git::TreeEntry{});
    if (there.oid != delta.after.oid || there.mode != delta.after.mode) return false;
  }
  return true;
}

void RowJudge::judge_bundle(const Row& row, RowResult& out) {
  const auto onto = repo_.reader().tree_of(row.parent), landed = repo_.reader().tree_of(row.commit);
  if (!onto.ok() || !landed.ok()) return skip(out, "bundle: " + (onto.ok() ? landed.error() : onto.error()).message, row.upstream.size());
  Oid fold = *onto;
  for (std::size_t k = 0; k < row.upstream.size() && !fold.empty(); ++k) judge_folded(row, *landed, k, fold, out);
}

// Member `k` on the fold of those before it, which becomes the next fold; empty where it ends.
void RowJudge::judge_folded(const Row& row, const Oid& landed, std::size_t k, Oid& fold, RowResult& out) {
  const model::Pick pick = picker_.pick(row.upstream[k], fold);
  if (pick.status != model::PickStatus::clean && pick.status != model::PickStatus::empty) {
    const bool conflict = pick.status == model::PickStatus::conflict;
    skip(out, conflict ? "bundle: conflicts on the fold" : fmt::format("bundle: {}", pick.cause), 1);
    skip(out, "bundle: behind a member that is no clean merge", row.upstream.size() - k - 1);
    fold.clear();
    return;
  }
  const auto so = landed_so(fold, pick.tree, landed);
  if (!so.ok()) {
    skip(out, "bundle: " + so.error().message, 1);
  } else if (!*so) {
    skip(out, "bundle: what it changes landed otherwise, by a later member or by a person", 1);
  } else {
    Sample sample = judge_pick(row, row.upstream[k], fold, pick.tree, true);
    if (sample.kind == Kind::unresolved) {
      skip(out, "bundle: " + sample.why, 1);
    } else {
      out.samples.push_back(std::move(sample));
    }
  }
  fold = pick.tree;
}

}  // namespace sluice::service::calibrate
