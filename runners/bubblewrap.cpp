// SPDX-License-Identifier: Apache-2.0
#include "runners/bubblewrap.h"

#include <sys/stat.h>

#include <filesystem>

#include "core/file.h"

namespace sluice::runners {
namespace {

constexpr const char* scratch_dir = "/tmp";

// /bin, /lib ... are links into /usr on most systems and directories on some; the inside follows the root.
void add_top_level(std::vector<std::string>& argv, const std::string& root) {
  for (const char* name : {"bin", "sbin", "lib", "lib32", "lib64"}) {
    const std::filesystem::path path = core::join_path(root, name);
    std::error_code ec;
    const auto status = std::filesystem::symlink_status(path, ec);
    if (std::filesystem::is_symlink(status)) {
      std::string target = std::filesystem::read_symlink(path, ec).string();
      if (target.starts_with('/')) target.erase(0, 1);
      if (target.starts_with("usr/")) argv.insert(argv.end(), {"--symlink", target, std::string("/") + name});
    } else if (std::filesystem::is_directory(status)) {
      argv.insert(argv.end(), {"--ro-bind", path.string(), std::string("/") + name});
    }
  }
}

}  // namespace

std::vector<std::string> bwrap_argv(const Mounts& mounts, const std::map<std::string, std::string>& variables,
                                    int seccomp_fd, int status_fd, const std::vector<std::string>& command) {
  const std::string root = mounts.root.empty() ? "/" : mounts.root;
  std::vector<std::string> argv{bwrap_program, "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent",
                                "--new-session", "--cap-drop", "ALL", "--hostname", "sbx"};
  const auto add = [&](std::initializer_list<std::string> words) { argv.insert(argv.end(), words); };
  add({"--ro-bind", core::join_path(root, "usr"), "/usr"});
  add_top_level(argv, root);
  // cc, c++ and awk are links through it.
  add({"--ro-bind-try", core::join_path(root, "etc/alternatives"), "/etc/alternatives"});
  add({"--proc", "/proc", "--dev", "/dev"});
  // --dev makes a writable tmpfs without a size limit: /dev/shm gets one, the rest is closed.
  add({"--size", std::to_string(mounts.shm_bytes), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"});
  add({"--size", std::to_string(mounts.scratch_bytes), "--tmpfs", scratch_dir});
  if (!mounts.source_dir.empty()) add({"--ro-bind", mounts.source_dir, "/src"});
  if (!mounts.suites_dir.empty()) add({"--ro-bind", mounts.suites_dir, "/suites"});
  if (!mounts.build_dir.empty()) add({"--bind", mounts.build_dir, "/build", "--chdir", "/build"});
  // The root of the namespace is a tmpfs as well.
  add({"--remount-ro", "/"});
  add({"--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/build", "--setenv", "LC_ALL", "C", "--setenv", "TMPDIR", scratch_dir});
  add({"--setenv", "SLUICE_SRC", "/src", "--setenv", "SLUICE_BUILD", "/build", "--setenv", "SLUICE_SUITES", mounts.suites_dir.empty() ? "" : "/suites"});
  for (const auto& [name, value] : variables) add({"--setenv", name, value});
  add({"--as-pid-1", "--seccomp", std::to_string(seccomp_fd), "--json-status-fd", std::to_string(status_fd), "--"});
  argv.insert(argv.end(), command.begin(), command.end());
  return argv;
}

}  // namespace sluice::runners
