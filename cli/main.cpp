// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "cli/command.h"

namespace {

std::atomic<bool> cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// The first signal asks: the step under way ends cleanly. The second ends the process.
extern "C" void on_signal(int signal) {
  if (cancelled.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

constexpr const char* description =
    "sluice keeps a downstream fork in step with its upstream.\n\n"
    "It takes upstream commits as they appear, puts the safe ones into bundles and the risky ones into\n"
    "chains, picks them onto the fork, and lands only what the guardrails have cleared.\n\n"
    "First steps:\n"
    "  sluice init --upstream URL --fork URL   look at both repositories and write sluice.toml\n"
    "  sluice doctor                           what this machine can do, and what to fix\n"
    "  sluice plan                             where every pending commit would go, and why; changes nothing\n"
    "  sluice sync --dry-run                   what a cycle would do\n"
    "  sluice sync                             one cycle: pick, judge, land\n"
    "  sluice status                           the two metrics, and what waits for a person\n\n"
    "Other names for the same things: pick = cherry-pick, integrate; bundle = roll, batch; chain = stack;\n"
    "pin lane = LLVM bump; back-out = record of a revert.\n\n"
    "Exit status: 0 done; 2 usage or configuration; plan, sync: 3 an outside failure left work undone, 4 something\n"
    "new waits for a person; gate: 1 explain or block, 3 unresolved, 4 escalate.";

// CLI11 reports a missing command before the word it could not place, and names neither program nor help.
int fail_usage(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::string name = "sluice";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  const auto left = app.remaining(true);
  std::string text = error.what();
  const bool no_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr || !left.empty();
  if (command == &app && no_command) {
    text = left.empty() ? "a command is needed, `sluice plan` for one" : "\"" + left.front() + "\" is neither a command nor an option";
  }
  std::fprintf(stderr, "sluice: %s; `%s --help` says what there is\n", text.c_str(), name.c_str());
  return sluice::cli::exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGPIPE, SIG_IGN);
  sluice::cli::Context context;
  context.cancel = &cancelled;
  CLI::App app{description, "sluice"};
  app.require_subcommand(1);
  app.set_version_flag("--version", SLUICE_VERSION);
  app.set_help_all_flag("--help-all", "help of every command");
  sluice::cli::add_common(app, context);
  app.fallthrough();
  sluice::cli::add_init(app, context);
  sluice::cli::add_doctor(app, context);
  sluice::cli::add_plan(app, context);
  sluice::cli::add_sync(app, context);
  sluice::cli::add_status(app, context);
  sluice::cli::add_ledger(app, context);
  sluice::cli::add_gate(app, context);
  sluice::cli::add_report(app, context);
  sluice::cli::finish_help(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has its own numbers; ours is 2 for every misuse, 0 for help and version.
    return error.get_exit_code() == 0 ? app.exit(error) : fail_usage(app, error);
  } catch (const std::exception& error) {
    sluice::cli::end_progress();
    std::fprintf(stderr, "sluice: bug: %s; please report it with the command line\n", error.what());
    return sluice::cli::exit_outside;
  }
  sluice::cli::end_progress();
  return context.exit_code;
}
