// SPDX-License-Identifier: Apache-2.0
#include "git/isolation.h"

#include <git2.h>

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "core/text.h"
#include "git/git.h"

namespace sluice::git {

std::map<std::string, std::string> isolated_environment(bool network) {
  // HOME is a path below which nothing can exist: git also looks there for attributes, not only for
  // configuration, and ENOTDIR is the one failure it never warns about.
  std::map<std::string, std::string> env = {
      {"GIT_ATTR_NOSYSTEM", "1"},  {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"},
      {"GIT_NO_REPLACE_OBJECTS", "1"}, {"GIT_OPTIONAL_LOCKS", "0"},    {"GIT_TERMINAL_PROMPT", "0"},
      {"HOME", "/dev/null"},       {"LC_ALL", "C"},                    {"PATH", "/usr/local/bin:/usr/bin:/bin"},
      {"TZ", "UTC"},               {"XDG_CONFIG_HOME", "/dev/null"}};
  const auto pass = [&env](const char* name) {
    if (const char* value = std::getenv(name)) env[name] = value;
  };
  pass("PATH");
  pass("TMPDIR");
  if (!network) return env;
  for (const char* name : {"SSH_AUTH_SOCK", "SSH_ASKPASS", "http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy",
                           "NO_PROXY", "all_proxy", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"})
    pass(name);
  // Credentials come from a program, never from argv, URLs or configuration.
  if (const char* askpass = std::getenv("SLUICE_ASKPASS")) env["GIT_ASKPASS"] = askpass;
  env["GIT_SSH_COMMAND"] = "ssh -oBatchMode=yes";
  return env;
}

std::vector<std::string> git_command(const std::string& git_dir, const std::vector<std::string>& args,
                                     const std::vector<std::string>& settings) {
  std::vector<std::string> argv = {"git"};
  if (!git_dir.empty()) argv.push_back("--git-dir=" + git_dir);
  for (const char* setting : {"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
                              "core.bigFileThreshold=64m", "core.warnAmbiguousRefs=false", "gc.auto=0", "maintenance.auto=false"}) {
    argv.emplace_back("-c");
    argv.emplace_back(setting);
  }
  for (const auto& setting : settings) {
    argv.emplace_back("-c");
    argv.push_back(setting);
  }
  argv.insert(argv.end(), args.begin(), args.end());
  return argv;
}

Result<core::ProcessResult> run_git(const GitCall& call) {
  core::ProcessOptions options;
  options.argv = git_command(call.git_dir, call.args, call.settings);
  options.env = isolated_environment(call.network);
  options.input = call.input;
  options.timeout_ms = call.timeout_ms;
  options.output_cap = call.output_cap;
  options.cancel = call.cancel;
  options.limits = call.limits;
  return core::run_process(options);
}

void start_libgit2() {
  // Once a process and never shut down: handles of other threads may outlive any one owner.
  static const bool started = [] {
    git_libgit2_init();
    for (int level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
                      GIT_CONFIG_LEVEL_GLOBAL})
      git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    // Trees of a store that lacks a blob must still be writable (missing = "drop").
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
    // A plan over 2,000 commits stays small: libgit2's defaults are 256 MB of objects and 8 GB of maps.
    git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, static_cast<ssize_t>(32) << 20);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, static_cast<size_t>(8) << 20);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, static_cast<size_t>(96) << 20);
    return true;
  }();
  static_cast<void>(started);
}

Error libgit2_error(int code, const std::string& what) {
  const git_error* last = git_error_last();
  const std::string why = last != nullptr && last->message != nullptr ? last->message : "unknown failure";
  ErrorKind kind = ErrorKind::internal;
  if (code == GIT_ENOTFOUND) kind = ErrorKind::not_found;
  if (code == GIT_EEXISTS || code == GIT_EMODIFIED) kind = ErrorKind::conflict;
  if (code == GIT_EINVALIDSPEC || code == GIT_EAMBIGUOUS || code == GIT_EINVALID || code == GIT_EPEEL)
    kind = ErrorKind::invalid;
  if (code == GIT_ELOCKED) kind = ErrorKind::transient;
  return make_error(kind, what + ": " + core::printable(why, 400));
}

std::map<std::string, std::string> tool_versions() {
  int major = 0, minor = 0, revision = 0;
  git_libgit2_version(&major, &minor, &revision);
  return {{"git", git_version()}, {"libgit2", fmt::format("{}.{}.{}", major, minor, revision)}};
}

const std::string& git_version() {
  static const std::string version = [] {
    const auto run = run_git({.git_dir = {}, .args = {"version"}});
    if (!run.ok() || !run->ok()) return std::string("unknown");
    const auto words = core::split(core::trim(run->out), ' ');
    return words.size() < 3 ? std::string("unknown") : std::string(words[2]);
  }();
  return version;
}

}  // namespace sluice::git
