// SPDX-License-Identifier: Apache-2.0
// What all subcommands share: options, output, errors, exit status.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/json.h"
#include "core/result.h"
#include "service/service.h"

namespace CLI {
class App;
}

namespace sluice::cli {

// Exit status 2: usage or configuration.
inline constexpr int exit_usage = 2;
inline constexpr int exit_outside = 3;

struct Context {
  std::string config = "sluice.toml";
  bool json = false, quiet = false;
  int exit_code = 0;
  std::atomic<bool>* cancel = nullptr;  // set by SIGINT and SIGTERM; not owned
};

// Adds --config, --json, --quiet.
void add_common(CLI::App& command, Context& context);
// After all commands are added: the help of each names the options that all share.
void finish_help(CLI::App& app);
// stdout: one JSON document, or text.
void print(const Context& context, const core::Json& json, const std::string& text);
// errno of the first print() that was not written in full; 0 = all were.
int output_error();
// stderr: the error; with --json also one document on stdout. Returns the exit status that fits its kind.
int fail(const Context& context, const Error& error);
// One line on a terminal, rewritten in place, with the time that the step has taken; lines now and then
// elsewhere; nothing with --quiet.
service::Progress make_progress(const Context& context);
void end_progress();

// Opens the App of the configuration with progress and cancellation wired, or reports why not (sets
// context.exit_code) and returns nothing.
std::unique_ptr<service::App> open(Context& context, service::Access access);

// One file a command, each of which adds its subcommand.
// --model, --record, --frozen: for the commands in which a model may be asked.
void add_model_options(CLI::App& command, service::ModelChoice& choice);

void add_init(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_plan(CLI::App& app, Context& context);
void add_sync(CLI::App& app, Context& context);
void add_status(CLI::App& app, Context& context);
void add_ledger(CLI::App& app, Context& context);
void add_gate(CLI::App& app, Context& context);
void add_backtest(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_revert(CLI::App& app, Context& context);
void add_pick(CLI::App& app, Context& context);
void add_pause(CLI::App& app, Context& context);
void add_resume(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_audit(CLI::App& app, Context& context);
void add_model(CLI::App& app, Context& context);
void add_take(CLI::App& app, Context& context);
void add_submit(CLI::App& app, Context& context);

}  // namespace sluice::cli
