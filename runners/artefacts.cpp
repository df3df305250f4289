// SPDX-License-Identifier: Apache-2.0
#include "runners/artefacts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "core/fd.h"
#include "core/hash.h"
#include "core/text.h"
#include "runners/walk.h"

namespace sluice::runners {
namespace {

bool is_artefact(const Entry& entry) {
  if (!S_ISREG(entry.info.st_mode)) return false;
  if ((entry.info.st_mode & 0111) != 0) return true;
  const std::string_view name = entry.name;
  for (const std::string_view ending : {".a", ".so", ".dll", ".dylib", ".lib"})
    if (name.ends_with(ending)) return true;
  return name.find(".so.") != std::string_view::npos;
}

Result<std::string> hash_file(const Entry& entry) {
  const core::Fd file(openat(entry.parent_fd, entry.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  core::Sha256 hash;
  std::vector<char> buffer(1u << 20);
  ssize_t n = file && fstat(file.get(), &info) == 0 ? 1 : -1;
  if (n > 0 && !S_ISREG(info.st_mode))
    return make_error(ErrorKind::denied, fmt::format("artefact '{}' is no regular file any more", core::printable(entry.path)));
  while (n > 0 && (n = read(file.get(), buffer.data(), buffer.size())) > 0) hash.add({buffer.data(), static_cast<std::size_t>(n)});
  if (n < 0)
    return make_error(ErrorKind::denied, fmt::format("cannot read artefact '{}': {}", core::printable(entry.path), std::strerror(errno)));
  return hash.hex();
}

bool is_lit_configuration(const Entry& entry) {
  std::string_view name = entry.name;
  if (name.ends_with(".py")) name.remove_suffix(3);
  return S_ISREG(entry.info.st_mode) && (name == "lit.cfg" || name == "lit.site.cfg" || name == "lit.local.cfg");
}

Result<std::map<std::string, std::string>> hash_files(const std::string& directory, const std::function<bool(const Entry&)>& wanted,
                                                      std::string_view left_out, std::uint64_t max_bytes) {
  std::map<std::string, std::string> digests;
  std::uint64_t bytes = 0;
  Result<void> trouble;
  TRY_ASSIGN(const bool whole, walk_tree(directory, [&](const Entry& entry) {
               if (S_ISDIR(entry.info.st_mode) && entry.name == left_out) return Walk::skip;
               if (!wanted(entry)) return Walk::go_on;
               if ((bytes += static_cast<std::uint64_t>(entry.info.st_size)) > max_bytes) {
                 trouble = make_error(ErrorKind::invalid, fmt::format("the files to be hashed in the build directory are larger than {} MiB, with '{}'",
                                                                      max_bytes >> 20, core::printable(entry.path)));
                 return Walk::stop;
               }
               auto hash = hash_file(entry);
               if (!hash.ok()) {
                 trouble = hash.error();
                 return Walk::stop;
               }
               digests.emplace(entry.path, std::move(*hash));
               return Walk::go_on;
             }));
  TRY(std::move(trouble));
  if (!whole)
    return make_error(ErrorKind::denied, fmt::format("the build directory is nested deeper than {} directories", max_walk_depth));
  return digests;
}

}  // namespace

Result<std::string> digest_artefacts(const std::string& build_dir, std::uint64_t max_bytes) {
  TRY_ASSIGN(const auto digests, hash_files(build_dir, is_artefact, "CMakeFiles", max_bytes));
  core::Sha256 all;
  for (const auto& [path, hash] : digests) all.add(fmt::format("{} {}\n", hash, path));
  return all.hex();
}

Result<std::map<std::string, std::string>> lit_configuration(const std::string& build_dir) {
  return hash_files(build_dir, is_lit_configuration, "", 64u << 20);
}

}  // namespace sluice::runners
