// SPDX-License-Identifier: Apache-2.0
#include "git/read.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "git/commit_text.h"
#include "git/reader_state.h"
#include "git/trees.h"

namespace sluice::git {

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Result<Reader> Reader::open(const std::string& git_dir, const std::vector<std::string>& alternates) {
  TRY_ASSIGN(auto objects, Objects::open(git_dir, alternates));
  return Reader(std::make_unique<State>(State{std::move(objects)}));
}

const std::string& Reader::git_dir() const { return state_->objects.git_dir(); }

Result<Commit> Reader::commit(const Oid& oid) const {
  TRY_ASSIGN(const std::string text, state_->objects.read(oid, ObjectType::commit));
  return parse_commit(oid, text);
}

Result<Oid> Reader::resolve(const std::string& name) const {
  const std::string shown = core::printable(name, 120);
  if (name.empty()) return make_error(ErrorKind::invalid, "an empty name names no commit");
  git_object* raw = nullptr;
  int rc = git_revparse_single(&raw, state_->objects.repository(), name.c_str());
  if (rc == GIT_ENOTFOUND && state_->objects.exists(name))  // an alternate that is new to this handle
    rc = git_revparse_single(&raw, state_->objects.repository(), name.c_str());
  if (rc == GIT_EAMBIGUOUS)
    return make_error(ErrorKind::invalid, fmt::format("\"{}\" is ambiguous in {}; give more digits", shown, git_dir()));
  if (rc != 0)
    return make_error(rc == GIT_ENOTFOUND ? ErrorKind::not_found : ErrorKind::invalid,
                      fmt::format("\"{}\" names no commit in {}", shown, git_dir()));
  const ObjectHandle object(raw);
  git_object* peeled = nullptr;
  rc = git_object_peel(&peeled, raw, GIT_OBJECT_COMMIT);
  if (rc != 0) return make_error(ErrorKind::invalid, fmt::format("\"{}\" is not a commit", shown));
  const ObjectHandle commit(peeled);
  return to_oid(*git_object_id(peeled));
}

Result<Oid> Reader::tree_of(const Oid& commit_or_tree) const {
  TRY_ASSIGN(const auto header, state_->objects.header(commit_or_tree));
  if (header.first == ObjectType::tree) return commit_or_tree;
  TRY_ASSIGN(const Commit found, commit(commit_or_tree));
  return found.tree;
}

bool Reader::has(const Oid& oid) const { return state_->objects.exists(oid); }

Result<std::optional<TreeEntry>> Reader::entry(const Oid& tree, std::string_view path) const {
  return tree_entry(state_->objects, tree, path);
}

Result<std::string> Reader::blob(const Oid& oid, std::size_t max_bytes) const {
  TRY_ASSIGN(const auto header, state_->objects.header(oid));
  if (header.second > max_bytes)
    return make_error(ErrorKind::invalid,
                      fmt::format("blob {} holds {} bytes, more than the limit of {}", oid, header.second, max_bytes));
  return state_->objects.read(oid, ObjectType::blob);
}

Result<std::optional<std::string>> Reader::file(const Oid& tree, std::string_view path) const {
  TRY_ASSIGN(const auto found, entry(tree, path));
  if (!found || found->mode == 0040000 || found->mode == 0160000) return std::optional<std::string>();
  TRY_ASSIGN(auto bytes, blob(found->oid));
  return std::optional<std::string>(std::move(bytes));
}

Result<void> Reader::walk(const Oid& tree,
                          const std::function<bool(const std::string& path, const TreeEntry&)>& visit) const {
  return walk_tree(state_->objects, tree, visit);
}

Result<std::vector<std::string>> Reader::missing_paths(const Oid& tree) const {
  std::vector<std::string> out;
  TRY(walk(tree, [&](const std::string& path, const TreeEntry& e) {
    if (e.mode != 0160000 && !state_->objects.exists(e.oid)) out.push_back(path);
    return true;
  }));
  return out;
}

}  // namespace sluice::git
