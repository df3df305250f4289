// SPDX-License-Identifier: Apache-2.0
#include "runners/environment.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <set>
#include <vector>

#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/process.h"
#include "core/text.h"
#include "runners/bubblewrap.h"
#include "runners/walk.h"

namespace sluice::runners {
namespace {

constexpr const char* package_list = "var/lib/dpkg/status";

std::string packages_of(std::string_view status) {
  std::set<std::string> installed;
  std::string name, version, architecture;
  bool complete = false;
  const auto end_of_package = [&] {
    if (complete && !name.empty()) installed.insert(fmt::format("{} {} {}\n", name, version, architecture));
    name.clear(), version.clear(), architecture.clear(), complete = false;
  };
  const auto value = [](std::string_view line) { return std::string(core::trim(line.substr(line.find(':') + 1))); };
  for (const auto line : core::split_lines(status)) {
    if (line.empty()) end_of_package();
    else if (line.starts_with("Package:")) name = value(line);
    else if (line.starts_with("Version:")) version = value(line);
    else if (line.starts_with("Architecture:")) architecture = value(line);
    else if (line.starts_with("Status:")) complete = line.ends_with(" installed");
  }
  end_of_package();
  core::Sha256 hash;
  for (const auto& line : installed) hash.add(line);
  return hash.hex();
}

std::string link_target(const Entry& entry) {
  char target[4096];
  const ssize_t n = readlinkat(entry.parent_fd, entry.name, target, sizeof target);
  return n > 0 ? std::string(target, static_cast<std::size_t>(n)) : "";
}

// Absent directories count as empty.
Result<std::string> shape_of(const std::string& root, const std::vector<std::string>& directories) {
  std::set<std::string> lines;
  for (const auto& directory : directories) {
    const auto whole = walk_tree(core::join_path(root, directory), [&](const Entry& entry) {
      // __pycache__ is written by whoever imports first as root.
      if (std::string_view(entry.name) == "__pycache__") return Walk::skip;
      const bool link = S_ISLNK(entry.info.st_mode);
      const auto size = S_ISREG(entry.info.st_mode) ? entry.info.st_size : 0;
      lines.insert(fmt::format("{}/{} {} {:o} {}\n", directory, entry.path, size, entry.info.st_mode, link ? link_target(entry) : ""));
      return Walk::go_on;
    });
    if (!whole.ok() && whole.error().kind != ErrorKind::not_found) return whole.error();
  }
  core::Sha256 hash;
  for (const auto& line : lines) hash.add(line);
  return hash.hex();
}

std::string stamp_of(const std::string& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return "";
  return fmt::format("{}.{} {} {}", info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size, info.st_ino);
}

std::string ask_bwrap_version() {
  core::ProcessOptions options;
  options.argv = {bwrap_program, "--version"};
  options.env.emplace();
  options.timeout_ms = 10'000;
  const auto result = core::run_process(options);
  return result.ok() && result->ok() ? std::string(core::trim(result->out)) : "absent";
}

}  // namespace

Result<std::string> EnvironmentDigests::identity(const std::string& root) {
  const std::string list = core::join_path(root, package_list);
  const std::string stamp = stamp_of(list);
  auto& known = known_[root];
  if (known.identity.empty() || known.stamp != stamp) {
    if (!stamp.empty()) {
      TRY_ASSIGN(const std::string text, core::read_file(list));
      known.identity = "dpkg " + packages_of(text);
    } else {
      TRY_ASSIGN(const std::string shape, shape_of(root, {"usr", "bin", "sbin", "lib", "lib64"}));
      known.identity = "files " + shape;
    }
    known.stamp = stamp;
  }
  if (stamp.empty()) return known.identity;
  TRY_ASSIGN(const std::string local, shape_of(root, {"usr/local"}));
  return fmt::format("{} local {}", known.identity, local);
}

Result<std::string> EnvironmentDigests::digest(const model::EnvironmentConfig& environment, const std::string& sandbox) {
  const std::string root = environment.root.empty() ? "/" : environment.root;
  if (!core::exists(core::join_path(root, "usr")))
    return make_error(ErrorKind::not_found, fmt::format("environment '{}': root '{}' has no usr directory", environment.name, core::printable(root)));
  const std::lock_guard lock(mutex_);
  if (sandbox == "A" && bwrap_version_.empty()) bwrap_version_ = ask_bwrap_version();
  TRY_ASSIGN(const std::string content, identity(root));
  utsname machine{};
  uname(&machine);
  core::Json variables = core::Json::object();
  for (const auto& [name, value] : environment.variables) variables.set(name, value);
  return core::sha256_hex(core::Json::object({{"format", "sluice.environment/1"},
                                              {"machine", machine.machine},
                                              {"sandbox", sandbox},
                                              {"bwrap", sandbox == "A" ? bwrap_version_ : ""},
                                              {"root", content},
                                              {"variables", variables}})
                              .dump());
}

}  // namespace sluice::runners
