// SPDX-License-Identifier: Apache-2.0
// docs/operations.md is read at night: what it prints is run here, block by block, as it stands.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/file.h"
#include "core/process.h"
#include "core/text.h"
#include "service/service.h"
#include "test/support/history.h"

namespace sluice::test {
namespace {

std::string document() {
  auto text = core::read_file(std::string(SLUICE_SOURCE_DIR) + "/docs/operations.md", 1 << 20);
  EXPECT_TRUE(text.ok());
  return std::move(*text);
}

// The blocks that follow a line `<!-- tested -->`.
std::vector<std::string> blocks(const std::string& text) {
  std::vector<std::string> out;
  bool announced = false, inside = false;
  for (const std::string_view line : core::split_lines(text)) {
    if (line == "<!-- tested -->") {
      announced = true;
    } else if (announced && line == "```sh") {
      inside = true;
      announced = false;
      out.emplace_back();
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      out.back() += std::string(line) + "\n";
    }
  }
  return out;
}

constexpr const char* script = R"v(
  repo up
    base40 f                  ; commit B "tiles: the first version"
  fork up down
    line f 20 "line 20 FORK"  ; commit D "fork: line 20"
  at up
    put a "1\n"               ; commit A "a"
    put b "1\n"               ; commit C "b"
    push_bare up
  at down
    pick_by_hand LA A
    push_bare down
)v";

core::ProcessResult shell(const std::string& text, const std::string& cwd, const test_support::History& h) {
  core::ProcessOptions options;
  options.argv = {"/bin/bash", "-euo", "pipefail", "-c", text};
  options.cwd = cwd;
  options.timeout_ms = 120'000;
  const std::filesystem::path program = SLUICE_PROGRAM;
  const char* path = std::getenv("PATH");
  options.env = std::map<std::string, std::string>{{"PATH", program.parent_path().string() + ":" + (path != nullptr ? path : "/usr/bin:/bin")},
                                                   {"HOME", cwd},
                                                   {"STORE", cwd + "/sluice-store"},
                                                   {"FORK", h.path("down.git")},
                                                   {"BACKUP", cwd + "/backup"}};
  auto result = core::run_process(options);
  EXPECT_TRUE(result.ok());
  return std::move(*result);
}

TEST(Operations, EveryBlockOfTheDocumentRunsInItsOrder) {
  const test_support::History h{script};
  const auto made = shell("sluice --quiet init --upstream '" + h.path("up.git") + "' --fork '" + h.path("down.git") + "'", h.root(), h);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto all = blocks(document());
  ASSERT_GE(all.size(), 9u);
  const bool sqlite = shell("command -v sqlite3 >/dev/null", h.root(), h).exit_code == 0;
  if (!sqlite) std::puts("sqlite3 is missing here: the database is copied instead (nothing is at work)");
  for (std::string block : all) {
    if (!sqlite && block.find("sqlite3") != std::string::npos) block = "mkdir -p \"$BACKUP\"; cp -a \"$STORE/sluice.db\" \"$STORE/repo.git\" sluice.toml \"$BACKUP/\"";
    // doctor says what this machine lacks: a finding is no failure of the document.
    if (block.starts_with("sluice doctor\n")) block = "sluice doctor || [ $? -le 3 ]\n" + block.substr(block.find('\n') + 1);
    const auto run = shell(block, h.root(), h);
    EXPECT_EQ(run.exit_code, 0) << block << "\n" << run.out << run.err;
  }
}

TEST(Operations, TheReportOfWhatWasLandedIsForPeopleAndForPrograms) {
  const test_support::History h{script};
  ASSERT_EQ(shell("sluice --quiet init --upstream '" + h.path("up.git") + "' --fork '" + h.path("down.git") + "'", h.root(), h).exit_code, 0);
  const auto text = shell("sluice --quiet report --observe", h.root(), h);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("same           1"), std::string::npos) << text.out;
  const auto json = shell("sluice --quiet --json report --observe --since 2026-01-01", h.root(), h);
  const auto parsed = core::Json::parse(json.out);
  ASSERT_TRUE(parsed.ok()) << json.out;
  EXPECT_EQ((*parsed)["schema"].as_string(), "sluice.observe/1");
  EXPECT_EQ((*parsed)["scores"]["same"].as_int(), 1);
  EXPECT_EQ(shell("sluice report --observe --since yesterday", h.root(), h).exit_code, 2);
  EXPECT_EQ(shell("sluice report --since 2026-01-01", h.root(), h).exit_code, 2) << "--since without --observe means nothing";
}

TEST(Operations, EveryKindOfAlertIsExplained) {
  const std::string text = document();
  for (const std::string& kind : service::alert_kinds()) EXPECT_NE(text.find("| `" + kind + "` |"), std::string::npos) << kind;
  EXPECT_NE(text.find("| `ledger_not_pushed` |"), std::string::npos);
}

}  // namespace
}  // namespace sluice::test
