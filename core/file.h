// SPDX-License-Identifier: Apache-2.0
// Files: whole reads with a cap, atomic writes, temporary directories.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"

namespace sluice::core {

// Errors: not_found, denied, invalid (larger than max_bytes, or not a regular file).
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = 256u << 20);
// Writes a sibling, syncs it, renames it over `path`. Errors: denied, transient (disk full).
Result<void> write_file(const std::string& path, std::string_view bytes);
Result<void> make_directories(const std::string& path);
Result<void> remove_all(const std::string& path);  // no error when absent; never follows links
bool exists(const std::string& path);
std::string absolute_path(const std::string& path);
std::string join_path(std::string_view a, std::string_view b);

// Reads a file that an untrusted process may have planted below `root`: openat2 with
// RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS, O_NONBLOCK, regular files only, size cap.
// Errors: not_found, denied (link, FIFO, socket, leaves root), invalid (larger than max_bytes).
Result<std::string> read_file_beneath(const std::string& root, const std::string& relative,
                                      std::size_t max_bytes);

// Removes the directories `<prefix><pid>-...` of `parent` that belong to us and whose process is gone: what a
// killed process could not remove itself. Best effort.
void remove_left_over(const std::string& parent, std::string_view prefix);

// Created below $TMPDIR, removed with its content on destruction.
class TempDir {
 public:
  static Result<TempDir> create(std::string_view prefix);
  static Result<TempDir> create_in(const std::string& parent, std::string_view prefix);
  TempDir(TempDir&& o) noexcept;
  TempDir& operator=(TempDir&& o) noexcept;
  ~TempDir();
  const std::string& path() const { return path_; }
  std::string release();  // gives up ownership: the directory stays

 private:
  explicit TempDir(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace sluice::core
