// SPDX-License-Identifier: Apache-2.0
// take and submit: a parked unit to a person, and the answer back.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "cli/command.h"
#include "core/file.h"
#include "core/process.h"

namespace sluice::cli {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string who_am_i() { return variable("USER").empty() ? "operator" : variable("USER"); }

// The editor of the person at the terminal; empty = nobody can be asked.
std::string editor() {
  if (!variable("SLUICE_EDITOR").empty()) return variable("SLUICE_EDITOR");
  if (::isatty(STDIN_FILENO) == 0) return "";
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (!variable(name).empty()) return variable(name);
  }
  return "vi";
}

Result<std::string> edit(const std::string& command, const std::string& name, const std::string& text) {
  TRY_ASSIGN(const auto dir, core::TempDir::create("sluice-edit"));
  const std::string path = core::join_path(dir.path(), name);
  TRY(core::write_file(path, text));
  end_progress();
  // The variable is a command line, as git's is; the file is its last word.
  const int status = std::system((command + " " + core::shell_quote({path})).c_str());  // NOLINT: the person's own editor
  if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return make_error(ErrorKind::transient, fmt::format("the editor `{}` ended with a failure", command));
  }
  return core::read_file(path, 1u << 20);
}

}  // namespace

void add_take(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("take", "a parked unit becomes yours: a work tree with the raw conflict, and the drafts of the rungs");
  auto options = std::make_shared<service::TakeOptions>();  // CLI11 keeps the addresses for the callback
  options->who = who_am_i();
  command->add_option("unit", options->unit, "the unit, as `sluice status` lists it")->required();
  command->add_option("--who", options->who, "who takes it")->capture_default_str();
  CLI::Option* dir = command->add_option("--work-tree", options->work_tree, "an absent or empty directory for the work tree (default: ./UNIT)");
  command->add_flag("--bare", options->bare, "no work tree: only the branch, in the store's repository")->excludes(dir);
  CLI::Option* refresh = command->add_flag("--refresh", options->refresh, "yours already: again, on the present trunk; your commits stay on a branch of their own");
  CLI::Option* release = command->add_flag("--release", options->release, "give it back: it is parked again");
  CLI::Option* steal = command->add_flag("--steal", options->steal, "take it over from somebody else; needs --reason");
  command->add_option("--reason", options->reason, "why it is given back or taken over");
  refresh->excludes(release)->excludes(steal);
  command->footer(
      "sluice leaves a taken unit alone until it is submitted or given back. Conflict markers are 31 characters wide.\n"
      "The text ends with the commands to go on with. Exit status: 0 done; 2 no such unit; 3 it is not parked, or\n"
      "somebody else's.");
  command->callback([&context, options] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    const auto report = service::take(*sluice, *options);
    end_progress();
    if (!report.ok()) {
      context.exit_code = fail(context, report.error());
      return;
    }
    print(context, service::take_json(*report), service::take_text(*sluice, *report));
  });
}

void add_submit(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("submit", "brings your answer to a taken unit back: judged like any other, then landed");
  auto options = std::make_shared<service::SubmitOptions>();  // CLI11 keeps the addresses for the callback
  options->who = who_am_i();
  command->add_option("unit", options->unit, "the unit; may be left out when one is taken");
  command->add_option("--who", options->who, "who took it")->capture_default_str();
  command->add_option("--from", options->from, "the commit to submit (default: HEAD of the work tree, which must be clean)");
  command->add_option("--account", options->account_file, "accounting entries, a JSON file: what became of each line that is missing");
  command->add_flag("--account-template", options->account_template, "print the entries that are missing, ready to fill in; submit nothing");
  command->footer(
      "The editor of SLUICE_EDITOR, VISUAL or EDITOR asks for what must be explained, line by line, when stdin is a terminal\n"
      "or SLUICE_EDITOR is set. A refused answer stays yours.\n"
      "Exit status: 0 landed; 1 refused, or a later commit of the unit conflicts; 2 usage, or something unfinished;\n"
      "3 not decided, an outside failure; 4 a rule wants another person.");
  command->callback([&context, options] {
    const auto sluice = open(context, service::Access::write);
    if (!sluice) return;
    if (const std::string program = editor(); !program.empty()) {
      options->ask = [program](const std::string& name, const std::string& text) { return edit(program, name, text); };
    }
    const auto report = service::submit(*sluice, *options);
    end_progress();
    if (!report.ok()) {
      context.exit_code = fail(context, report.error());
      return;
    }
    print(context, service::submit_json(*report), service::submit_text(*sluice, *report));
    context.exit_code = report->exit_code();
  });
}

}  // namespace sluice::cli
