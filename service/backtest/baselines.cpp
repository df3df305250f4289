// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/baselines.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>

#include "core/process.h"
#include "core/text.h"

namespace sluice::service::backtest {

namespace {

constexpr std::int64_t most_ms = 10'000;

core::ProcessOptions process(std::vector<std::string> argv, const std::string& dir, const std::atomic<bool>* cancel) {
  core::ProcessOptions out;
  out.argv = std::move(argv);
  // Nobody's configuration has a part in a baseline.
  out.extra_env = {{"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"HOME", dir}, {"LC_ALL", "C"}};
  out.cwd = dir;
  out.timeout_ms = most_ms;
  out.cancel = cancel;
  return out;
}

std::string first_line(const std::string& text) { return std::string(core::trim(text.substr(0, text.find('\n')))); }

std::string version_of(const std::vector<std::string>& argv, const std::string& dir) {
  const auto result = core::run_process(process(argv, dir, nullptr));
  if (!result.ok() || !result->ok()) return "";
  return first_line(result->out.empty() ? result->err : result->out);
}

}  // namespace

Result<void> write_scratch(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) return make_error(ErrorKind::transient, fmt::format("cannot write {}; is the disk full?", path));
  return {};
}

Result<Baselines> Baselines::open(const std::atomic<bool>* cancel) {
  TRY_ASSIGN(core::TempDir dir, core::TempDir::create("sluice-backtest"));
  Baselines out(std::move(dir));
  out.cancel_ = cancel;
  const std::string git = version_of({"git", "version"}, out.dir_.path());
  const std::string wiggle = version_of({"wiggle", "--version"}, out.dir_.path());
  out.programs_ = {{"ours", "always the fork's side"},
                   {"theirs", "always upstream's side"},
                   {"union", git.empty() ? "" : git + ", merge-file --union"},
                   {"rerere", git.empty() ? "" : git + ", rerere"},
                   {"wiggle", wiggle.substr(0, wiggle.find(" GPL"))}};
  return out;
}

bool Baselines::has(const std::string& name) const { return !programs_.at(name).empty(); }

std::string Baselines::version() const { return fmt::format("{}; {}", programs_.at("union"), programs_.at("wiggle")); }

Result<std::map<std::string, Outcome>> Baselines::ask(const Case& one) const {
  std::map<std::string, Outcome> out;
  out["ours"] = compare(one.ours, one.resolved);
  out["theirs"] = compare(one.theirs, one.resolved);
  if (!has("union") && !has("wiggle")) return out;
  const std::string dir = core::join_path(dir_.path(), std::to_string(next_->fetch_add(1)));
  TRY(core::make_directories(dir));
  for (const auto& [name, text] : {std::pair<std::string, const std::string*>{"ours", &one.ours}, {"base", &one.base}, {"theirs", &one.theirs}})
    TRY(write_scratch(core::join_path(dir, name), *text));
  const auto run = [&](std::vector<std::string> argv) -> Result<std::optional<std::string>> {
    argv.insert(argv.end(), {"ours", "base", "theirs"});
    TRY_ASSIGN(const core::ProcessResult result, core::run_process(process(std::move(argv), dir, cancel_)));
    if (result.cancelled) return make_error(ErrorKind::transient, "cancelled");
    if (!result.ok() || result.out_bytes != result.out.size()) return std::optional<std::string>{};
    return std::optional<std::string>(result.out);
  };
  for (const auto& [name, argv] : {std::pair<std::string, std::vector<std::string>>{"union", {"git", "merge-file", "-p", "-q", "--union"}}, {"wiggle", {"wiggle", "-m"}}}) {
    if (!has(name)) continue;
    TRY_ASSIGN(const std::optional<std::string> text, run(argv));
    out[name] = text ? compare(*text, one.resolved) : Outcome::refused;
  }
  TRY(core::remove_all(dir));
  return out;
}

}  // namespace sluice::service::backtest
