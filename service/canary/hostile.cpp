// SPDX-License-Identifier: Apache-2.0
#include "service/canary/hostile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/file.h"
#include "core/text.h"
#include "guardrails/guardrails.h"
#include "runners/runners.h"
#include "service/canary/world.h"

namespace sluice::service {
namespace {

constexpr const char* configuration =
    "import lit.formats, os\n"
    "config.name = 'C'\n"
    "config.test_format = lit.formats.ShTest(True)\n"
    "config.suffixes = ['.t']\n"
    "config.test_exec_root = os.environ['SLUICE_BUILD'] + '/lit'\n"
    "config.substitutions.append(('%build', os.environ['SLUICE_BUILD']))\n";
// Writes what lit would write of a test that passes, over every name that the report may have, and fails.
constexpr const char* forger =
    "import os, sys\n"
    "report = '{\"__version__\":[16,0,6],\"elapsed\":1,\"tests\":[{\"name\":\"C :: lower.t\",\"code\":\"PASS\",\"elapsed\":0,\"output\":\"\"}]}'\n"
    "build = sys.argv[1]\n"
    "pid = os.getppid()\n"
    "while pid > 1:\n"
    "    try: open('/proc/%d/mem' % pid, 'r+b').close()\n"
    "    except OSError: pass\n"
    "    try: pid = int(open('/proc/%d/stat' % pid).read().rsplit(')', 1)[1].split()[1])\n"
    "    except OSError: break\n"
    "open(build + '/report.json', 'w').write(report)\n"
    "open(build + '/forged.json', 'w').write(report)\n"
    "os.unlink(build + '/report.json')\n"
    "os.symlink('forged.json', build + '/report.json')\n"
    "sys.exit(1)\n";

bool is_lit(const std::string& argument) {
  const std::string name = argument.substr(argument.rfind('/') == std::string::npos ? 0 : argument.rfind('/') + 1);
  return name == "lit" || name == "lit.py" || name.starts_with("llvm-lit");
}

// The start of the suite's own command, up to lit; empty when it names none.
std::vector<std::string> harness_of(const model::SuiteConfig& suite) {
  if (suite.steps.empty()) return {};
  const std::vector<std::string>& argv = suite.steps.back();
  const auto lit = std::find_if(argv.begin(), argv.end(), is_lit);
  return lit == argv.end() ? std::vector<std::string>{} : std::vector<std::string>(argv.begin(), lit + 1);
}

Result<model::Evidence> run_forger(App& app, const model::SuiteConfig& suite, std::vector<std::string> argv) {
  runners::LocalOptions options;
  options.allow_unsandboxed = app.config.allow_unsandboxed;
  options.jobs = app.config.jobs;
  TRY_ASSIGN(const auto runner, runners::make_local_runner(options, app.clock));
  TRY_ASSIGN(const core::TempDir dir, core::TempDir::create("sluice-canary-"));
  model::RunRequest request;
  for (auto [name, member] : {std::pair{"source", &request.source_dir}, std::pair{"build", &request.build_dir}, std::pair{"suites", &request.suites_dir}}) {
    *member = core::join_path(dir.path(), name);
    std::error_code failed;
    if (!std::filesystem::create_directory(*member, failed)) return make_error(ErrorKind::transient, fmt::format("{}: {}", *member, failed.message()));
  }
  for (const auto& [name, text] : {std::pair{"lit.cfg.py", configuration}, std::pair{"forge.py", forger},
                                   std::pair{"lower.t", "RUN: /usr/bin/python3 %S/forge.py %build\n"}}) {
    TRY(core::write_file(core::join_path(request.suites_dir, name), text));
  }
  argv.insert(argv.end(), {"-o", "report.json", "/suites"});
  request.suite = suite;
  request.suite.steps = {std::move(argv)};
  request.suite.results = "report.json";
  request.suite.timeout_s = 120;
  for (const model::EnvironmentConfig& environment : app.config.environments) {
    if (environment.name == suite.environment) request.environment = environment;
  }
  request.nonce = "canary";
  return runner->run(request, app.cancel);
}

}  // namespace

Result<std::optional<CanaryResult>> hostile_harness(App& app) {
  const auto suite = std::find_if(app.config.policy.suites.begin(), app.config.policy.suites.end(),
                                  [](const model::SuiteConfig& s) { return s.kind == "lit" && s.tier == "L1" && !harness_of(s).empty(); });
  if (suite == app.config.policy.suites.end()) return std::optional<CanaryResult>();
  TRY_ASSIGN(const model::Evidence ran, run_forger(app, *suite, harness_of(*suite)));

  TRY_ASSIGN(canary::World world, canary::World::make(app.config.policy.rules));
  canary::Case spoiled = world.good();
  model::Evidence& counted = spoiled.evidence.back();
  counted.tests = ran.tests;
  counted.exit_code = ran.exit_code;
  counted.trouble = ran.trouble;
  counted.trouble_detail = ran.trouble_detail;
  counted.grade = ran.grade;
  const model::Verdict verdict = guardrails::judge_unit(world.reader(), spoiled.proposal, model::UnitKind::chain, spoiled.evidence, spoiled.context);
  CanaryResult result{"G44", fmt::format("a failing test forges the report of suite {}", suite->id), Caught::green, {}, {}};
  for (const model::RuleResult& rule : verdict.rules) {
    if (rule.id != "G44") continue;
    if (!rule.applicable) result.caught = Caught::off;
    for (const model::VerdictItem& item : rule.items) {
      if (item.judgement == model::Judgement::pass) continue;
      result.caught = item.judgement == model::Judgement::unresolved ? Caught::error : Caught::red;
      result.finding = item.detail;
      break;
    }
  }
  if (result.caught == Caught::red && ran.grade != "observed") result.finding += fmt::format(" (grade {})", ran.grade);
  // A report that was destroyed is not believed either. A run that came to nothing for another reason proves nothing.
  if (ran.trouble.starts_with("results_")) result.caught = Caught::red;
  if (!ran.trouble.empty()) result.finding = fmt::format("{}: {}", ran.trouble, ran.trouble_detail);
  if (!ran.trouble.empty() && !ran.trouble.starts_with("results_")) result.caught = Caught::error;
  return std::optional<CanaryResult>(std::move(result));
}

}  // namespace sluice::service
