// SPDX-License-Identifier: Apache-2.0
#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/fd.h"
#include "core/text.h"

namespace sluice::core {
namespace {

Error file_error(int error, std::string_view what, std::string_view path) {
  ErrorKind kind = ErrorKind::internal;
  switch (error) {
    case ENOENT:
      kind = ErrorKind::not_found;
      break;
    case ENOTDIR:
      kind = ErrorKind::not_found;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case EXDEV:
      kind = ErrorKind::denied;
      break;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case EIO:
    case EAGAIN:
      kind = ErrorKind::transient;
      break;
    case ENAMETOOLONG:
    case EISDIR:
    case EINVAL:
    case EEXIST:
    case ENXIO:
      kind = ErrorKind::invalid;
      break;
    default:
      break;
  }
  return make_error(kind, fmt::format("cannot {} {}: {}", what, printable(path, 400), std::strerror(error)));
}

// Everything of an open regular file, which is read to its end even when its size is unknown (/proc).
Result<std::string> read_open(int fd, const std::string& path, std::size_t max_bytes, ErrorKind not_regular) {
  struct stat st {};
  if (::fstat(fd, &st) != 0) return file_error(errno, "read", path);
  if (!S_ISREG(st.st_mode))
    return make_error(not_regular, fmt::format("{} is not a regular file", printable(path, 400)));
  const auto too_large = [&](std::uint64_t size) {
    return make_error(ErrorKind::invalid, fmt::format("{} has {} bytes or more, the limit is {}",
                                                      printable(path, 400), size, max_bytes));
  };
  if (static_cast<std::uint64_t>(st.st_size) > max_bytes)
    return too_large(static_cast<std::uint64_t>(st.st_size));
  std::string out;
  out.reserve(static_cast<std::size_t>(st.st_size) + 1);
  std::size_t used = 0;
  while (true) {
    const std::size_t step = used < out.capacity() ? out.capacity() - used : std::size_t{64} << 10;
    out.resize(used + step);
    const ssize_t n = ::read(fd, out.data() + used, step);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error(errno, "read", path);
    if (n == 0) break;
    used += static_cast<std::size_t>(n);
    if (used > max_bytes) return too_large(used);
  }
  out.resize(used);
  return out;
}

std::string random_suffix() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits))
    bits = static_cast<std::uint64_t>(::getpid());
  return fmt::format("{:016x}", bits);
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return file_error(errno, "read", path);
  return read_open(fd.get(), path, max_bytes, ErrorKind::invalid);
}

Result<void> write_file(const std::string& path, std::string_view bytes) {
  // The file takes the place of what is there: of a device, a pipe or a directory it must not.
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    return make_error(ErrorKind::invalid, fmt::format("cannot write {}: it is no regular file", printable(path)));
  }
  const std::string sibling = path + ".tmp-" + random_suffix();
  const auto fail = [&](int error) {
    ::unlink(sibling.c_str());
    return file_error(error, "write", path);
  };
  {
    const Fd fd(::open(sibling.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd) return file_error(errno, "write", path);
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const ssize_t n = ::write(fd.get(), rest.data(), rest.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fail(errno);
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    if (::fsync(fd.get()) != 0) return fail(errno);
  }
  if (::rename(sibling.c_str(), path.c_str()) != 0) return fail(errno);
  // The rename itself must survive a crash. Some file systems refuse to sync a directory: no error,
  // because the new content is already in place.
  const Fd directory(::open(parent_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) ::fsync(directory.get());
  return {};
}

Result<void> make_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return file_error(error.value(), "create directory", path);
  return {};
}

bool exists(const std::string& path) {
  struct stat st {};
  return ::lstat(path.c_str(), &st) == 0;
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const auto full = std::filesystem::absolute(path, error);
  return error ? path : full.lexically_normal().string();
}

std::string join_path(std::string_view a, std::string_view b) {
  if (a.empty() || (!b.empty() && b.front() == '/')) return std::string(b);
  if (b.empty()) return std::string(a);
  std::string out(a);
  if (out.back() != '/') out += '/';
  return out.append(b);
}

Result<std::string> read_file_beneath(const std::string& root, const std::string& relative,
                                      std::size_t max_bytes) {
  const Fd base(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!base) return file_error(errno, "open", root);
  struct open_how how {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const std::string shown = join_path(root, relative);
  long opened = -1;
  do {
    opened = ::syscall(SYS_openat2, base.get(), relative.c_str(), &how, sizeof how);
  } while (opened < 0 && (errno == EINTR || errno == EAGAIN));  // EAGAIN: a rename raced with the walk
  const Fd fd(static_cast<int>(opened));
  if (!fd) {
    // A socket answers ENXIO; like a link or a FIFO it was planted.
    if (errno == ENXIO)
      return make_error(ErrorKind::denied, fmt::format("{} is not a regular file", printable(shown, 400)));
    return file_error(errno, "read", shown);
  }
  return read_open(fd.get(), shown, max_bytes, ErrorKind::denied);
}

Result<TempDir> TempDir::create(std::string_view prefix) {
  const char* tmp = std::getenv("TMPDIR");
  return create_in(tmp != nullptr && *tmp != '\0' ? tmp : "/tmp", prefix);
}

Result<TempDir> TempDir::create_in(const std::string& parent, std::string_view prefix) {
  std::string path = join_path(absolute_path(parent), std::string(prefix) + "-XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) return file_error(errno, "create a temporary directory in", parent);
  return TempDir(std::move(path));
}

TempDir::TempDir(TempDir&& o) noexcept : path_(std::exchange(o.path_, {})) {}

TempDir& TempDir::operator=(TempDir&& o) noexcept {
  std::swap(path_, o.path_);
  return *this;
}

TempDir::~TempDir() {
  if (!path_.empty()) (void)remove_all(path_);  // nobody is left to tell; what remains is in $TMPDIR
}

std::string TempDir::release() { return std::exchange(path_, {}); }

}  // namespace sluice::core
