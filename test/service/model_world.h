// SPDX-License-Identifier: Apache-2.0
// A fork, its upstream, and a stand-in model that answers their conflicts through a whole sync.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/file.h"
#include "service/model/model_ops.h"
#include "store/agent.h"
#include "test/agent/scripts.h"
#include "test/service/world.h"

namespace sluice::test {

// The fork adds a line where upstream changes the one beside it; both are wanted. `keys` holds a secret of the fork's.
inline const char* const narrowing = R"v(
  repo up
    put lib/narrow.cpp '#include "ir.h"\n\nint narrow(Value v) {\n  int width = v.width();\n  return clamp(width, 0, 8);\n}\n\nint unrelated() {\n  return 1;\n}\n'
    put test/narrow.mlir '// RUN: narrow %%s | check\n// CHECK: clamp\nfunc @narrow() {\n  return\n}\n'
    put keep.test 'ok\n'
    commit B 'narrow: first version'
  fork up down
    swap lib/narrow.cpp '  return clamp(width, 0, 8);\n' '  trace_narrow(width, "fork");\n  return clamp(width, 0, 8);\n'
    put config/keys.txt 'the key of the night build is kept in this very file\n'
    commit D 'narrow: trace it'
  at up
    swap lib/narrow.cpp '  return clamp(width, 0, 8);\n' '  return clamp(width, 0, max_width(v));\n'
    commit X 'narrow: the limit depends on the value (#12)'
    put lib/other.cpp 'int other() { return 2; }\n'
    commit Y 'other: a file of its own'
)v";

// `history` with a lit suite of one test that passes: lines of a model need a suite that is observed, not self-reported.
inline std::string with_lit(std::string history) {
  const std::string first = "repo up\n";
  history.insert(history.find(first) + first.size(),
                 "put lit.cfg.py 'import lit.formats, os\\nconfig.name = \"tiles\"\\nconfig.test_format = lit.formats.ShTest(True)\\n"
                 "config.suffixes = [\".lit\"]\\nconfig.test_exec_root = os.environ[\"SLUICE_BUILD\"] + \"/lit\"\\n'\n"
                 "put check.lit '# RUN: true\\n'\n");
  return history;
}
inline constexpr const char* lit_program = "/usr/lib/llvm-16/build/utils/lit/lit.py";
#define REQUIRE_LIT() \
  if (!core::exists(lit_program)) GTEST_SKIP() << "lit 16 is not installed (llvm-16-tools)"

inline std::string model_config(const ModelServer& server, const std::string& dialect = "messages", const std::string& more = "") {
  return fmt::format(
      "[model]\nprovider = \"{}\"\nmodel = \"test-model\"\nbase_url = \"{}\"\nauth = \"none\"\nidle_timeout = \"1s\"\n"
      "price = {{ input = 3, output = 15 }}\nmax_output_tokens = 4096\n{}\n[ladder]\ncandidate = \"off\"\nmodel = \"land\"\n"
      "[[suite]]\nid = \"lit\"\nkind = \"lit\"\nneeds = \"build\"\nresults = \"lit.json\"\ncommand = [\"/usr/bin/python3\", \"{}\", \"-o\", \"lit.json\", \"/src\"]\n",
      dialect == "messages" ? "anthropic" : "openai", server.url(), more, lit_program);
}

// The same where the model may only propose.
inline std::string proposing(std::string config) {
  const std::string land = "model = \"land\"";
  return config.replace(config.find(land), land.size(), "model = \"propose\"");
}

// The last unit of the report that waits for a person; empty = none.
inline std::string parked_unit(const service::SyncReport& report) {
  std::string out;
  for (const auto& unit : report.units)
    if (unit.state == model::UnitState::parked) out = unit.id;
  return out;
}

inline service::TakeOptions bare_take(const std::string& unit) {
  service::TakeOptions out;
  out.unit = unit;
  out.who = "pat";
  out.bare = true;
  return out;
}

inline service::ModelChoice choose(std::string model, std::string record = "") {
  service::ModelChoice out;
  out.model = std::move(model);
  out.record = std::move(record);
  return out;
}

// One sync, as a process of its own would do it.
inline service::SyncReport sync_with(World& w, service::ModelChoice choice = {}) {
  const auto app = w.open();
  choice.backoff_unit_ms = 1;
  app->model = choice;
  auto report = service::sync(*app, {});
  if (!report.ok()) throw std::runtime_error(report.error().message);
  return std::move(*report);
}

inline std::vector<store::TranscriptRow> runs_of(World& w) {
  const auto book = store::AgentStore::open(w.history.root() + "/store");
  if (!book.ok()) throw std::runtime_error(book.error().message);
  return *(*book)->transcripts();
}

}  // namespace sluice::test
