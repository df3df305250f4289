// SPDX-License-Identifier: Apache-2.0
// A pick with conflicts, and everything that a run of a model needs around it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/loop/loop.h"
#include "core/clock.h"
#include "prompts/prompts.h"
#include "store/agent.h"
#include "test/ingest/world.h"
#include "tools/tools.h"

namespace sluice::agent::testing {

using ingest::testing::must;
using test_support::History;

// Two conflicts in a source file, one in a test, and a file that only the fork has.
inline const char* const lowering = R"~(
  repo up
  put lib/lower.cpp '#include "ir.h"\n\nnamespace lower {\n\n// Emits one load.\nvoid emit_load(Block& b, Type t) {\n  b.add(Op::load, t);\n}\n\n// Emits one store.\nvoid emit_store(Block& b, Type t) {\n  b.add(Op::store, t);\n}\n\n// Emits both.\nvoid emit_copy(Block& b, Type t) {\n  emit_load(b, t);\n  emit_store(b, t);\n}\n\n// One.\nint one() { return 1; }\n// Two.\nint two() { return 2; }\n// Three.\nint three() { return 3; }\n// Four.\nint four() { return 4; }\n\n}  // namespace lower\n'
  put test/lower.mlir '// RUN: lower %%s | check\n// CHECK: load\n// CHECK: store\nfunc @copy() {\n  return\n}\n'
  put test/test_lower.py 'def test_copy():\n    assert close(run(), expected(), atol=1e-6)\n'
  commit B 'lower: first version'
  fork up down
  swap lib/lower.cpp 'void emit_load(Block& b, Type t) {\n  b.add(Op::load, t);\n}' 'void emit_load(Block& b, Type t) {\n  b.trace("load");\n  b.add(Op::load, t);\n}'
  swap lib/lower.cpp '  emit_load(b, t);\n  emit_store(b, t);\n' '  b.trace("copy");\n  emit_load(b, t);\n  emit_store(b, t);\n'
  put config/keys.txt 'the key of the night build: hunter2hunter2hunter2\n'
  commit D 'lower: trace what is emitted'
  at up
  swap lib/lower.cpp 'void emit_load(Block& b, Type t) {\n  b.add(Op::load, t);\n}' 'void emit_load(Block& b, Type t, Align a) {\n  b.add(Op::load, t, a);\n}'
  swap lib/lower.cpp '  emit_load(b, t);\n  emit_store(b, t);\n' '  emit_load(b, t, Align::natural);\n  emit_store(b, t);\n'
  commit X 'lower: loads know their alignment (#12)\n\nEvery caller of emit_load says which.'
)~";

// Checks as a function of the draft: what the run is told. verify() says of every entry what it was told to say.
class ScriptedChecks : public tools::Checks {
 public:
  using Find = std::function<std::vector<tools::Finding>(tools::Level, const tools::Draft&)>;
  explicit ScriptedChecks(Find find = {}, std::string false_because = "") : find_(std::move(find)), false_because_(std::move(false_because)) {}
  Result<std::vector<tools::Finding>> findings(tools::Level level, const tools::Draft& draft) override {
    return find_ ? find_(level, draft) : std::vector<tools::Finding>();
  }
  Result<std::string> verify(const model::AccountEntry&, const tools::Draft&) override { return false_because_; }
  Result<std::optional<std::string>> run_driver(const model::ResolverConfig&, const tools::DriverFiles&) override {
    return std::optional<std::string>();
  }

 private:
  Find find_;
  std::string false_because_;
};

// The pick of `name` onto D, ready to be answered. Copies of one may be answered side by side.
class Conflict {
 public:
  explicit Conflict(const std::string& script = lowering, const std::string& name = "X") : history(script), repository(history) {
    repository.read_all();
    auto picker = must(git::Picker::open(repository.repo, {}));
    pick = picker.pick(history.id(name), history.tree("D"));
    if (pick.status != model::PickStatus::conflict) throw std::runtime_error("the pick has no conflict");
    world.reader = &repository.repo.reader();
    world.upstream = repository.facts(name);
    world.base_tree = must(world.reader->tree_of(world.upstream.parent));
    world.ours_tree = history.tree("D");
    world.theirs_tree = world.upstream.tree;
    world.merged_tree = pick.tree;
    world.onto_commit = history.id("D");
    world.conflicts = pick.conflicts;
  }

  History history;
  ingest::testing::World repository;
  model::Pick pick;
  tools::World world;
};

inline model::EndpointConfig endpoint() {
  model::EndpointConfig e;
  e.name = "test";
  e.provider = "anthropic";
  e.dialect = "messages";
  e.base_url = "http://127.0.0.1:1";
  e.model = "test-model";
  e.auth = "none";
  e.can_force_tool = true;
  e.max_output_tokens = 4096;
  e.price_input = 3'000'000;
  e.price_output = 15'000'000;
  return e;
}

inline tools::Toolbox toolbox(const tools::World& world, tools::Buffer& buffer, tools::Checks& checks) {
  return must(tools::Toolbox::open(world, buffer, checks, prompts::tool_descriptions()));
}

}  // namespace sluice::agent::testing
