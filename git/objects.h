// SPDX-License-Identifier: Apache-2.0
// Raw objects of a repository through libgit2's object database. Inner header of git/.
// Sees what other processes write: loose files are looked up on disk, packs and alternates are read
// again when an object is not found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "git/handle.h"
#include "git/read.h"

namespace sluice::git {

enum class ObjectType { commit, tree, blob, tag };
std::string_view to_string(ObjectType type);

struct RawTreeEntry {
  std::string name;
  std::uint32_t mode = 0;
  Oid oid;
  bool is_tree() const { return mode == 0040000; }
  bool is_link() const { return mode == 0160000; }  // submodule: names a commit of another repository
};

class Objects {
 public:
  static Result<Objects> open(const std::string& git_dir, const std::vector<std::string>& alternates = {});

  // Errors: not_found "object_missing: <oid> ...", invalid (bad id, other type).
  Result<std::string> read(const Oid& oid, ObjectType want) const;
  Result<std::pair<ObjectType, std::size_t>> header(const Oid& oid) const;
  bool exists(const Oid& oid) const;
  Result<Oid> write(ObjectType type, std::string_view bytes) const;
  // An empty id, and git's empty tree, are trees without entries whether stored or not.
  Result<std::vector<RawTreeEntry>> tree(const Oid& oid) const;
  // One entry of it, without building the others; nullopt when there is none of that name.
  Result<std::optional<RawTreeEntry>> tree_child(const Oid& oid, std::string_view name) const;

  git_repository* repository() const { return repository_.get(); }
  const std::string& git_dir() const { return git_dir_; }

 private:
  Objects() = default;
  bool alternates_changed() const;
  Error missing(const Oid& oid) const;
  RepositoryHandle repository_;
  OdbHandle odb_;
  OdbHandle writer_;  // loose files of this repository alone: see write()
  std::string git_dir_;
  mutable std::vector<std::string> known_alternates_;
};

// Errors: invalid unless 40 lower-case hex digits.
Result<git_oid> to_git_oid(const Oid& oid);
Oid to_oid(const git_oid& oid);

std::string object_directory(const std::string& git_dir);
// Lines of objects/info/alternates as absolute paths; empty when there is none.
std::vector<std::string> read_alternates(const std::string& object_dir);

}  // namespace sluice::git
