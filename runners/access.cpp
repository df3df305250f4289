// SPDX-License-Identifier: Apache-2.0
#include "runners/access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "core/file.h"
#include "core/process.h"
#include "runners/walk.h"

namespace sluice::runners {
namespace {

struct Account {
  uid_t uid;
  gid_t gid;
  std::string home;
};

template <class Lookup>
std::optional<Account> find_account(const Lookup& lookup) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> space(16384);
  if (lookup(&entry, space.data(), space.size(), &found) != 0 || found == nullptr) return std::nullopt;
  return Account{entry.pw_uid, entry.pw_gid, entry.pw_dir};
}

std::string own_home() {
  const auto account = find_account([](passwd* e, char* s, std::size_t n, passwd** f) { return getpwuid_r(geteuid(), e, s, n, f); });
  return account ? account->home : "";
}

bool admits(const struct stat& info, const Identity& identity, mode_t want) {
  if (info.st_uid == identity.uid) return (info.st_mode >> 6 & want) == want;
  if (info.st_gid == identity.gid) return (info.st_mode >> 3 & want) == want;
  return (info.st_mode & want) == want;
}

// Widening the "other" bits would open a private store to every user of the machine; the group is free to
// give only while it is root's or has no rights.
bool open_entry(int parent, const char* name, const struct stat& info, const Identity& identity, mode_t want) {
  if (info.st_uid == identity.uid) return fchmodat(parent, name, (info.st_mode & 07777) | want << 6, 0) == 0;
  if (info.st_gid != identity.gid) {
    if (info.st_gid != 0 && (info.st_mode & 070) != 0) return false;
    if (fchownat(parent, name, static_cast<uid_t>(-1), identity.gid, AT_SYMLINK_NOFOLLOW) != 0) return false;
  }
  return fchmodat(parent, name, (info.st_mode & 07777) | want << 3, 0) == 0;
}

Error cannot_open(const std::string& path) {
  return make_error(ErrorKind::denied,
                    fmt::format("user {} may not enter '{}', which is private: put the store below a directory that others may "
                                "search, or run setfacl -m u:{}:x '{}'", build_user, path, build_user, path));
}

// Asks the kernel in the name of the user; the mode bits do not tell of access control lists.
bool may_enter(const std::string& path, const Identity& identity) {
  core::ProcessOptions options;
  options.argv = {"/usr/bin/test", "-x", path};
  options.env.emplace();
  options.uid = identity.uid, options.gid = identity.gid;
  options.timeout_ms = 10'000;
  const auto result = core::run_process(options);
  return result.ok() && result->ok();
}

Result<void> open_ancestors(const Identity& identity, const std::string& directory) {
  const std::string home = own_home();
  for (std::string at = directory.substr(0, directory.rfind('/')); !at.empty(); at = at.substr(0, at.rfind('/'))) {
    struct stat info {};
    if (lstat(at.c_str(), &info) != 0)
      return make_error(ErrorKind::not_found, fmt::format("cannot look at '{}': {}", at, std::strerror(errno)));
    if (S_ISLNK(info.st_mode) || admits(info, identity, 1)) continue;
    if (may_enter(at, identity)) continue;
    if (at == home || info.st_uid != geteuid() || !open_entry(AT_FDCWD, at.c_str(), info, identity, 1)) return cannot_open(at);
  }
  return {};
}

}  // namespace

Result<Identity> find_identity() {
  if (geteuid() != 0) return Identity{false, geteuid(), getegid()};
  const auto account = find_account([](passwd* e, char* s, std::size_t n, passwd** f) { return getpwnam_r(build_user, e, s, n, f); });
  if (!account)
    return make_error(ErrorKind::denied, fmt::format("the system user {} does not exist: run scripts/setup, or "
                                                     "useradd --system --no-create-home --shell /usr/sbin/nologin {}",
                                                     build_user, build_user));
  if (account->uid == 0) return make_error(ErrorKind::denied, fmt::format("the user {} has uid 0: give it one of its own", build_user));
  return Identity{true, account->uid, account->gid};
}

Result<void> own_build_directory(const Identity& identity, const std::string& directory) {
  const std::string path = core::absolute_path(directory);
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return make_error(ErrorKind::not_found, fmt::format("build directory '{}' is not a directory", path));
  // A build that closes its own directory must not make the next suite look like a fault of the sandbox.
  if ((info.st_mode & 0700) != 0700) ::chmod(path.c_str(), (info.st_mode & 0777) | 0700);
  if (!identity.dedicated) return {};
  TRY(open_ancestors(identity, path));
  if (info.st_uid == identity.uid) return {};
  int failed = 0;
  const auto give = [&](int parent, const char* name) {
    if (fchownat(parent, name, identity.uid, identity.gid, AT_SYMLINK_NOFOLLOW) != 0) failed = errno;
  };
  TRY_ASSIGN(const bool whole, walk_tree(path, [&](const Entry& entry) {
               give(entry.parent_fd, entry.name);
               return failed == 0 ? Walk::go_on : Walk::stop;
             }));
  give(AT_FDCWD, path.c_str());
  if (failed != 0 || !whole)
    return make_error(ErrorKind::denied, fmt::format("build directory '{}' cannot be given to {}: {}", path, build_user,
                                                     failed != 0 ? std::strerror(failed) : "nested too deeply"));
  return {};
}

Result<void> open_for_reading(const Identity& identity, const std::string& directory) {
  if (!identity.dedicated) return {};
  const std::string path = core::absolute_path(directory);
  TRY(open_ancestors(identity, path));
  std::string refused;
  const auto open_one = [&](int parent, const char* name, const struct stat& info) {
    const mode_t want = S_ISDIR(info.st_mode) ? 5 : 4 | (info.st_mode >> 6 & 1);
    return S_ISLNK(info.st_mode) || admits(info, identity, want) || open_entry(parent, name, info, identity, want);
  };
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return make_error(ErrorKind::not_found, fmt::format("'{}' is not a directory", path));
  if (!open_one(AT_FDCWD, path.c_str(), info)) return cannot_open(path);
  TRY_ASSIGN(const bool whole, walk_tree(path, [&](const Entry& entry) {
               if (open_one(entry.parent_fd, entry.name, entry.info)) return Walk::go_on;
               refused = core::join_path(path, entry.path);
               return Walk::stop;
             }));
  if (!refused.empty()) return cannot_open(refused);
  if (!whole)
    return make_error(ErrorKind::invalid, fmt::format("'{}' is nested deeper than {} directories", path, max_walk_depth));
  return {};
}

}  // namespace sluice::runners
