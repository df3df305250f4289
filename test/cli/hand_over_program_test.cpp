// SPDX-License-Identifier: Apache-2.0
// take and submit as a person types them: the printed commands, the editor, and a process that is killed.
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/json.h"
#include "core/process.h"
#include "runners/runners.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

constexpr const char* script = R"v(
  repo up
    base40 f                                                   ; commit B "tiles: the first version"
  fork up down
    line f 20 "line 20 FORK" ; insert f 20 "own line A"        ; commit D0 "fork: own lines"
    line f 35 "line 35 FORK"                                   ; commit D "fork: line 35"
  at up
    insert f 20 "line 20b UP"                                  ; commit C "tiles: a line after 20"
    push_bare up
  at down
    push_bare down
)v";

class Person {
 public:
  Person() {
    const std::string config = "[fork]\nurl = \"" + h.path("down.git") + "\"\nbranch = \"main\"\n[upstream]\nurl = \"" + h.path("up.git") +
                               "\"\nbranch = \"main\"\n[store]\npath = \"store\"\n[landing]\nautonomy = \"land\"\n[[suite]]\nid = \"build\"\nkind = \"build\"\n"
                               "command = [\"/bin/sh\", \"-c\", \"cp -r /src/. /build/\"]\n";
    EXPECT_TRUE(core::write_file(h.root() + "/sluice.toml", config).ok());
    // The person's editor takes away the markers, the base, and upstream's old line.
    write_tool("resolve", "sed -i -e '/^<<<<<<<</d' -e '/^||||||||/,/^========/d' -e '/^>>>>>>>>/d' -e '/^line 20$/d' \"$1\"");
  }
  void write_tool(const std::string& name, const std::string& body) {
    EXPECT_TRUE(core::write_file(h.root() + "/" + name, "#!/bin/sh\n" + body + "\n").ok());
    sh("chmod 755 " + name);
  }
  core::ProcessResult sh(const std::string& text, std::map<std::string, std::string> env = {}) const {
    core::ProcessOptions options;
    options.argv = {"/bin/sh", "-ec", "PATH=" + std::string(SLUICE_PROGRAM).substr(0, std::string(SLUICE_PROGRAM).rfind('/')) + ":$PATH; " + text};
    options.cwd = h.root();
    options.extra_env = std::move(env);
    options.extra_env.insert({{"HOME", h.root()}, {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_AUTHOR_NAME", "Pat"}, {"GIT_AUTHOR_EMAIL", "pat@fork.example"},
                              {"GIT_COMMITTER_NAME", "Pat"}, {"GIT_COMMITTER_EMAIL", "pat@fork.example"}, {"EDITOR", h.root() + "/resolve"}, {"USER", "pat"}});
    options.timeout_ms = 120'000;
    auto run = core::run_process(options);
    EXPECT_TRUE(run.ok());
    return std::move(*run);
  }
  // The parked unit.
  std::string park() {
    const auto sync = sh("sluice --quiet --json sync || true");
    const auto json = core::Json::parse(sync.out);
    EXPECT_TRUE(json.ok()) << sync.out << sync.err;
    if (!json.ok()) return {};
    for (const core::Json& unit : (*json)["units"].items()) {
      if (unit["state"].as_string() == "parked") return unit["id"].as_string();
    }
    return {};
  }
  std::string commands_of(const std::string& take) const {
    const auto json = core::Json::parse(sh("sluice --quiet --json take " + take).out);
    EXPECT_TRUE(json.ok());
    std::string out;
    for (const core::Json& command : (*json)["commands"].items()) out += command.as_string() + "\n";
    return out;
  }
  std::string trunk_file() const { return h.git("down.git", {"show", "main:f"}); }

  test_support::History h{script};
};

#define PARK(p)                                                                          \
  if (!runners::probe_sandbox().usable) GTEST_SKIP() << "no sandbox can be used here";   \
  const std::string unit = p.park();                                                     \
  ASSERT_FALSE(unit.empty()) << "nothing was parked"

TEST(HandOverProgram, TheCommandsThatTakePrintsLandTheAnswerWhenTheyAreRun) {
  Person p;
  PARK(p);
  const std::string commands = p.commands_of(unit);
  const auto text = p.sh("sluice --quiet take " + unit);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("31 characters"), std::string::npos) << text.out;
  const auto run = p.sh(commands);
  EXPECT_EQ(run.exit_code, 0) << commands << run.out << run.err;
  EXPECT_NE(run.out.find(unit + " landed as "), std::string::npos) << run.out;
  EXPECT_NE(p.trunk_file().find("line 20 FORK\nown line A\nline 20b UP\n"), std::string::npos) << p.trunk_file();
}

TEST(HandOverProgram, TheCommandsForTheBareBranchLandItToo) {
  Person p;
  PARK(p);
  const std::string commands = p.commands_of(unit + " --bare");
  const auto run = p.sh(commands);
  EXPECT_EQ(run.exit_code, 0) << commands << run.out << run.err;
  EXPECT_NE(p.trunk_file().find("own line A\nline 20b UP\n"), std::string::npos);
}

TEST(HandOverProgram, TheEditorIsAskedForEachLostLineAndAnEmptyCodeRefuses) {
  Person p;
  PARK(p);
  p.write_tool("resolve", "sed -i -e '/^<<<<<<<</d' -e '/^||||||||/,/^========/d' -e '/^>>>>>>>>/d' -e '/^line 20$/d' -e '/^own line A/d' \"$1\"");
  p.write_tool("explain", "cp \"$1\" " + p.h.root() + "/asked; [ ! -e " + p.h.root() + "/silent ] || exit 0; sed -i -e 's/^code: /code: SUPERSEDED_BY_FORK/' -e 's/^arg: /arg: " +
                              p.h.id("D") + "/' \"$1\"");
  std::string commands = p.commands_of(unit);
  const auto refused = p.sh("touch silent; export SLUICE_EDITOR=$PWD/explain; " + commands);
  EXPECT_EQ(refused.exit_code, 1) << refused.out << refused.err;
  EXPECT_NE(refused.out.find("own line A"), std::string::npos) << refused.out;
  EXPECT_NE(core::read_file(p.h.root() + "/asked")->find("own line A"), std::string::npos);
  const auto landed = p.sh("rm silent; SLUICE_EDITOR=$PWD/explain sluice --quiet submit");
  EXPECT_EQ(landed.exit_code, 0) << landed.out << landed.err;
  EXPECT_EQ(p.trunk_file().find("own line A"), std::string::npos);
}

TEST(HandOverProgram, ASubmitThatIsKilledIsFinishedByTheNextSyncAndLandsOnce) {
  for (const char* step : {"store unit.validating", "before push refs/heads/main", "push refs/heads/main"}) {
    Person p;
    PARK(p);
    const std::string commands = p.commands_of(unit);
    const auto killed = p.sh(commands, {{"SLUICE_STOP_AT", step}});
    EXPECT_EQ(killed.exit_code, 137) << step << killed.out << killed.err;
    const auto next = p.sh("sluice --quiet sync");
    EXPECT_EQ(next.exit_code, 0) << step << next.out << next.err;
    EXPECT_NE(p.trunk_file().find("own line A\nline 20b UP\n"), std::string::npos) << step;
    EXPECT_EQ(p.h.git("down.git", {"rev-list", "--count", "main"}), "4") << step;
    const auto status = core::Json::parse(p.sh("sluice --quiet --json status").out);
    for (const core::Json& row : (*status)["units"].items()) EXPECT_FALSE(row.has("taken_by")) << step;
  }
}

}  // namespace
}  // namespace sluice::test
