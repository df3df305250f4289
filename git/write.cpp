// SPDX-License-Identifier: Apache-2.0
// Objects written by a Repo, and copies from a scratch repository into the store.
#include <fmt/format.h>

#include <set>

#include "core/text.h"
#include "git/commit_text.h"
#include "git/isolation.h"
#include "git/repo_state.h"
#include "git/trees.h"

namespace sluice::git {

Result<Oid> Repo::write_blob(std::string_view content) { return state_->objects.write(ObjectType::blob, content); }

Result<Oid> Repo::write_tree(const Oid& base, const std::vector<TreeUpdate>& updates) {
  return edit_tree(state_->objects, base, updates);
}

Result<Oid> Repo::write_commit(const CommitSpec& spec) {
  TRY_ASSIGN(const std::string text, compose_commit(spec));
  return state_->objects.write(ObjectType::commit, text);
}

namespace {

// Children are written before what names them: a crash leaves loose ends, never a stored object whose
// parts are absent, so "the store has it" keeps meaning "the store has all of it".
class Adoption {
 public:
  Adoption(const Objects& from, const Objects& into) : from_(from), into_(into) {}

  Result<void> adopt(const Oid& oid) {
    std::vector<Oid> open = {oid};  // commits whose parents are looked at first: an explicit stack, history is long
    while (!open.empty()) {
      const Oid at = open.back();
      if (done_.count(at) != 0 || into_.exists(at)) {
        open.pop_back();
        continue;
      }
      TRY_ASSIGN(const auto header, from_.header(at));
      if (header.first != ObjectType::commit) {
        TRY(copy(at, header.first, 0));
        open.pop_back();
        continue;
      }
      TRY_ASSIGN(const std::string text, from_.read(at, ObjectType::commit));
      TRY_ASSIGN(const Commit commit, parse_commit(at, text));
      bool waits = false;
      for (const auto& parent : commit.parents) {
        if (done_.count(parent) != 0 || into_.exists(parent)) continue;
        open.push_back(parent);
        waits = true;
      }
      if (waits) continue;
      TRY(copy(commit.tree, ObjectType::tree, 0));
      TRY(into_.write(ObjectType::commit, text));
      done_.insert(at);
      open.pop_back();
    }
    return {};
  }

 private:
  Result<void> copy(const Oid& oid, ObjectType type, int depth) {
    if (depth > max_tree_depth) return make_error(ErrorKind::invalid, "tree " + oid + " is too deep to copy");
    if (done_.count(oid) != 0 || into_.exists(oid)) return {};
    if (type == ObjectType::tree) {
      TRY_ASSIGN(const auto entries, from_.tree(oid));
      for (const auto& e : entries) {
        if (e.is_link()) continue;
        // A blob that neither side holds is one that policy lets be missing.
        if (!e.is_tree() && !from_.exists(e.oid)) continue;
        TRY(copy(e.oid, e.is_tree() ? ObjectType::tree : ObjectType::blob, depth + 1));
      }
    }
    TRY_ASSIGN(const std::string bytes, from_.read(oid, type));
    TRY(into_.write(type, bytes));
    done_.insert(oid);
    return {};
  }

  const Objects& from_;
  const Objects& into_;
  std::set<Oid> done_;
};

}  // namespace

Result<void> Repo::adopt_objects(const Repo& from, const std::vector<Oid>& oids) {
  Adoption adoption(from.state_->objects, state_->objects);
  for (const auto& oid : oids) TRY(adoption.adopt(oid));
  return {};
}

Result<std::string> Repo::merge_text(std::string_view base, std::string_view ours, std::string_view theirs,
                                     bool& clean) const {
  const auto input = [](std::string_view text, const char* label) {
    git_merge_file_input in = GIT_MERGE_FILE_INPUT_INIT;
    in.ptr = text.data();
    in.size = text.size();
    in.path = label;
    return in;
  };
  const auto ancestor = input(base, "base");
  const auto left = input(ours, "ours");
  const auto right = input(theirs, "theirs");
  git_merge_file_options options = GIT_MERGE_FILE_OPTIONS_INIT;
  options.ancestor_label = "base";
  options.our_label = "ours";
  options.their_label = "theirs";
  options.flags = GIT_MERGE_FILE_STYLE_DIFF3;
  options.marker_size = marker_width;
  git_merge_file_result merged{};
  const int rc = git_merge_file(&merged, &ancestor, &left, &right, &options);
  if (rc != 0) return libgit2_error(rc, "cannot merge three texts");
  clean = merged.automergeable != 0;
  std::string out(merged.ptr == nullptr ? "" : merged.ptr, merged.len);
  git_merge_file_result_free(&merged);
  return out;
}

}  // namespace sluice::git
