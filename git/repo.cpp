// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/step.h"
#include "core/text.h"
#include "git/git.h"
#include "git/isolation.h"
#include "git/quarantine.h"
#include "git/scratch.h"
#include "git/repo_state.h"

namespace sluice::git {

Repo::Repo(std::unique_ptr<State> state) : state_(std::move(state)) {}
Repo::Repo(Repo&&) noexcept = default;
Repo& Repo::operator=(Repo&&) noexcept = default;
Repo::~Repo() = default;

const std::string& Repo::git_dir() const { return state_->git_dir; }
Reader& Repo::reader() const { return state_->reader; }

Result<void> add_alternates(const std::string& git_dir, const std::vector<std::string>& object_dirs) {
  const std::string own = object_directory(git_dir);
  std::vector<std::string> lines = read_alternates(own);
  const std::size_t before = lines.size();
  for (const auto& dir : object_dirs) {
    if (dir.find('\n') != std::string::npos || dir.empty() || dir.front() != '/')
      return make_error(ErrorKind::invalid, fmt::format("object directory \"{}\" cannot be an alternate: its path must be "
                                                        "absolute and hold no newline",
                                                        core::printable(dir)));
    if (dir != own && std::find(lines.begin(), lines.end(), dir) == lines.end()) lines.push_back(dir);
  }
  if (lines.size() == before) return {};
  TRY(core::make_directories(core::join_path(own, "info")));
  return core::write_file(core::join_path(own, "info/alternates"), core::join(lines, "\n") + "\n");
}

Result<void> create_bare(const std::string& git_dir, const std::vector<std::string>& alternates) {
  start_libgit2();
  TRY(core::make_directories(git_dir));
  git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
  options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKPATH;  // no template: it may hold hooks
  options.initial_head = "main";
  git_repository* raw = nullptr;
  const int rc = git_repository_init_ext(&raw, git_dir.c_str(), &options);
  if (rc != 0) return libgit2_error(rc, "cannot create the repository " + core::printable(git_dir));
  const RepositoryHandle created(raw);
  TRY(core::make_directories(core::join_path(git_dir, "info")));
  TRY(core::write_file(core::join_path(git_dir, "info/attributes"), attributes_line));
  return add_alternates(git_dir, alternates);
}

namespace {

bool is_absent_or_empty(const std::string& dir) {
  std::error_code ignored;
  return !std::filesystem::exists(dir, ignored) || std::filesystem::is_empty(dir, ignored);
}

// All of it or nothing: a process killed in between must not leave half a repository that nobody accepts.
Result<void> create_whole(const std::string& dir) {
  const std::string parent = std::filesystem::path(dir).parent_path();
  TRY(core::make_directories(parent));
  constexpr std::string_view prefix = "sluice-new-";
  core::remove_left_over(parent, prefix);
  TRY_ASSIGN(const auto made, core::TempDir::create_in(parent, fmt::format("{}{}-", prefix, ::getpid())));
  const std::string fresh = core::join_path(made.path(), "repo.git");
  TRY(create_bare(fresh, {}));
  std::error_code failed;
  std::filesystem::rename(fresh, dir, failed);
  // Somebody else was faster: theirs is as good.
  if (failed && is_absent_or_empty(dir))
    return make_error(ErrorKind::internal, fmt::format("cannot create the repository {}: {}", core::printable(dir), failed.message()));
  return {};
}

Result<void> check_store(const Objects& objects) {
  const std::string& dir = objects.git_dir();
  if (git_repository_is_bare(objects.repository()) != 1)
    return make_error(ErrorKind::invalid, fmt::format("{} is not a bare repository; sluice keeps its own bare store and "
                                                      "never works in a work tree", core::printable(dir)));
  const std::string file = core::join_path(dir, "info/attributes");
  const auto attributes = core::read_file(file, 1u << 20);
  if (!attributes.ok() || *attributes != attributes_line)
    return make_error(ErrorKind::invalid,
                      fmt::format("{} must hold exactly the line \"{}\": other attributes change what a merge says",
                                  core::printable(file), core::trim(attributes_line)));
  return {};
}

}  // namespace

Result<void> Repo::remove_left_over() {
  const std::filesystem::path root(git_dir());
  std::error_code failed;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator top(root, failed), end; !failed && top != end; top.increment(failed)) {
    const std::string name = top->path().filename();
    if (name.ends_with(".lock") || name.starts_with(quarantine_prefix)) found.push_back(top->path());
  }
  for (const char* below : {"refs", "objects"}) {
    std::error_code walking;
    std::filesystem::recursive_directory_iterator entry(root / below, walking), end;
    for (; !walking && entry != end; entry.increment(walking)) {
      const std::string name = entry->path().filename();
      // git and libgit2 write `tmp_obj_...`, `tmp_pack_...`, `tmp_object_git2_...` and rename.
      if (name.ends_with(".lock") || name.starts_with("tmp_")) found.push_back(entry->path());
    }
  }
  for (const auto& path : found) TRY(core::remove_all(path));
  return {};
}

Result<Repo> Repo::open(const std::string& git_dir) {
  const std::string dir = core::absolute_path(git_dir);
  if (is_absent_or_empty(dir)) TRY(create_whole(dir));
  TRY_ASSIGN(auto objects, Objects::open(dir));
  TRY(check_store(objects));
  TRY_ASSIGN(auto reader, Reader::open(dir));
  return Repo(std::make_unique<State>(State{std::nullopt, dir, std::move(objects), std::move(reader)}));
}

Result<Repo> Repo::scratch() const { return scratch_over({git_dir()}); }

Result<Repo> Repo::scratch_over(const std::vector<std::string>& git_dirs) {
  TRY_ASSIGN(auto temporary, make_scratch_dir());
  std::vector<std::string> alternates;
  for (const auto& dir : git_dirs) alternates.push_back(object_directory(core::absolute_path(dir)));
  const std::string dir = core::join_path(temporary.path(), "repo.git");
  TRY(create_bare(dir, alternates));
  TRY_ASSIGN(auto objects, Objects::open(dir));
  TRY_ASSIGN(auto reader, Reader::open(dir));
  return Repo(std::make_unique<State>(State{std::move(temporary), dir, std::move(objects), std::move(reader)}));
}

Result<void> Repo::set_ref(const std::string& name, const Oid& value, const std::optional<Oid>& expected_old) {
  TRY_ASSIGN(const git_oid id, to_git_oid(value));
  if (!state_->objects.exists(value))
    return make_error(ErrorKind::not_found, fmt::format("object_missing: {} cannot be named by {}: it is absent from {}",
                                                        value, core::printable(name), git_dir()));
  const std::string what = fmt::format("cannot set {} to {}", core::printable(name), value);
  git_reference* raw = nullptr;
  int rc = 0;
  if (expected_old.has_value() && !expected_old->empty()) {
    TRY_ASSIGN(const git_oid old, to_git_oid(*expected_old));
    rc = git_reference_create_matching(&raw, state_->objects.repository(), name.c_str(), &id, 1, &old, nullptr);
    // An absent ref does not match either; libgit2 has two words for that.
    if (rc == GIT_EMODIFIED || rc == GIT_ENOTFOUND) {
      TRY_ASSIGN(const auto now, ref(name));
      return make_error(ErrorKind::conflict, fmt::format("{}: it is at {}, expected {}", what,
                                                         now ? *now : "no commit", *expected_old));
    }
  } else {
    rc = git_reference_create(&raw, state_->objects.repository(), name.c_str(), &id, expected_old.has_value() ? 0 : 1,
                              nullptr);
    if (rc == GIT_EEXISTS) return make_error(ErrorKind::conflict, what + ": it exists already");
  }
  if (rc != 0) return libgit2_error(rc, what);
  const ReferenceHandle done(raw);
  core::step("git " + name);
  return {};
}

Result<void> Repo::delete_ref(const std::string& name) {
  const int rc = git_reference_remove(state_->objects.repository(), name.c_str());
  if (rc != 0 && rc != GIT_ENOTFOUND) return libgit2_error(rc, "cannot delete " + core::printable(name));
  core::step("git delete " + name);
  return {};
}

Result<std::optional<Oid>> Repo::ref(const std::string& name) const {
  git_oid id;
  const int rc = git_reference_name_to_id(&id, state_->objects.repository(), name.c_str());
  if (rc == GIT_ENOTFOUND) return std::optional<Oid>();
  if (rc != 0) return libgit2_error(rc, "cannot read " + core::printable(name));
  return std::optional<Oid>(to_oid(id));
}

Result<std::vector<std::pair<std::string, Oid>>> Repo::refs(const std::string& prefix) const {
  std::vector<std::pair<std::string, Oid>> out;
  git_reference_iterator* raw = nullptr;
  int rc = git_reference_iterator_new(&raw, state_->objects.repository());
  if (rc != 0) return libgit2_error(rc, "cannot list the refs of " + git_dir());
  const ReferenceIteratorHandle iterator(raw);
  git_reference* found = nullptr;
  while ((rc = git_reference_next(&found, raw)) == 0) {
    const ReferenceHandle reference(found);
    const git_oid* target = git_reference_target(found);  // null for a symbolic ref
    const std::string name = git_reference_name(found);
    if (target != nullptr && name.starts_with(prefix)) out.emplace_back(name, to_oid(*target));
  }
  if (rc != GIT_ITEROVER) return libgit2_error(rc, "cannot list the refs of " + git_dir());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace sluice::git
