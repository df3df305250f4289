// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <memory>

#include "cli/command.h"

namespace sluice::cli {

void add_pick(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("pick", "one urgent upstream commit ahead of the queue; the frontier does not move for it");
  struct Args {
    service::PickRequest request;
    bool dry_run = false;
    service::ModelChoice model;
  };
  auto args = std::make_shared<Args>();  // CLI11 keeps the addresses for the callback
  const char* user = std::getenv("USER");
  args->request.who = user != nullptr && *user != '\0' ? user : "operator";
  command->add_option("oid", args->request.what, "upstream commit, full or abbreviated: pending, deferred or backed out")->required();
  command->add_option("--reason", args->request.reason, "why it cannot wait for its turn; needed");
  command->add_option("--who", args->request.who, "who asks for it")->capture_default_str();
  command->add_flag("--with-prerequisites", args->request.with_prerequisites, "also what it builds on and the fork lacks");
  add_model_options(*command, args->model);
  command->add_flag("--dry-run", args->dry_run, "say what would be picked; nothing lands");
  command->footer("Exit status: 0 landed; 3 refused, stopped, or an outside failure left it undone (the next sync goes on with it);\n"
                  "4 it is parked and waits for a person.");
  command->callback([&context, args] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    sluice->model = args->model;
    if (args->dry_run) {
      const auto plan = [&]() -> Result<service::PickPlan> {
        TRY_ASSIGN(const auto remotes, service::fetch_remotes(*sluice));
        TRY_ASSIGN(const auto looked, service::look(*sluice, remotes));
        return service::plan_pick(*sluice, looked, args->request);
      }();
      end_progress();
      if (!plan.ok()) {
        context.exit_code = fail(context, plan.error());
        return;
      }
      print(context, service::pick_plan_json(*sluice, *plan), service::pick_plan_text(*sluice, *plan));
      return;
    }
    const auto report = service::pick_now(*sluice, args->request);
    end_progress();
    if (!report.ok()) {
      context.exit_code = fail(context, report.error());
      return;
    }
    print(context, service::sync_json(*sluice, *report), service::sync_text(*sluice, *report));
    context.exit_code = report->exit_code();
  });
}

}  // namespace sluice::cli
