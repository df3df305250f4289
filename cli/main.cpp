// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

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
    "  sluice plan                             where every pending commit would go, and why; changes "
    "nothing\n"
    "  sluice sync --dry-run                   what a cycle would do\n"
    "  sluice sync                             one cycle: pick, judge, land\n"
    "  sluice status                           the two metrics, and what waits for a person\n"
    "  sluice take UNIT, sluice submit         resolve what is parked, and bring the answer back\n"
    "  sluice pause --reason TEXT              nothing lands until `sluice resume`\n\n"
    "Other names for the same things: pick = cherry-pick, integrate; bundle = roll, batch; chain = stack;\n"
    "pin lane = LLVM bump; back-out = record of a revert.\n\n"
    "Exit status: 0 done; 2 usage or configuration; doctor: 3 something to fix first; plan, sync, pick, revert: 3\n"
    "an outside failure left work undone (or it is stopped or refused), 4 something new waits for a person; gate,\n"
    "submit, audit verify: 1 explain or block, 3 unresolved, 4 escalate.";

// CLI11 reports a missing command before the word it could not place, and names neither program nor help.
int fail_usage(const sluice::cli::Context& context, const CLI::App& app, const CLI::ParseError& error) {
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
    text = left.empty() ? "a command is needed, `sluice plan` for one"
                        : "\"" + left.front() + "\" is neither a command nor an option";
  }
  text = fmt::format("{}; `{} --help` says what there is", text, name);
  return sluice::cli::fail(context, sluice::make_error(sluice::ErrorKind::invalid, text));
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
  sluice::cli::add_pick(app, context);
  sluice::cli::add_revert(app, context);
  sluice::cli::add_pause(app, context);
  sluice::cli::add_resume(app, context);
  sluice::cli::add_status(app, context);
  sluice::cli::add_ledger(app, context);
  sluice::cli::add_gate(app, context);
  sluice::cli::add_backtest(app, context);
  sluice::cli::add_calibrate(app, context);
  sluice::cli::add_model(app, context);
  sluice::cli::add_report(app, context);
  sluice::cli::add_audit(app, context);
  sluice::cli::add_take(app, context);
  sluice::cli::add_submit(app, context);
  sluice::cli::finish_help(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 has its own numbers; ours is 2 for every misuse, 0 for help and version.
    if (error.get_exit_code() == 0) return app.exit(error);
    // What was parsed before the error is not told; whoever wants JSON wants it of this, too.
    context.json = std::any_of(argv + 1, argv + argc,
                               [](const char* word) { return std::string_view(word) == "--json"; });
    return fail_usage(context, app, error);
  } catch (const std::exception& error) {
    sluice::cli::end_progress();
    std::fprintf(stderr, "sluice: bug: %s; please report it with the command line\n", error.what());
    return sluice::cli::exit_outside;
  }
  sluice::cli::end_progress();
  // What a script did not get in full it must not take for an answer.
  if (const int error = sluice::cli::output_error(); error != 0) {
    if (error != EPIPE) std::fprintf(stderr, "sluice: cannot write the output: %s\n", std::strerror(error));
    return sluice::cli::exit_outside;
  }
  return context.exit_code;
}
