// SPDX-License-Identifier: Apache-2.0
#include "service/handover_branch.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/agent.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "service/model/parked_help.h"

namespace sluice::service {

namespace {

struct Writer {
  App& app;
  const model::Unit& unit;
  Oid parent;

  Result<void> add(const Oid& tree, const model::Person& author, const std::string& message) {
    git::CommitSpec spec;
    spec.tree = tree;
    spec.parents = {parent};
    spec.author = author;
    spec.committer = committer_of(app, unit);
    spec.message = message;
    TRY_ASSIGN(parent, app.repo.write_commit(spec));
    return {};
  }
  std::string trailers(const Oid& upstream) const { return fmt::format("Upstream-Commit: {}\nSluice-Unit: {}\n", upstream, unit.id); }
};

std::string raw_message(const model::UpstreamCommit& upstream, const agent::Answer& answer) {
  std::string out = fmt::format("Raw conflict of {} \"{}\"\n\nThe merge as git left it, not for landing. Conflict markers are 31 characters wide;\n"
                                "between them stand the fork's side, the common base, and upstream's side.\n\n",
                                model::short_oid(upstream.oid), core::printable(upstream.subject, 60));
  for (const std::string& line : answer.open) out += fmt::format("- {}\n", line);
  return out + "\n";
}

std::string draft_message(const model::UpstreamCommit& upstream, const agent::Answer& answer) {
  std::string out = fmt::format("Drafts for {}\n\nWhat the rungs answered; keep it or change it.\n\n", model::short_oid(upstream.oid));
  for (const model::Resolution& r : answer.resolutions) {
    out += fmt::format("- {}{}: {} ({} {}): {}\n", core::printable(r.path), r.region_id.empty() ? "" : " region " + r.region_id, r.action,
                       model::to_string(r.rung), r.rule, core::printable(r.reason));
  }
  return out + "\n";
}

}  // namespace

Result<GivenBranch> write_branch(App& app, Folder& folder, const model::Unit& unit, std::size_t from, const Oid& parent) {
  GivenBranch out;
  out.base = out.head = parent;
  TRY_ASSIGN(Oid tree, app.repo.reader().tree_of(parent));
  Writer write{app, unit, parent};
  for (std::size_t i = from; i < unit.commits.size(); ++i) {
    const Oid& oid = unit.commits[i];
    TRY_ASSIGN(const auto facts, app.store.facts(oid));
    if (!facts) return make_error(ErrorKind::internal, fmt::format("no facts are stored for upstream commit {}", oid));
    const model::Pick pick = folder.pick(oid, tree);
    if (pick.status == model::PickStatus::error) return make_error(ErrorKind::internal, fmt::format("{} cannot be picked: {}: {}", oid, pick.cause, pick.detail));
    if (pick.status == model::PickStatus::empty) {
      return make_error(ErrorKind::conflict, fmt::format("{} changes nothing on the present trunk; `sluice sync --unit {}` settles it and offers the rest", oid, unit.id));
    }
    agent::Answer answer;
    const bool conflict = pick.status == model::PickStatus::conflict;
    if (conflict) {
      TRY_ASSIGN(answer, folder.resolver().answer(unit.id, *facts, pick, write.parent));
    }
    if (!conflict || (answer.complete && !answer.for_person)) {
      tree = conflict ? answer.tree : pick.tree;
      TRY(write.add(tree, facts->author, guardrails::pick_message(*facts, unit.id, conflict, app.config.upstream_repo, app.config.subject_prefix)));
      ++out.picks;
      TRY_ASSIGN(const auto fix, suggestion_for(app, unit.id));
      if (fix && fix->upstream == oid && fix->pick_tree == tree) {
        TRY(write.add(fix->tree, committer_of(app, unit), guardrails::companion_message(fix->message, oid, unit.id)));
        tree = fix->tree;
        out.suggested = fix->transcript;
      }
      continue;
    }
    out.conflicted = oid;
    out.subject = facts->subject;
    out.open = answer.open;
    for (const model::Conflict& c : pick.conflicts) out.paths.push_back(c.path);
    TRY(write.add(pick.tree, facts->author, raw_message(*facts, answer) + write.trailers(oid)));
    if (answer.draft != pick.tree) {
      TRY(write.add(answer.draft, committer_of(app, unit), draft_message(*facts, answer) + write.trailers(oid)));
      out.drafts = true;
      out.answered = answer.complete;
    }
    out.waiting = unit.commits.size() - i - 1;
    break;
  }
  out.head = write.parent;
  return out;
}

}  // namespace sluice::service
