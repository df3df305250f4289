// SPDX-License-Identifier: Apache-2.0
#include "test/service/world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/file.h"
#include "core/log.h"
#include "runners/runners.h"

namespace sluice::test {

namespace {

constexpr const char* build_command =
    "cp -r /src/. /build/ && for f in /src/broken*; do if [ -f \"$f\" ] && grep -q BROKEN \"$f\"; then echo \"$f:1: error: broken\"; exit 1; fi; done";

constexpr const char* unit_command =
    "rc=0; out=/build/unit.xml; echo '<testsuite name=\"unit\">' > $out; "
    "for f in /src/*.test; do n=$(basename $f .test); if grep -q FAIL $f; then rc=1; "
    "echo \"<testcase classname=\\\"unit\\\" name=\\\"$n\\\"><failure message=\\\"says FAIL\\\"/></testcase>\" >> $out; else "
    "echo \"<testcase classname=\\\"unit\\\" name=\\\"$n\\\"/>\" >> $out; fi; done; echo '</testsuite>' >> $out; exit $rc";

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string sandbox_missing() {
  const auto probe = runners::probe_sandbox();
  if (probe.usable) return {};
  return "the sandbox cannot be used here: " + (probe.problems.empty() ? std::string("no reason given") : probe.problems.front());
}

World::World(std::string_view script, const std::string& more_config, const std::string& autonomy, const std::string& more_landing)
    : history(script) {
  history.run("at up; push_bare up; at down; push_bare down");
  core::set_log_level(core::LogLevel::off);
  config_path = history.root() + "/sluice.toml";
  const std::string text = fmt::format(
      "[fork]\nurl = \"{0}/down.git\"\nbranch = \"main\"\n\n[upstream]\nurl = \"{0}/up.git\"\nbranch = \"main\"\nrepo = \"acme/tiles\"\n\n"
      "[store]\npath = \"store\"\n\n[landing]\nautonomy = \"{1}\"\n{5}\n"
      "[[suite]]\nid = \"build\"\nkind = \"build\"\ncommand = [\"/bin/sh\", \"-c\", {2}]\n\n"
      "[[suite]]\nid = \"unit\"\nkind = \"junit\"\nneeds = \"build\"\nresults = \"unit.xml\"\ncommand = [\"/bin/sh\", \"-c\", {3}]\n\n{4}",
      history.root(), autonomy, toml_string(build_command), toml_string(unit_command), more_config, more_landing);
  if (auto written = core::write_file(config_path, text); !written.ok()) throw std::runtime_error(written.error().message);
}

void World::more(std::string_view script) {
  history.run(script);
  history.run("at up; push_bare up");
}

std::unique_ptr<service::App> World::open(service::Access access) {
  auto app = service::open_app(config_path, access);
  if (!app.ok()) throw std::runtime_error(app.error().message);
  return std::make_unique<service::App>(std::move(*app));
}

core::Result<service::SyncReport> World::try_sync(const service::SyncOptions& options) {
  const auto app = open();
  return service::sync(*app, options);
}

service::SyncReport World::sync(const service::SyncOptions& options) {
  auto report = try_sync(options);
  if (!report.ok()) throw std::runtime_error(report.error().message);
  return std::move(*report);
}

core::Json World::plan() {
  const auto app = open();
  auto remotes = service::fetch_remotes(*app);
  if (!remotes.ok()) throw std::runtime_error(remotes.error().message);
  auto document = service::plan_document(*app, *remotes);
  if (!document.ok()) throw std::runtime_error(document.error().message);
  return std::move(*document);
}

service::Plan World::look() {
  const auto app = open(service::Access::read);
  auto remotes = service::known_remotes(*app);
  if (!remotes.ok()) throw std::runtime_error(remotes.error().message);
  auto plan = service::look(*app, *remotes);
  if (!plan.ok()) throw std::runtime_error(plan.error().message);
  return std::move(*plan);
}

model::Disposition World::disposition(std::string_view commit_name) {
  const auto app = open(service::Access::read);
  auto row = app->store.ledger(id(commit_name));
  if (!row.ok()) throw std::runtime_error(row.error().message);
  return *row ? (*row)->disposition : model::Disposition::pending;
}

std::string World::trunk() const { return history.git("down.git", {"rev-parse", "refs/heads/main"}); }

std::string World::trunk_file(const std::string& path) const {
  if (history.git("down.git", {"ls-tree", "main", "--", path}).empty()) return "<absent>";
  return history.git("down.git", {"show", "main:" + path});
}

}  // namespace sluice::test
