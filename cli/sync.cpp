// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <memory>

#include "cli/command.h"

namespace sluice::cli {

void add_sync(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("sync", "one cycle: fetch, plan, pick, judge, land; what needs a person is parked");
  auto options = std::make_shared<service::SyncOptions>();  // CLI11 keeps the addresses for the callback
  auto choice = std::make_shared<service::ModelChoice>();
  add_model_options(*command, *choice);
  command->add_flag("--dry-run", options->dry_run, "say what would be done; nothing is changed");
  command->add_option("--limit", options->limit, "at most so many units")->check(CLI::Range(0, 1'000'000).description(""));
  command->add_option("--unit", options->unit, "only this unit, also a parked one");
  command->add_option("--accept-trunk", options->accept_trunk, "after TRUNK_REWOUND: continue on this trunk commit (full id)");
  command->footer("Exit status: 0 done; 3 an outside failure left work undone (run it again); 4 something new waits for a person.");
  command->callback([&context, options, choice] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    sluice->model = *choice;
    auto report = service::sync(*sluice, *options);
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
