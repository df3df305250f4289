// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/process.h"
#include "core/text.h"
#include "service/backtest/baselines.h"

namespace sluice::service::backtest {

namespace {

// Longer than any run of markers that stands in real files.
constexpr int marker_width = 31;
// git hashes the working file; what the stages hold does not matter to it, but must exist.
constexpr const char* empty_blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

std::string conflicted(const Case& one) {
  const auto marker = [](char c, std::string_view words) { return std::string(marker_width, c) + std::string(words) + "\n"; };
  return one.before + marker('<', " ours") + one.ours + marker('|', " base") + one.base + marker('=', "") + one.theirs + marker('>', " theirs") + one.after;
}

}  // namespace

Result<Rerere> Rerere::open(const std::atomic<bool>* cancel) {
  TRY_ASSIGN(core::TempDir dir, core::TempDir::create("sluice-rerere"));
  Rerere out(std::move(dir));
  out.cancel_ = cancel;
  TRY(out.git({"init", "-q", "."}));
  TRY(out.git({"config", "rerere.enabled", "true"}));
  TRY(out.git({"hash-object", "-w", "--stdin"}));
  TRY(core::make_directories(core::join_path(out.dir_.path(), ".git/info")));
  TRY(write_scratch(core::join_path(out.dir_.path(), ".git/info/attributes"), fmt::format("* -text conflict-marker-size={}\n", marker_width)));
  return out;
}

Result<void> Rerere::git(std::vector<std::string> args, std::string input) {
  core::ProcessOptions options;
  options.argv = {"git"};
  options.argv.insert(options.argv.end(), args.begin(), args.end());
  options.extra_env = {{"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"HOME", dir_.path()}, {"LC_ALL", "C"}};
  options.cwd = dir_.path();
  options.input = std::move(input);
  options.cancel = cancel_;
  TRY_ASSIGN(const core::ProcessResult result, core::run_process(options));
  if (result.cancelled) return make_error(ErrorKind::transient, "cancelled");
  if (!result.ok()) return make_error(ErrorKind::internal, fmt::format("git {} (a baseline): {}", args[0], core::printable(result.err, 400)));
  return {};
}

Result<std::string> Rerere::put(const Case& one) {
  const std::string file = fmt::format("{}.txt", files_++);
  TRY(write_scratch(core::join_path(dir_.path(), file), conflicted(one)));
  for (int stage = 1; stage <= 3; ++stage) index_ += fmt::format("100644 {} {}\t{}\n", empty_blob, stage, file);
  return file;
}

Result<void> Rerere::learn(const Case& one) {
  TRY_ASSIGN(std::string file, put(one));
  learning_.emplace_back(std::move(file), one.before + one.resolved + one.after);
  return {};
}

Result<void> Rerere::settle() {
  if (learning_.empty()) return {};
  TRY(git({"update-index", "--index-info"}, std::exchange(index_, {})));
  TRY(git({"rerere"}));
  for (const auto& [file, text] : learning_) TRY(write_scratch(core::join_path(dir_.path(), file), text));
  TRY(git({"rerere"}));
  TRY(git({"read-tree", "--empty"}));
  learning_.clear();
  return {};
}

Result<void> Rerere::ask(const Case& one) {
  TRY(settle());
  TRY_ASSIGN(std::string file, put(one));
  asked_.push_back({one.id, std::move(file), one.before, one.after, one.resolved});
  return {};
}

Result<std::map<std::string, Outcome>> Rerere::answers() {
  std::map<std::string, Outcome> out;
  if (asked_.empty()) return out;
  TRY(git({"update-index", "--index-info"}, std::exchange(index_, {})));
  TRY(git({"rerere"}));
  for (const Asked& asked : asked_) {
    TRY_ASSIGN(const std::string text, core::read_file(core::join_path(dir_.path(), asked.file)));
    std::string_view left = text;
    const bool whole = text.size() >= asked.before.size() + asked.after.size() && left.starts_with(asked.before) && left.ends_with(asked.after);
    if (whole) left = left.substr(asked.before.size(), text.size() - asked.before.size() - asked.after.size());
    const bool open = text.find(std::string(marker_width, '<')) != std::string::npos;
    out[asked.id] = open || !whole ? Outcome::refused : compare(left, asked.resolved);
  }
  return out;
}

}  // namespace sluice::service::backtest
