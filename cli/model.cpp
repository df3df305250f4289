// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

#include "cli/command.h"

namespace sluice::cli {

namespace {

void add_preview(CLI::App& model, Context& context) {
  CLI::App* command = model.add_subcommand("preview", "the exact bytes that would be sent about a unit's conflict; sends nothing");
  auto unit = std::make_shared<std::string>();
  command->add_option("unit", *unit, "the unit, as `sluice plan` and `sluice status` list it")->required();
  command->footer("Exit status: 0 printed; 2 no such unit, or no model would be asked: why; 3 it may not be sent.");
  command->callback([&context, unit] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    const auto bytes = service::preview_unit(*sluice, *unit);
    end_progress();
    if (!bytes.ok()) {
      context.exit_code = fail(context, bytes.error());
      return;
    }
    print(context, core::Json::object({{"schema", "sluice.model_preview/1"}, {"unit", *unit}, {"body", *bytes}}), *bytes + "\n");
  });
}

void add_list(CLI::App& model, Context& context, const char* name, const char* help, bool sent) {
  CLI::App* command = model.add_subcommand(name, help);
  command->callback([&context, sent] {
    const auto sluice = open(context, service::Access::read);
    if (!sluice) return;
    const auto state = service::model_state(*sluice);
    if (!state.ok()) {
      context.exit_code = fail(context, state.error());
      return;
    }
    print(context, service::model_json(*state), service::model_text(*state, sent));
  });
}

void add_reset(CLI::App& model, Context& context) {
  CLI::App* command = model.add_subcommand("reset", "closes the breaker of an endpoint: it is asked again");
  auto endpoint = std::make_shared<std::string>();
  command->add_option("endpoint", *endpoint, "its name (default: all)");
  command->callback([&context, endpoint] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    const auto closed = service::reset_breakers(*sluice, *endpoint);
    if (!closed.ok()) {
      context.exit_code = fail(context, closed.error());
      return;
    }
    print(context, core::Json::object({{"schema", "sluice.model_reset/1"}, {"closed", static_cast<std::int64_t>(*closed)}}),
          *closed == 0 ? std::string("no breaker was open\n") : fmt::format("{} closed\n", *closed));
  });
}

}  // namespace

void add_model_options(CLI::App& command, service::ModelChoice& choice) {
  command.add_option("--model", choice.model, "which model answers what no rule does: an endpoint of the configuration, none, or replay:DIR");
  command.add_option("--record", choice.record, "write every exchange with the model into this directory");
  command.add_flag("--frozen", choice.frozen, "with replay: answers in the recorded order, whatever is asked");
}

void add_model(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("model", "the model: what would be sent, what was, what it cost");
  command->require_subcommand(1);
  add_preview(*command, context);
  add_list(*command, context, "runs", "its runs, with outcome and cost, and what was spent", false);
  add_list(*command, context, "sent", "every path of which a line was ever sent", true);
  add_reset(*command, context);
}

}  // namespace sluice::cli
