// SPDX-License-Identifier: Apache-2.0
// remove_all: apart, because it walks trees that hostile builds have left behind. It follows no links,
// takes back permissions that a build removed, and needs two descriptors however deep the tree is
// (std::filesystem::remove_all holds one a level and runs out of them).
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/fd.h"
#include "core/file.h"
#include "core/text.h"

namespace sluice::core {
namespace {

struct Level {
  std::string name;  // of this directory in its parent
  dev_t device;
  ino_t inode;
};

Error remove_error(const std::string& path, std::string_view name, int error) {
  const bool denied = error == EACCES || error == EPERM || error == EROFS || error == EBUSY;
  return make_error(denied ? ErrorKind::denied : ErrorKind::internal,
                    fmt::format("cannot remove {} (at '{}'): {}", printable(path, 400), printable(name),
                                std::strerror(error)));
}

// Removes every entry of `dir` that is no directory; returns the name of a directory to go down into.
Result<std::optional<std::string>> empty_out(int dir, const std::string& path) {
  const int copy = ::openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return remove_error(path, ".", errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(copy), &::closedir);
  if (!stream) {
    const int error = errno;
    ::close(copy);
    return remove_error(path, ".", error);
  }
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (::unlinkat(dir, name.c_str(), 0) == 0 || errno == ENOENT) continue;
    if (errno != EISDIR && errno != EPERM && errno != EACCES) return remove_error(path, name, errno);
    const int error = errno;
    if (::unlinkat(dir, name.c_str(), AT_REMOVEDIR) == 0) continue;  // an empty one
    struct stat st {};
    if (::fstatat(dir, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode)) {
      return remove_error(path, name, error);
    }
    return std::optional(name);
  }
  return std::optional<std::string>();
}

// Opens directory `name` of `parent`, giving ourselves the rights to empty it.
Fd open_directory(int parent, const char* name) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = ::openat(parent, name, flags);
  if (fd < 0 && errno == EACCES && ::fchmodat(parent, name, 0700, 0) == 0) fd = ::openat(parent, name, flags);
  if (fd >= 0) {
    struct stat st {};
    if (::fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700) ::fchmod(fd, 0700);
  }
  return Fd(fd);
}

// `<prefix><pid>-...` of a process that is gone, a directory of ours.
bool is_left_over(const std::string& path, std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  pid_t pid = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (parsed.ec != std::errc() || parsed.ptr == name.data() + name.size() || *parsed.ptr != '-' || pid <= 0) return false;
  if (::kill(pid, 0) == 0 || errno != ESRCH) return false;
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

}  // namespace

void remove_left_over(const std::string& parent, std::string_view prefix) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(parent.c_str()), &::closedir);
  if (!dir) return;
  std::vector<std::string> found;
  while (const dirent* entry = ::readdir(dir.get())) {
    std::string path = join_path(parent, entry->d_name);
    if (is_left_over(path, entry->d_name, prefix)) found.push_back(std::move(path));
  }
  for (const std::string& path : found) (void)remove_all(path);  // another process may be faster
}

Result<void> remove_all(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  if (errno != EISDIR && errno != EPERM && errno != EACCES) return remove_error(path, ".", errno);
  Fd current = open_directory(AT_FDCWD, path.c_str());
  if (!current) return remove_error(path, ".", errno);
  std::vector<Level> stack;
  while (true) {
    TRY_ASSIGN(auto deeper, empty_out(current.get(), path));
    struct stat here {};
    if (deeper) {
      if (::fstat(current.get(), &here) != 0) return remove_error(path, *deeper, errno);
      Fd next = open_directory(current.get(), deeper->c_str());
      if (!next) return remove_error(path, *deeper, errno);
      stack.push_back({*deeper, here.st_dev, here.st_ino});
      current = std::move(next);
      continue;
    }
    if (stack.empty()) break;
    // Up by "..", which is the parent we came from unless somebody moved the directory meanwhile.
    const Level level = std::move(stack.back());
    stack.pop_back();
    Fd up(::openat(current.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!up || ::fstat(up.get(), &here) != 0) return remove_error(path, level.name, errno);
    if (here.st_dev != level.device || here.st_ino != level.inode) {
      return make_error(ErrorKind::denied,
                        fmt::format("cannot remove {}: '{}' was moved while it was being emptied",
                                    printable(path, 400), printable(level.name)));
    }
    if (::unlinkat(up.get(), level.name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
      return remove_error(path, level.name, errno);
    }
    current = std::move(up);
  }
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT) return remove_error(path, ".", errno);
  return {};
}

}  // namespace sluice::core
