// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace sluice::cli {

void add_audit(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("audit", "is what the store says still what happened?");
  command->require_subcommand(1);
  CLI::App* verify = command->add_subcommand("verify", "event log unbroken, every landing has its evidence; changes nothing");
  verify->footer("Exit status: 0 all is well; 1 something is wrong; 3 something could not be checked.");
  verify->callback([&context] {
    const auto sluice = open(context, service::Access::read);
    if (!sluice) return;
    const auto audit = service::audit_verify(*sluice);
    end_progress();
    if (!audit.ok()) {
      context.exit_code = fail(context, audit.error());
      return;
    }
    print(context, service::audit_json(*audit), service::audit_text(*audit));
    context.exit_code = model::exit_status(audit->judgement());
  });
}

}  // namespace sluice::cli
