// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <memory>

#include "cli/command.h"

namespace sluice::cli {

namespace {

struct Args {
  service::RevertRequest request;
  std::string review, abandon;
  bool dry_run = false;
};

void run_revert(Context& context, Args args) {
  const auto sluice = open(context, service::Access::write);
  if (!sluice) return;
  if (!args.abandon.empty()) {
    if (const auto done = service::abandon_revert(*sluice, args.abandon, args.request.who); !done.ok()) {
      context.exit_code = fail(context, done.error());
      return;
    }
    print(context, core::Json::object({{"schema", "sluice.revert/1"}, {"abandoned", args.abandon}}), args.abandon + " is given up; its commits stay in the fork\n");
    return;
  }
  if (!args.review.empty()) {
    const auto day = core::parse_utc(args.review);
    if (!day.ok()) {
      context.exit_code = fail(context, day.error());
      return;
    }
    args.request.review_at = *day;
  }
  if (args.dry_run) {
    const auto plan = [&]() -> Result<service::RevertPlan> {
      TRY_ASSIGN(const auto remotes, service::fetch_remotes(*sluice));
      TRY_ASSIGN(const auto looked, service::look(*sluice, remotes));
      return service::plan_revert(*sluice, looked, args.request);
    }();
    end_progress();
    if (!plan.ok()) {
      context.exit_code = fail(context, plan.error());
      return;
    }
    print(context, service::revert_plan_json(*sluice, *plan), service::revert_plan_text(*sluice, *plan));
    return;
  }
  const auto report = service::revert(*sluice, args.request);
  end_progress();
  if (!report.ok()) {
    context.exit_code = fail(context, report.error());
    return;
  }
  print(context, service::sync_json(*sluice, *report), service::sync_text(*sluice, *report));
  context.exit_code = report->exit_code();
}

}  // namespace

void add_revert(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("revert", "take landed units or commits back: judged and landed ahead of everything, then backed_out");
  auto args = std::make_shared<Args>();  // CLI11 keeps the addresses for the callback
  const char* user = std::getenv("USER");
  args->request.who = user != nullptr && *user != '\0' ? user : "operator";
  command->add_option("what", args->request.what, "landed units, or single commits of one (upstream's or trunk's id)");
  command->add_option("--reason", args->request.reason, "why; stands in the revert's message and in the ledger; needed");
  command->add_option("--owner", args->request.owner, "who brings it back, or decides that it stays out; needed");
  command->add_option("--review", args->review, "the day to look again, 2027-01-31; needed");
  command->add_option("--task", args->request.task, "the task that tracks it");
  command->add_option("--who", args->request.who, "who asks for it")->capture_default_str();
  command->add_flag("--with-dependents", args->request.with_dependents, "also what builds on it, before it");
  command->add_flag("--dry-run", args->dry_run, "say what would be taken back; nothing lands");
  command->add_option("--abandon", args->abandon, "give a parked revert up: its unit, r-...");
  command->footer("Exit status: 0 landed; 3 refused, stopped, or an outside failure left it undone (the next sync goes on with it);\n"
                  "4 it is parked and waits for a person.");
  command->callback([&context, args] { run_revert(context, *args); });
}

}  // namespace sluice::cli
