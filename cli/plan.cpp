// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>

#include "cli/command.h"

namespace sluice::cli {

void add_plan(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "plan", "where every pending upstream commit would go, and why; writes nothing outside the store");
  auto explain = std::make_shared<std::string>();  // CLI11 keeps the address for the callback below
  auto offline = std::make_shared<bool>(false);
  command->add_option("--explain", *explain, "everything about one commit (full or abbreviated id)");
  command->add_flag("--no-fetch", *offline, "work with what was fetched last");
  command->callback([&context, explain, offline] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    if (const auto begun = service::refuse_new_beginning(*sluice); !begun.ok()) {
      context.exit_code = fail(context, begun.error());
      return;
    }
    auto remotes = *offline ? service::known_remotes(*sluice) : service::fetch_remotes(*sluice);
    if (!remotes.ok()) {
      context.exit_code = fail(context, remotes.error());
      return;
    }
    auto document = service::plan_document(*sluice, *remotes);
    end_progress();
    if (!document.ok()) {
      context.exit_code = fail(context, document.error());
      return;
    }
    if (!explain->empty()) {
      const auto text = service::explain_text(*sluice, *document, *explain);
      if (!text.ok()) {
        context.exit_code = fail(context, text.error());
        return;
      }
      print(context, *document, *text);
    } else {
      std::string text = service::plan_text(*document);
      const auto& units = (*document)["units"].items();
      if (std::any_of(units.begin(), units.end(),
                      [](const core::Json& unit) { return unit["state"].as_string() != "parked"; })) {
        text += fmt::format(
            "\nnext: `sluice plan --explain OID` for one commit; `sluice sync` picks and judges{}\n",
            sluice->config.autonomy == model::Autonomy::land
                ? " them, and lands what is cleared"
                : " them; autonomy is observe, so it lands nothing");
      }
      print(context, *document, text);
    }
    if (remotes->upstream_stale) context.exit_code = exit_outside;
  });
}

}  // namespace sluice::cli
