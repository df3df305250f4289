// SPDX-License-Identifier: Apache-2.0
#include "runners/confinement.h"

#include <filesystem>

#include "core/file.h"

namespace sluice::runners {

Places places_of(const Mounts& mounts) {
  Places places;
  if (!mounts.source_dir.empty()) places.emplace_back("/src", mounts.source_dir);
  if (!mounts.build_dir.empty()) places.emplace_back("/build", mounts.build_dir);
  if (!mounts.suites_dir.empty()) places.emplace_back("/suites", mounts.suites_dir);
  return places;
}

std::map<std::string, std::string> plain_environment(const Mounts& mounts, const std::string& scratch,
                                                     const std::map<std::string, std::string>& variables) {
  const Places places = places_of(mounts);
  std::map<std::string, std::string> all{{"PATH", "/usr/bin:/bin"}, {"HOME", mounts.build_dir}, {"LC_ALL", "C"}, {"TMPDIR", scratch},
                                         {"GIT_CONFIG_NOSYSTEM", "1"},  // git dies of a file that is there and closed
                                         {"SLUICE_SRC", mounts.source_dir}, {"SLUICE_BUILD", mounts.build_dir}, {"SLUICE_SUITES", mounts.suites_dir}};
  for (const auto& [name, value] : variables) all.insert_or_assign(name, place_paths(value, places));
  return all;
}

void allow_paths(const Mounts& mounts, const std::string& scratch, LauncherOptions& options) {
  options.readable = {"/usr", "/proc"};
  for (const char* path : {"/bin", "/sbin", "/lib", "/lib32", "/lib64"}) {
    std::error_code ec;
    if (std::filesystem::symlink_status(path, ec).type() == std::filesystem::file_type::directory) options.readable.emplace_back(path);
  }
  for (const char* path : {"/etc/alternatives", "/etc/ld.so.cache"})
    if (core::exists(path)) options.readable.emplace_back(path);
  for (const auto* path : {&mounts.source_dir, &mounts.suites_dir})
    if (!path->empty()) options.readable.push_back(*path);
  options.writable = {mounts.build_dir, scratch};
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
    if (core::exists(path)) options.devices.emplace_back(path);
}

}  // namespace sluice::runners
