// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <memory>

#include "cli/command.h"

namespace sluice::cli {

namespace {

std::string user_name() {
  const char* user = std::getenv("USER");
  return user != nullptr && *user != '\0' ? user : "operator";
}

}  // namespace

void add_pause(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("pause", "nothing lands from now on, also in a sync that is at work");
  struct Args {
    std::string reason, until, who = user_name();
  };
  auto args = std::make_shared<Args>();  // CLI11 keeps the addresses for the callback
  command->add_option("--reason", args->reason, "why, for whoever finds sluice paused; needed");
  command->add_option("--until", args->until, "goes on by itself then: 2027-01-31, or 2027-01-31T08:00:00Z");
  command->add_option("--who", args->who, "who pauses")->capture_default_str();
  command->footer("A sync at work ends at its next step; the suite that runs is let finish. `sluice resume` goes on.\n"
                  "Without this program the same is done by a branch `sluice-stop` on the fork's remote.");
  command->callback([&context, args] {
    const auto pause = service::pause_line(context.config, args->reason, args->who, args->until);
    if (!pause.ok()) {
      context.exit_code = fail(context, pause.error());
      return;
    }
    const std::string words = service::pause_words(*pause);
    print(context, core::Json::object({{"schema", "sluice.pause/1"}, {"paused", words}}), words + "\n");
  });
}

void add_resume(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("resume", "ends a pause; the next sync goes on where the last one stopped");
  auto who = std::make_shared<std::string>(user_name());
  command->add_option("--who", *who, "who resumes")->capture_default_str();
  command->callback([&context, who] {
    std::string still;
    const auto was = service::resume_line(context.config, *who, still);
    if (!was.ok()) {
      context.exit_code = fail(context, was.error());
      return;
    }
    std::string text = *was ? "no longer paused\n" : "nothing was paused\n";
    if (!still.empty()) text += "landing is stopped all the same: " + still + "\n";
    print(context, core::Json::object({{"schema", "sluice.pause/1"}, {"paused", still.empty() ? core::Json(false) : core::Json(still)}}), text);
  });
}

}  // namespace sluice::cli
