// SPDX-License-Identifier: Apache-2.0
// A tree written to an empty directory. Bytes as stored: no smudge filter, no line-end conversion.
// Every directory is entered through a descriptor without following links, so no name in a hostile tree
// can lead outside.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/file.h"
#include "core/text.h"
#include "git/policy.h"
#include "git/repo_state.h"
#include "git/trees.h"

namespace sluice::git {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Error system_error(const std::string& what, const std::string& path, int error) {
  ErrorKind kind = error == EACCES || error == EPERM || error == EROFS ? ErrorKind::denied : ErrorKind::internal;
  if (error == ENOSPC || error == EDQUOT) kind = ErrorKind::transient;
  return make_error(kind, fmt::format("cannot {} {}: {}", what, core::printable(path), std::strerror(error)));
}

class Export {
 public:
  Export(const Objects& objects, const PathPolicy& policy) : objects_(objects), policy_(policy) {}
  std::vector<model::DroppedPath> dropped;

  Result<void> directory(int at, const Oid& tree, const std::string& prefix, int depth) {
    if (depth > max_tree_depth)
      return make_error(ErrorKind::invalid, fmt::format("tree {} is deeper than the limit of {}", tree, max_tree_depth));
    TRY_ASSIGN(const auto entries, objects_.tree(tree));
    for (const auto& e : entries) {
      const std::string path = prefix.empty() ? e.name : prefix + '/' + e.name;
      if (!safe_component(e.name))
        return make_error(ErrorKind::denied, fmt::format("tree path \"{}\" may not be written: \"{}\" is no file name "
                                                         "for a work tree",
                                                         core::printable(path), core::printable(e.name)));
      if (e.is_tree() || e.is_link()) {
        if (::mkdirat(at, e.name.c_str(), 0777) != 0) return system_error("create", path, errno);
        if (e.is_link()) continue;
        const Descriptor inner(::openat(at, e.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (inner.get() < 0) return system_error("open", path, errno);
        TRY(directory(inner.get(), e.oid, path, depth + 1));
      } else {
        TRY(file(at, e, path));
      }
    }
    return {};
  }

 private:
  Result<void> file(int at, const RawTreeEntry& e, const std::string& path) {
    const auto bytes = objects_.read(e.oid, ObjectType::blob);
    if (!bytes.ok()) {
      const auto glob = policy_.drops_missing(path);
      if (bytes.error().kind == ErrorKind::not_found && glob) {
        dropped.push_back({path, *glob, "missing"});
        return {};
      }
      return make_error(bytes.error().kind, fmt::format("{} (path {})", bytes.error().message, core::printable(path)));
    }
    if (e.mode == 0120000) {
      if (bytes->find('\0') != std::string::npos || bytes->empty())
        return make_error(ErrorKind::invalid, "symbolic link " + core::printable(path) + " has no valid target");
      if (::symlinkat(bytes->c_str(), at, e.name.c_str()) != 0) return system_error("create", path, errno);
      return {};
    }
    const mode_t mode = (e.mode & 0100) != 0 ? 0777 : 0666;  // as git: the umask decides the rest
    const Descriptor out(::openat(at, e.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (out.get() < 0) return system_error("create", path, errno);
    for (std::size_t written = 0; written < bytes->size();) {
      const ssize_t n = ::write(out.get(), bytes->data() + written, bytes->size() - written);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_error("write", path, errno);
      written += static_cast<std::size_t>(n);
    }
    return {};
  }

  const Objects& objects_;
  const PathPolicy& policy_;
};

}  // namespace

Result<std::vector<model::DroppedPath>> Repo::export_tree(const Oid& tree, const std::string& dir,
                                                          const std::vector<model::PathConfig>& paths) const {
  TRY_ASSIGN(const Oid root_tree, reader().tree_of(tree));
  TRY(core::make_directories(dir));
  std::error_code failed;
  if (!std::filesystem::is_empty(dir, failed) || failed)
    return make_error(ErrorKind::invalid, fmt::format("cannot export into {}: it is not an empty directory", core::printable(dir)));
  const Descriptor root(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) return system_error("open", dir, errno);
  const PathPolicy policy(paths);
  Export run(state_->objects, policy);
  TRY(run.directory(root.get(), root_tree, {}, 0));
  return std::move(run.dropped);
}

}  // namespace sluice::git
