// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <memory>

#include "cli/command.h"
#include "cli/ledger_verbs.h"

namespace sluice::cli {

namespace {

using Show = std::function<void(service::App&, const service::Plan&)>;

// status, ledger and report look at what is stored; they fetch nothing and wait for nobody.
void look_and(Context& context, const Show& show) {
  const auto sluice = open(context, service::Access::read);
  if (!sluice) return;
  const auto remotes = service::known_remotes(*sluice);
  if (!remotes.ok()) {
    context.exit_code = fail(context, remotes.error());
    return;
  }
  const auto plan = service::look(*sluice, *remotes);
  end_progress();
  if (!plan.ok()) {
    context.exit_code = fail(context, plan.error());
    return;
  }
  show(*sluice, *plan);
}

}  // namespace

void add_status(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("status", "the two metrics, both pins, units and their states, age of the last good fetch");
  command->callback([&context] {
    look_and(context, [&](service::App& sluice, const service::Plan& plan) {
      print(context, service::status_json(sluice, plan), service::status_text(sluice, plan));
    });
  });
}

void add_report(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("report", "what was picked, deferred and declined, in the fork's words; Markdown");
  command->callback([&context] {
    look_and(context, [&](service::App& sluice, const service::Plan& plan) {
      print(context, service::report_json(sluice, plan), service::report_markdown(sluice, plan));
    });
  });
}

void add_ledger(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("ledger", "every upstream commit's disposition; adopt, defer, wont-port, back-out, reopen; rebuild");
  command->require_subcommand(0, 1);
  struct Args {
    std::string upstream, downstream, reason, task, who;
  };
  auto args = std::make_shared<Args>();  // CLI11 keeps the addresses for the callbacks
  const char* user = std::getenv("USER");
  args->who = user != nullptr && *user != '\0' ? user : "operator";

  CLI::App* list = command->add_subcommand("list", "the ledger, oldest first (also without a verb)");
  const auto show = [&context] {
    look_and(context, [&](service::App& sluice, const service::Plan& plan) {
      print(context, service::ledger_json(plan, sluice.clock.now()), service::ledger_text(sluice, plan));
    });
  };
  list->callback(show);
  command->callback([command, show] {
    if (command->get_subcommands().empty()) show();
  });

  const char* why = "why, for whoever reads the ledger later; needed";
  const auto verb = [&](const char* name, const char* help, const char* reason_help, auto&& act) {
    CLI::App* sub = command->add_subcommand(name, help);
    sub->add_option("upstream", args->upstream, "upstream commit, full or abbreviated id")->required();
    sub->add_option("--reason", args->reason, reason_help);
    sub->add_option("--who", args->who, "who decides")->capture_default_str();
    sub->callback([&context, args, act] {
      const auto sluice = open(context, service::Access::write);
      if (!sluice) return;
      const Result<void> done = act(*sluice, *args);
      const auto row = done.ok() ? service::ledger_row(*sluice, args->upstream) : Result<model::LedgerRow>(done.error());
      if (!row.ok()) {
        context.exit_code = fail(context, row.error());
        return;
      }
      print(context, service::ledger_change_json(*row), service::ledger_change_text(*sluice, *row));
    });
    return sub;
  };
  CLI::App* adopt = verb("adopt", "a pick made by hand: names the fork commit that carries it", "default: picked by hand", [](service::App& s, const Args& a) {
    return service::adopt(s, a.upstream, a.downstream, a.reason, a.who);
  });
  adopt->add_option("downstream", args->downstream, "the fork commit, on trunk")->required();
  CLI::App* defer = verb("defer", "not now: counts in the backlog", why, [](service::App& s, const Args& a) {
    return service::defer(s, a.upstream, a.task, a.reason, a.who);
  });
  defer->add_option("--task", args->task, "the task that tracks it");
  verb("wont-port", "never: settled, with the reason; can be changed later by defer or adopt", why, [](service::App& s, const Args& a) {
    return service::wont_port(s, a.upstream, a.reason, a.who);
  });
  add_ledger_verbs(*command, context);
}

}  // namespace sluice::cli
