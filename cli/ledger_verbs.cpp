// SPDX-License-Identifier: Apache-2.0
#include "cli/ledger_verbs.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"

namespace sluice::cli {

namespace {

std::string user_name() {
  const char* user = std::getenv("USER");
  return user != nullptr && *user != '\0' ? user : "operator";
}

void add_back_out(CLI::App& ledger, Context& context) {
  struct Args {
    service::BackOut what;
    std::string review, who = user_name();
  };
  auto args = std::make_shared<Args>();  // CLI11 keeps the addresses for the callback
  CLI::App* sub = ledger.add_subcommand("back-out", "records what somebody reverted on trunk: counts in the backlog until it is back");
  sub->add_option("upstream", args->what.upstream, "upstream commits whose picks were taken back")->required();
  sub->add_option("--commit", args->what.commit, "the fork commit that took them back, on trunk")->required();
  sub->add_option("--reason", args->what.reason, "why")->required();
  sub->add_option("--owner", args->what.owner, "who brings it back, or decides")->required();
  sub->add_option("--review", args->review, "day on which somebody looks again, YYYY-MM-DD")->required();
  sub->add_option("--task", args->what.task, "the task that tracks it");
  sub->add_option("--who", args->who, "who records it")->capture_default_str();
  sub->callback([&context, args] {
    const auto day = core::parse_utc(args->review);
    if (!day.ok()) {
      context.exit_code = fail(context, make_error(ErrorKind::invalid, "--review: " + day.error().message));
      return;
    }
    args->what.review_at = *day;
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    if (const auto done = service::back_out(*sluice, args->what, args->who); !done.ok()) {
      context.exit_code = fail(context, done.error());
      return;
    }
    core::Json rows = core::Json::array();
    std::string text;
    for (const std::string& upstream : args->what.upstream) {
      const auto row = service::ledger_row(*sluice, upstream);
      if (!row.ok()) continue;
      rows.push(service::ledger_change_json(*row));
      text += service::ledger_change_text(*sluice, *row);
    }
    print(context, core::Json::object({{"schema", "sluice.ledger-changes/1"}, {"rows", std::move(rows)}}), text);
  });
}

void add_reopen(CLI::App& ledger, Context& context) {
  struct Args {
    std::string upstream, reason, who = user_name();
  };
  auto args = std::make_shared<Args>();
  CLI::App* sub = ledger.add_subcommand("reopen", "deferred, won't-port or backed out: pending again, the next plan takes it up");
  sub->add_option("upstream", args->upstream, "upstream commit, full or abbreviated id")->required();
  sub->add_option("--reason", args->reason, "why; needed");
  sub->add_option("--who", args->who, "who decides")->capture_default_str();
  sub->callback([&context, args] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    const auto done = service::reopen(*sluice, args->upstream, args->reason, args->who);
    const auto row = done.ok() ? service::ledger_row(*sluice, args->upstream) : Result<model::LedgerRow>(done.error());
    if (!row.ok()) {
      context.exit_code = fail(context, row.error());
      return;
    }
    print(context, service::ledger_change_json(*row), service::ledger_change_text(*sluice, *row));
  });
}

void add_rebuild(CLI::App& ledger, Context& context) {
  auto options = std::make_shared<service::RebuildOptions>();
  CLI::App* sub = ledger.add_subcommand("rebuild", "makes a lost store again, from refs/sluice/ledger and the fork's history");
  sub->add_flag("--replace", options->replace, "the store holds rows: keep its database beside and begin anew");
  sub->add_flag("--history-only", options->history_only, "leave refs/sluice/ledger aside");
  sub->callback([&context, options] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    const auto report = service::rebuild_ledger(*sluice, *options);
    end_progress();
    if (!report.ok()) {
      context.exit_code = fail(context, report.error());
      return;
    }
    print(context, service::rebuild_json(*report), service::rebuild_text(*report));
  });
}

void add_rewritten(CLI::App& ledger, Context& context) {
  struct Args {
    bool apply = false;
    std::string who = user_name();
  };
  auto args = std::make_shared<Args>();
  CLI::App* sub = ledger.add_subcommand("rewritten", "upstream was force-pushed: which new commit is which old one");
  sub->add_flag("--apply", args->apply, "move ledger, units and positions to the new ids");
  sub->add_option("--who", args->who, "who decides")->capture_default_str();
  sub->callback([&context, args] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    const auto report = service::map_rewritten(*sluice, args->apply, args->who);
    end_progress();
    if (!report.ok()) {
      context.exit_code = fail(context, report.error());
      return;
    }
    print(context, service::rewritten_json(*report), service::rewritten_text(*report));
  });
}

}  // namespace

void add_ledger_verbs(CLI::App& ledger, Context& context) {
  add_back_out(ledger, context);
  add_reopen(ledger, context);
  add_rebuild(ledger, context);
  add_rewritten(ledger, context);
}

}  // namespace sluice::cli
