// SPDX-License-Identifier: Apache-2.0
#include "git/work_tree.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "core/file.h"
#include "core/step.h"
#include "core/text.h"
#include "git/isolation.h"
#include "git/objects.h"
#include "git/quarantine.h"
#include "git/remote.h"

namespace sluice::git {

namespace {

Result<core::ProcessResult> in_dir(const std::string& dir, std::vector<std::string> args) {
  args.insert(args.begin(), {"-C", dir});
  return run_git({.git_dir = {}, .args = std::move(args)});
}

// One git call whose failure is an error, with git's words.
Result<void> must(const std::string& dir, const std::vector<std::string>& args) {
  TRY_ASSIGN(const auto run, in_dir(dir, args));
  if (run.ok()) return {};
  return make_error(ErrorKind::internal, fmt::format("git {} in {}: {}", args.front(), dir, git_words(run, 300)));
}

}  // namespace

Result<void> check_work_tree_place(const std::string& dir) {
  std::error_code failed;
  if (!std::filesystem::exists(std::filesystem::symlink_status(dir, failed))) return {};
  if (std::filesystem::is_directory(dir, failed) && std::filesystem::is_empty(dir, failed)) return {};
  return make_error(ErrorKind::conflict, fmt::format("{} is there already and not an empty directory; name another one", dir));
}

Result<void> make_work_tree(const Repo& store, const WorkTreeSpec& spec) {
  const std::string dir = core::absolute_path(spec.dir);
  TRY(check_work_tree_place(dir));
  TRY(core::make_directories(dir));
  TRY(must(dir, {"init", "--quiet", "--template=", "--initial-branch=" + spec.branch, "."}));
  TRY(core::make_directories(core::join_path(dir, ".git/objects/info")));
  TRY(core::make_directories(core::join_path(dir, ".git/info")));
  TRY(core::write_file(core::join_path(dir, ".git/objects/info/alternates"),
                       core::absolute_path(object_directory(store.git_dir())) + "\n"));
  TRY(must(dir, {"config", "remote.origin.url", spec.origin}));
  TRY(must(dir, {"config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"}));
  TRY(must(dir, {"update-ref", "refs/remotes/origin/" + spec.trunk, spec.trunk_tip}));
  TRY(must(dir, {"reset", "--quiet", "--hard", spec.head}));
  core::step("git work tree");
  return {};
}

Result<WorkTree> look_at_work_tree(const std::string& dir, const std::string& rev) {
  WorkTree out;
  auto reader = Reader::open(dir);
  if (!reader.ok()) return make_error(ErrorKind::not_found, fmt::format("{} is no git work tree: {}", dir, reader.error().message));
  auto head = reader->resolve(rev.empty() ? "HEAD" : rev);
  if (!head.ok()) return make_error(ErrorKind::not_found, fmt::format("{} names no commit in {}: {}", rev.empty() ? "HEAD" : core::printable(rev), dir, head.error().message));
  out.head = *head;
  core::ProcessOptions options;
  options.argv = git_command({}, {"-C", dir, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=none"});
  options.env = isolated_environment();
  // The person's own ignore rules: what their git does not show them must not stop them here.
  options.env->erase("GIT_CONFIG_GLOBAL");
  options.env->erase("XDG_CONFIG_HOME");
  for (const char* name : {"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"})
    if (const char* value = std::getenv(name)) (*options.env)[name] = value;
  options.timeout_ms = 120'000;
  TRY_ASSIGN(const auto run, core::run_process(options));
  if (!run.ok()) return make_error(ErrorKind::internal, fmt::format("git status in {}: {}", dir, git_words(run, 300)));
  const auto entries = core::split(run.out, '\0');
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].size() < 4) continue;
    out.changed.push_back(fmt::format("{} {}", core::trim(entries[i].substr(0, 2)), core::printable(entries[i].substr(3))));
    if (entries[i][0] == 'R' || entries[i][0] == 'C') ++i;  // followed by the old name
  }
  return out;
}

Result<void> fetch_from_work_tree(Repo& store, const std::string& dir, const Oid& commit, const std::string& local_ref,
                                  const FetchLimits& limits, const std::atomic<bool>* cancel) {
  TRY_ASSIGN(const Remote remote, parse_remote(core::absolute_path(dir)));
  if (!remote.directory) return make_error(ErrorKind::denied, fmt::format("{} is no directory of this machine", remote.shown));
  if (!store.reader().has(commit)) {
    TRY_ASSIGN(auto quarantine, Quarantine::create(store.git_dir()));
    TRY_ASSIGN(const auto run, quarantine.fetch(remote, commit, limits, cancel));
    if (!run.ok()) {
      if (quarantine.hit_pack_limit(limits))
        return make_error(ErrorKind::invalid, fmt::format("what {} adds is larger than the limit of {} bytes", dir, limits.pack_bytes));
      return transfer_error(run, remote, commit);
    }
    TRY_ASSIGN(const Oid tip, quarantine.tip());
    TRY(quarantine.inspect(tip, limits, cancel));
    TRY(quarantine.accept());
  }
  return store.set_ref(local_ref, commit, std::nullopt);
}

Result<void> move_work_tree(const std::string& dir, const std::string& branch, const Oid& head, const std::string& keep) {
  if (keep.empty()) {
    TRY_ASSIGN(const auto run, in_dir(dir, {"merge", "--quiet", "--ff-only", head}));
    if (run.ok()) return {};
    return make_error(ErrorKind::conflict, fmt::format("git merge --ff-only {} in {}: {}", head, dir, git_words(run, 300)));
  }
  TRY(must(dir, {"branch", "--force", keep, "HEAD"}));
  return must(dir, {"checkout", "--quiet", "-B", branch, head});
}

}  // namespace sluice::git
