// SPDX-License-Identifier: Apache-2.0
#include "git/objects.h"

#include <fmt/format.h>
#include <git2/odb_backend.h>

#include <algorithm>

#include "core/file.h"
#include "core/text.h"
#include "git/isolation.h"

namespace sluice::git {

std::string_view to_string(ObjectType type) {
  switch (type) {
    case ObjectType::commit: return "commit";
    case ObjectType::tree: return "tree";
    case ObjectType::blob: return "blob";
    case ObjectType::tag: return "tag";
  }
  return "object";
}

namespace {

git_object_t libgit2_type(ObjectType type) {
  switch (type) {
    case ObjectType::commit: return GIT_OBJECT_COMMIT;
    case ObjectType::tree: return GIT_OBJECT_TREE;
    case ObjectType::blob: return GIT_OBJECT_BLOB;
    case ObjectType::tag: return GIT_OBJECT_TAG;
  }
  return GIT_OBJECT_INVALID;
}

Result<ObjectType> our_type(git_object_t type, const Oid& oid) {
  switch (type) {
    case GIT_OBJECT_COMMIT: return ObjectType::commit;
    case GIT_OBJECT_TREE: return ObjectType::tree;
    case GIT_OBJECT_BLOB: return ObjectType::blob;
    case GIT_OBJECT_TAG: return ObjectType::tag;
    default: return make_error(ErrorKind::invalid, "object " + oid + " has an unknown type");
  }
}

Error malformed_tree(const Oid& oid) { return make_error(ErrorKind::invalid, "tree " + oid + " is malformed"); }

}  // namespace

Result<git_oid> to_git_oid(const Oid& oid) {
  git_oid out;
  if (!model::is_oid(oid) || git_oid_fromstr(&out, oid.c_str()) != 0)
    return make_error(ErrorKind::invalid,
                      fmt::format("\"{}\" is not an object id of 40 lower-case hex digits", core::printable(oid, 60)));
  return out;
}

Oid to_oid(const git_oid& oid) {
  std::string out(GIT_OID_HEXSZ, '0');
  git_oid_fmt(out.data(), &oid);
  return out;
}

std::string object_directory(const std::string& git_dir) {
  const std::string inner = core::join_path(git_dir, ".git/objects");
  return core::exists(inner) ? inner : core::join_path(git_dir, "objects");
}

std::vector<std::string> read_alternates(const std::string& object_dir) {
  std::vector<std::string> out;
  const auto text = core::read_file(core::join_path(object_dir, "info/alternates"), 1u << 20);
  if (!text.ok()) return out;
  for (const auto line : core::split_lines(*text)) {
    if (line.empty() || line.front() == '#') continue;
    out.push_back(line.front() == '/' ? std::string(line) : core::absolute_path(core::join_path(object_dir, line)));
  }
  return out;
}

Result<Objects> Objects::open(const std::string& git_dir, const std::vector<std::string>& alternates) {
  start_libgit2();
  Objects out;
  git_repository* repository = nullptr;
  int rc = git_repository_open_ext(&repository, git_dir.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  if (rc != 0) return libgit2_error(rc, fmt::format("cannot open the repository {}", core::printable(git_dir)));
  out.repository_.reset(repository);
  git_odb* odb = nullptr;
  rc = git_repository_odb(&odb, repository);
  if (rc != 0) return libgit2_error(rc, fmt::format("cannot open the objects of {}", core::printable(git_dir)));
  out.odb_.reset(odb);
  out.git_dir_ = git_repository_commondir(repository);
  while (out.git_dir_.size() > 1 && out.git_dir_.back() == '/') out.git_dir_.pop_back();
  // libgit2 opens a sha256 repository without a word and then misreads it.
  const auto config = core::read_file(core::join_path(out.git_dir_, "config"), 4u << 20);
  if (config.ok() && core::to_lower(*config).find("objectformat") != std::string::npos &&
      core::to_lower(*config).find("sha256") != std::string::npos)
    return make_error(ErrorKind::invalid, "repository " + core::printable(git_dir) +
                                              " uses sha256 object ids; only sha1 is supported");
  git_odb_backend* loose = nullptr;
  git_odb* writer = nullptr;
  rc = git_odb_new(&writer);
  out.writer_.reset(writer);
  if (rc == 0) rc = git_odb_backend_loose(&loose, object_directory(out.git_dir_).c_str(), -1, 0, 0, 0);
  if (rc == 0) rc = git_odb_add_backend(writer, loose, 1);  // takes `loose` over
  if (rc != 0) return libgit2_error(rc, fmt::format("cannot open the objects of {}", core::printable(git_dir)));
  out.known_alternates_ = read_alternates(object_directory(out.git_dir_));
  for (const auto& alternate : alternates) {
    const std::string inner = object_directory(alternate);
    rc = git_odb_add_disk_alternate(odb, core::exists(inner) ? inner.c_str() : alternate.c_str());
    if (rc != 0) return libgit2_error(rc, "cannot add the objects of " + core::printable(alternate));
  }
  return out;
}

Error Objects::missing(const Oid& oid) const {
  return make_error(ErrorKind::not_found, "object_missing: " + oid + " is absent from " + core::printable(git_dir_));
}

// A fetch may have added an alternate after this handle was opened; libgit2's own refresh ignores that.
bool Objects::alternates_changed() const {
  bool changed = false;
  for (auto& path : read_alternates(object_directory(git_dir_))) {
    if (std::find(known_alternates_.begin(), known_alternates_.end(), path) != known_alternates_.end()) continue;
    changed = git_odb_add_disk_alternate(odb_.get(), path.c_str()) == 0 || changed;
    known_alternates_.push_back(std::move(path));
  }
  return changed;
}

Result<std::string> Objects::read(const Oid& oid, ObjectType want) const {
  TRY_ASSIGN(const git_oid id, to_git_oid(oid));
  if (want == ObjectType::tree && oid == model::empty_tree) return std::string();
  git_odb_object* raw = nullptr;
  int rc = git_odb_read(&raw, odb_.get(), &id);
  if (rc == GIT_ENOTFOUND && alternates_changed()) rc = git_odb_read(&raw, odb_.get(), &id);
  if (rc == GIT_ENOTFOUND) return missing(oid);
  if (rc != 0) return libgit2_error(rc, "cannot read object " + oid);
  const OdbObjectHandle object(raw);
  if (git_odb_object_type(raw) != libgit2_type(want))
    return make_error(ErrorKind::invalid, fmt::format("object {} is a {}, not a {}", oid,
                                                      git_object_type2string(git_odb_object_type(raw)), to_string(want)));
  return std::string(static_cast<const char*>(git_odb_object_data(raw)), git_odb_object_size(raw));
}

Result<std::pair<ObjectType, std::size_t>> Objects::header(const Oid& oid) const {
  TRY_ASSIGN(const git_oid id, to_git_oid(oid));
  if (oid == model::empty_tree) return std::pair(ObjectType::tree, std::size_t{0});
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  int rc = git_odb_read_header(&size, &type, odb_.get(), &id);
  if (rc == GIT_ENOTFOUND && alternates_changed()) rc = git_odb_read_header(&size, &type, odb_.get(), &id);
  if (rc == GIT_ENOTFOUND) return missing(oid);
  if (rc != 0) return libgit2_error(rc, "cannot read object " + oid);
  TRY_ASSIGN(const ObjectType ours, our_type(type, oid));
  return std::pair(ours, size);
}

bool Objects::exists(const Oid& oid) const {
  const auto id = to_git_oid(oid);
  if (!id.ok()) return false;
  if (git_odb_exists(odb_.get(), &*id) == 1) return true;
  return alternates_changed() && git_odb_exists(odb_.get(), &*id) == 1;
}

Result<Oid> Objects::write(ObjectType type, std::string_view bytes) const {
  git_oid id;
  int rc = git_odb_hash(&id, bytes.data(), bytes.size(), libgit2_type(type));
  // Through the whole database libgit2 lists every pack directory again for each new object. The look for
  // one that is there already needs no such refresh: a second copy would do no harm.
  if (rc == 0 && git_odb_exists_ext(odb_.get(), &id, GIT_ODB_LOOKUP_NO_REFRESH) == 1) return to_oid(id);
  if (rc == 0) rc = git_odb_write(&id, writer_.get(), bytes.data(), bytes.size(), libgit2_type(type));
  if (rc != 0) return libgit2_error(rc, fmt::format("cannot write a {} into {}", to_string(type), core::printable(git_dir_)));
  return to_oid(id);
}

namespace {

// One entry as it stands in a tree object.
struct TreeBytes {
  std::uint32_t mode = 0;
  std::string_view name;
  const unsigned char* id = nullptr;
};

// Takes the first entry off `rest`; false when it is none.
bool take_entry(std::string_view& rest, TreeBytes& out) {
  std::size_t i = 0;
  out.mode = 0;
  while (i < rest.size() && rest[i] >= '0' && rest[i] <= '7' && i < 7)
    out.mode = out.mode * 8 + static_cast<std::uint32_t>(rest[i++] - '0');
  if (i == 0 || i >= rest.size() || rest[i] != ' ') return false;
  rest.remove_prefix(i + 1);
  const auto end = rest.find('\0');
  if (end == std::string_view::npos || end == 0 || rest.size() < end + 1 + GIT_OID_RAWSZ) return false;
  out.name = rest.substr(0, end);
  out.id = reinterpret_cast<const unsigned char*>(rest.data() + end + 1);
  rest.remove_prefix(end + 1 + GIT_OID_RAWSZ);
  return true;
}

RawTreeEntry entry_of(const TreeBytes& bytes) {
  git_oid id;
  git_oid_fromraw(&id, bytes.id);
  return {std::string(bytes.name), bytes.mode, to_oid(id)};
}

}  // namespace

Result<std::vector<RawTreeEntry>> Objects::tree(const Oid& oid) const {
  std::vector<RawTreeEntry> out;
  if (oid.empty()) return out;
  TRY_ASSIGN(const std::string bytes, read(oid, ObjectType::tree));
  std::string_view rest = bytes;
  TreeBytes entry;
  while (!rest.empty()) {
    if (!take_entry(rest, entry)) return malformed_tree(oid);
    out.push_back(entry_of(entry));
  }
  return out;
}

Result<std::optional<RawTreeEntry>> Objects::tree_child(const Oid& oid, std::string_view name) const {
  std::optional<RawTreeEntry> out;
  if (oid.empty()) return out;
  TRY_ASSIGN(const std::string bytes, read(oid, ObjectType::tree));
  std::string_view rest = bytes;
  TreeBytes entry;
  while (!rest.empty()) {
    if (!take_entry(rest, entry)) return malformed_tree(oid);
    if (!out && entry.name == name) out = entry_of(entry);
  }
  return out;
}

}  // namespace sluice::git
