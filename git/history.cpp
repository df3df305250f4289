// SPDX-License-Identifier: Apache-2.0
// Ancestry and walks of a Reader.
#include <fmt/format.h>

#include <algorithm>

#include "git/isolation.h"
#include "git/reader_state.h"

namespace sluice::git {

Result<bool> Reader::is_ancestor(const Oid& ancestor, const Oid& descendant) const {
  TRY_ASSIGN(const git_oid a, to_git_oid(ancestor));
  TRY_ASSIGN(const git_oid d, to_git_oid(descendant));
  TRY(commit(ancestor));
  TRY(commit(descendant));
  if (ancestor == descendant) return true;
  const int rc = git_graph_descendant_of(state_->objects.repository(), &d, &a);
  if (rc < 0) return libgit2_error(rc, fmt::format("cannot tell whether {} is an ancestor of {}", ancestor, descendant));
  return rc == 1;
}

Result<Oid> Reader::merge_base(const Oid& a, const Oid& b) const {
  TRY_ASSIGN(const git_oid one, to_git_oid(a));
  TRY_ASSIGN(const git_oid two, to_git_oid(b));
  TRY(commit(a));
  TRY(commit(b));
  git_oid base;
  const int rc = git_merge_base(&base, state_->objects.repository(), &one, &two);
  if (rc == GIT_ENOTFOUND) return make_error(ErrorKind::not_found, fmt::format("{} and {} have no common ancestor", a, b));
  if (rc != 0) return libgit2_error(rc, fmt::format("cannot find the merge base of {} and {}", a, b));
  return to_oid(base);
}

Result<std::vector<Oid>> Reader::first_parents(const Oid& after, const Oid& tip) const {
  std::vector<Oid> line;  // newest first
  bool met = false;
  for (Oid at = tip; !at.empty();) {
    if (at == after) {
      met = true;
      break;
    }
    line.push_back(at);
    TRY_ASSIGN(const Commit c, commit(at));
    at = c.parents.empty() ? Oid{} : c.parents.front();
  }
  if (!after.empty() && !met) {
    // `after` came in through a second parent: what it contains is not new. Its ancestors are the older
    // end of the line, so the border is found by halving.
    std::size_t low = 0, high = line.size();  // line[high..] are ancestors of `after`
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      TRY_ASSIGN(const bool contained, is_ancestor(line[middle], after));
      if (contained) high = middle;
      else low = middle + 1;
    }
    line.resize(low);
  }
  std::reverse(line.begin(), line.end());
  return line;
}

Result<std::vector<Oid>> Reader::log(const Oid& tip, const Oid& not_from, std::size_t max) const {
  TRY_ASSIGN(const git_oid start, to_git_oid(tip));
  TRY(commit(tip));
  git_revwalk* raw = nullptr;
  int rc = git_revwalk_new(&raw, state_->objects.repository());
  if (rc != 0) return libgit2_error(rc, "cannot start a walk");
  const RevwalkHandle walk(raw);
  // A commit before its parents, also where dates say otherwise: the commits of one unit carry one date, and a
  // trunk that it was put on later may be younger.
  git_revwalk_sorting(raw, GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME);
  rc = git_revwalk_push(raw, &start);
  if (rc == 0 && !not_from.empty()) {
    TRY_ASSIGN(const git_oid hidden, to_git_oid(not_from));
    TRY(commit(not_from));
    rc = git_revwalk_hide(raw, &hidden);
  }
  if (rc != 0) return libgit2_error(rc, "cannot walk from " + tip);
  std::vector<Oid> out;
  git_oid next;
  while (out.size() < max && (rc = git_revwalk_next(&next, raw)) == 0) out.push_back(to_oid(next));
  if (out.size() < max && rc != GIT_ITEROVER) return libgit2_error(rc, "the walk from " + tip + " broke off");
  return out;
}

}  // namespace sluice::git
