// SPDX-License-Identifier: Apache-2.0
#include "runners/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace sluice::runners {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { closedir(dir); }
};
using Dir = std::unique_ptr<DIR, CloseDir>;

struct Walker {
  const std::function<Walk(const Entry&)>& visit;
  bool complete = true;

  static Dir open_at(int parent, const char* name) {
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return nullptr;
    DIR* dir = fdopendir(fd);
    if (dir == nullptr) close(fd);
    return Dir(dir);
  }

  // False: the visitor wants to stop.
  bool descend(DIR* dir, const std::string& prefix, int depth) {
    while (const dirent* item = readdir(dir)) {
      if (std::strcmp(item->d_name, ".") == 0 || std::strcmp(item->d_name, "..") == 0) continue;
      struct stat info {};
      if (fstatat(dirfd(dir), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      const std::string path = prefix + item->d_name;
      switch (visit(Entry{path, dirfd(dir), item->d_name, info})) {
        case Walk::stop: return false;
        case Walk::skip: continue;
        case Walk::go_on: break;
      }
      if (!S_ISDIR(info.st_mode)) continue;
      if (depth >= max_walk_depth) {
        complete = false;
        continue;
      }
      const Dir child = open_at(dirfd(dir), item->d_name);
      if (child && !descend(child.get(), path + "/", depth + 1)) return false;
    }
    return true;
  }
};

}  // namespace

Result<bool> walk_tree(const std::string& root, const std::function<Walk(const Entry&)>& visit) {
  const Dir dir = Walker::open_at(AT_FDCWD, root.c_str());
  if (!dir) {
    const int why = errno;
    return make_error(why == ENOENT ? ErrorKind::not_found : ErrorKind::denied,
                      fmt::format("cannot open directory '{}': {}", root, std::strerror(why)));
  }
  Walker walker{visit};
  walker.descend(dir.get(), "", 1);
  return walker.complete;
}

}  // namespace sluice::runners
