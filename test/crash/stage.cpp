// SPDX-License-Identifier: Apache-2.0
#include "test/crash/stage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/text.h"
#include "service/ledger_log.h"

namespace sluice::test {

namespace {

namespace fs = std::filesystem;

constexpr const char* night = R"(
  repo up
    base40 a.cpp; base40 b.cpp
    put c.cpp 'int one = 1;\nint two = 2;\nint three = 3;\n'
    put one.test 'ok\n'; put ci/job.yml 'on: push\n'; put pin.txt '1\n' ; commit B "tile: the first version"
  fork up down
    line b.cpp 20 "line 20 DOWN" ; commit D1 "fork: own line 20"
    put c.cpp 'int one = 1;\nint   two   =   2;\nint three = 3;\n' ; commit D2 "fork: wide spaces"
    drop ci/job.yml ; commit D3 "fork: no jobs of upstream"
  at up
    line a.cpp 3 "line 3 U1" ; commit U1 "tile: line 3"
    put two.test 'ok\n' ; commit U2 "tests: two"
    put three.test 'FAIL\n' ; commit U3 "tests: three, which fails"
    line a.cpp 12 "line 12 U4" ; commit U4 "tile: line 12"
    line b.cpp 20 "line 20 UP" ; commit U5 "tile: the line that the fork owns"
    line b.cpp 20 "line 20 UP again" ; commit U6 "tile: and once more"
    swap c.cpp 'int two = 2;' 'int two=2;'; put f.cpp 'int f = 1;\n' ; commit U7 "tile: closer"
    put broken.txt 'BROKEN\n' ; commit U8 "tile: breaks the build"
    line a.cpp 30 "line 30 U9" ; commit U9 "tile: line 30"
    revert_of U10 U9
    put ci/job.yml 'on: pull\n' ; commit U11 "ci: other trigger"
    put pin.txt '2\n' ; commit U12 "pin: move to 2"
    put d.cpp 'int d = 1;\n' ; commit U13 "tile: d"
    line a.cpp 38 "line 38 U14" ; commit U14 "tile: line 38"
    put e.cpp 'int e = 1;\n' ; commit U15 "tile: e"
  at down
    pick_by_hand D4 U13 "fork: d, by hand"
)";

constexpr const char* policy = R"(
[[path]]
glob = "ci/**"
class = "deleted"

[[path]]
glob = "pin.txt"
class = "pin"
)";

std::string night_of(int more) {
  std::string out = night;
  if (more > 0) out += "  at up\n";
  for (int i = 0; i < more; ++i) out += fmt::format("    put more{0}.cpp 'int more{0} = 1;\\n' ; commit M{0} \"tile: more {0}\"\n", i);
  return out;
}

bool names_stage(const fs::path& process, const std::string& root) {
  std::ifstream file(process / "cmdline", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str().find(root) != std::string::npos;
}

}  // namespace

Stage::Stage(int more) : world(night_of(more), policy, "land", more > 0 ? "bundle_max = 2\n" : ""), pristine_(world.history.root() + "/pristine"), store_(world.history.root() + "/store") {
  fs::copy(world.history.path("down.git"), pristine_, fs::copy_options::recursive);
  // Where the build's own user may enter, runs are unpacked below the store: what is left of them can be seen.
  fs::permissions(world.history.root(), fs::perms::others_exec | fs::perms::others_read, fs::perm_options::add);
}

void Stage::reset() {
  fs::remove_all(store_);
  fs::remove_all(world.history.path("down.git"));
  fs::copy(pristine_, world.history.path("down.git"), fs::copy_options::recursive);
}

core::ProcessResult Stage::run(const std::map<std::string, std::string>& env, const std::vector<std::string>& command,
                               std::int64_t kill_after_ms) {
  core::ProcessOptions options;
  options.argv = {SLUICE_PROGRAM};
  options.argv.insert(options.argv.end(), command.begin(), command.end());
  options.argv.insert(options.argv.end(), {"--config", world.config_path, "--quiet"});
  options.extra_env = {{"SLUICE_NOW", "2026-02-01T03:00:00Z"}};
  for (const auto& [key, value] : env) options.extra_env[key] = value;
  options.timeout_ms = kill_after_ms;
  auto result = core::run_process(options);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

bool Stage::run_has_ended() const {
  if (!fs::exists(store_ + "/sluice.db")) return false;
  auto store = store::Store::open(store_);
  if (!store.ok()) throw std::runtime_error(store.error().message);
  const auto last = store->last_run("sync");
  return last.ok() && *last && !(*last)->outcome.empty();
}

std::vector<std::string> Stage::steps() {
  const std::string file = world.history.root() + "/steps";
  fs::remove(file);
  reset();
  const auto result = run({{"SLUICE_STEPS", file}});
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4) << result.out << result.err;
  std::vector<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string Stage::left_behind() {
  std::string out;
  const auto add = [&](const std::string& line) { out += line + "\n"; };
  for (const char* repository : {"down.git", "store/repo.git"}) {
    const std::string refs = world.history.git(repository, {"for-each-ref", "--format=%(refname) %(objectname)"});
    for (const auto line : core::split_lines(refs)) {
      // Its lines follow below: where one commit of it ends and the next begins may differ.
      if (!line.starts_with(service::ledger_ref)) add(fmt::format("{} {}", repository, line));
    }
  }
  const auto app = world.open(service::Access::read);
  const auto rows = app->store.ledger_all();
  for (const model::LedgerRow& row : *rows) {
    add(fmt::format("ledger {} {} {} {} {} {} {} {} {}", row.position, row.upstream, model::to_string(row.disposition), row.evidence,
                    row.reason, row.unit, row.by, row.downstream, row.who));
  }
  const auto units = app->store.units();
  for (const model::Unit& unit : *units) {
    add(fmt::format("unit {} {} {} {} {} {}", unit.id, model::to_string(unit.state), unit.rule, unit.base, unit.landed, unit.validations));
  }
  const auto landings = app->store.landings();
  for (const store::LandingRow& row : *landings) add(fmt::format("landing {} {} {} {}", row.unit, row.base, row.commit, row.state));
  const auto verified = app->store.verify_events();
  if (!verified.ok()) add("event log broken: " + verified.error().message);
  const auto events = app->store.events(0, 100000);
  for (const store::Event& event : *events) {
    // A restart is one more run, and an interrupted one is an alert: that is no difference.
    if (!event.type.starts_with("run.") && !event.type.starts_with("alert.")) add(fmt::format("event {} {} {}", event.type, event.subject, event.body.dump()));
  }
  const auto log = app->repo.ref(service::ledger_ref);
  if (log.ok() && *log) {
    const auto read = service::read_log(app->repo.reader(), **log, [&](service::LogCommit&& commit) -> Result<void> {
      for (const service::LogLine& line : commit.lines) add(fmt::format("log {} {} {}", line.type, line.subject, line.body.dump()));
      return {};
    });
    if (!read.ok()) add("log broken: " + read.error().message);
  }
  return out;
}

std::vector<std::string> Stage::left_over() {
  std::vector<std::string> out;
  const std::string root = world.history.root();
  for (const auto& entry : fs::recursive_directory_iterator(store_, fs::directory_options::skip_permission_denied)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".lock") || name.starts_with("tmp_") || name.starts_with("incoming-") || name.starts_with("sluice-run-")) {
      out.push_back(entry.path());
    }
  }
  // A process that was killed with its parent may need a moment to be gone: only what stays is left over.
  for (int look = 0; look < 100; ++look) {
    std::vector<std::string> alive;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(::getpid())) continue;
      if (names_stage(entry.path(), root)) alive.push_back("process " + name);
    }
    if (alive.empty()) break;
    if (look == 99) out.insert(out.end(), alive.begin(), alive.end());
    ::usleep(50'000);
  }
  return out;
}

std::string difference(const std::string& a, const std::string& b) {
  const auto lines = [](const std::string& text) {
    std::multiset<std::string> out;
    for (const auto line : core::split_lines(text)) out.emplace(line);
    return out;
  };
  const auto left = lines(a), right = lines(b);
  std::vector<std::string> missing, extra;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(missing));
  std::set_difference(right.begin(), right.end(), left.begin(), left.end(), std::back_inserter(extra));
  std::string out;
  for (const std::string& line : missing) out += "- " + line + "\n";
  for (const std::string& line : extra) out += "+ " + line + "\n";
  if (out.empty() && a != b) out = "the same lines in another order\n";
  return out;
}

}  // namespace sluice::test
