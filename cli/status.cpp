// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <memory>
#include <tuple>

#include "cli/command.h"
#include "cli/ledger_verbs.h"
#include "core/clock.h"

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

namespace {

// Scores what is new, so it writes; it fetches only when nothing was fetched yet.
void report_observed(Context& context, const std::string& since, const std::string& until) {
  service::ObserveOptions options;
  for (const auto& [text, to, flag] : {std::tuple{&since, &options.since, "--since"}, std::tuple{&until, &options.until, "--until"}}) {
    if (text->empty()) continue;
    const auto at = core::parse_utc(*text);
    if (!at.ok()) {
      context.exit_code = fail(context, make_error(at.error().kind, fmt::format("{}: {}", flag, at.error().message)));
      return;
    }
    *to = *at;
  }
  const auto sluice = open(context, service::Access::write);
  if (!sluice) return;
  auto remotes = service::known_remotes(*sluice);
  if (!remotes.ok() && remotes.error().kind == ErrorKind::not_found) remotes = service::fetch_remotes(*sluice);
  if (!remotes.ok()) {
    context.exit_code = fail(context, remotes.error());
    return;
  }
  const auto plan = service::look(*sluice, *remotes);
  const auto report = plan.ok() ? service::observe(*sluice, *plan, options) : Result<service::ObserveReport>(plan.error());
  end_progress();
  if (!report.ok()) {
    context.exit_code = fail(context, report.error());
    return;
  }
  print(context, service::observe_json(*sluice, *report), service::observe_text(*sluice, *report));
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("report", "what was picked, deferred and declined, in the fork's words; Markdown");
  struct Args {
    bool observe = false;
    std::string since, until;
  };
  auto args = std::make_shared<Args>();  // CLI11 keeps the addresses for the callback
  CLI::Option* observe = command->add_flag("--observe", args->observe, "what the team landed, scored against what sluice would have landed");
  command->add_option("--since", args->since, "from this day on (YYYY-MM-DD, UTC); default: the 30 days before the newest landing")->needs(observe);
  command->add_option("--until", args->until, "before this day")->needs(observe);
  command->callback([&context, args] {
    if (args->observe) {
      report_observed(context, args->since, args->until);
      return;
    }
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
