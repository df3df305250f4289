// SPDX-License-Identifier: Apache-2.0
// Faults in what is proposed for the conflicted commit. Each stands within ten lines of a conflict, on lines that no
// other rule looks at, so that one rule alone has something to say.
#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/text.h"
#include "service/canary/faults.h"
#include "service/canary/files.h"

namespace sluice::service::canary {
namespace {

constexpr const char* kernel = "lib/kernel.cpp";
constexpr const char* mixed = "lib/mix.cpp";

// Declares that `from` became `to` in a line of a file outside the conflict, so that G10 has nothing to say.
void declare_rename(Case& spoiled, std::size_t member, const std::string& path, std::string_view new_line, const std::string& from,
                    const std::string& to) {
  spoiled.proposal.members.at(member).account.push_back(entry("adapt", path, new_line, "API_RENAME", from + " " + to));
}

Result<void> clean_pick_changed(World& world, Case& spoiled) {
  TRY_ASSIGN(const auto text, world.reader().file(spoiled.proposal.members[1].tree, "docs/rows.md"));
  std::string changed = text.value_or("");
  const std::size_t at = changed.find("former");
  if (at == std::string::npos) return make_error(ErrorKind::internal, "canary: no such word");
  changed.replace(at, 6, "latter");
  TRY(world.put(spoiled, 1, "docs/rows.md", changed));
  declare_rename(spoiled, 1, "docs/rows.md", "The latter way counts columns.", "former", "latter");
  return {};
}

Result<void> file_outside(World& world, Case& spoiled) { return world.replace(spoiled, "docs/rows.md", "former", "latter"); }

Result<void> far_from_conflict(World& world, Case& spoiled) { return world.replace(spoiled, kernel, "  n += 24;\n", "  n += 42;\n"); }

Result<void> workflow_line(World& world, Case& spoiled) {
  return world.replace(spoiled, ".github/workflows/ci.yml", "      - run: build\n", "      - run: build-some\n");
}

Result<void> executable_bit(World& world, Case& spoiled) {
  TRY_ASSIGN(const std::string text, world.text(kernel));
  return world.put(spoiled, 0, kernel, text, 0100755);
}

Result<void> many_lines(World& world, Case& spoiled) {
  std::string lines = "  int tail = first + 4;\n";
  for (int i = 0; i < 64; ++i) lines += fmt::format("  // row {} of the table\n", i);
  return world.replace(spoiled, kernel, "  int tail = first + 4;\n", lines);
}

Result<void> pin_moved(World& world, Case& spoiled) {
  const std::string other = "def0123456789abc0123456789abc0123456789a";
  TRY(world.put(spoiled, 0, "cmake/llvm-hash.txt", other + "\n"));
  declare_rename(spoiled, 0, "cmake/llvm-hash.txt", other, std::string(pin), other);
  return {};
}

// U+202E, right-to-left override.
Result<void> bidi_control(World& world, Case& spoiled) {
  return world.replace(spoiled, kernel, "  int tail = first + 4;\n", "  int tail = first + 4;\n  // rows \xE2\x80\xAE swor\n");
}

Result<void> marker_left(World& world, Case& spoiled) {
  return world.replace(spoiled, kernel, "  int tail = first + 4;\n", "  int tail = first + 4;\n<<<<<<< ours\n");
}

Result<void> upstream_line_dropped(World& world, Case& spoiled) { return world.replace(spoiled, kernel, "  flush_rows(n);\n", ""); }

Result<void> upstream_removal_undone(World& world, Case& spoiled) {
  return world.replace(spoiled, kernel, "  int middle = first + 1;\n", "  drop_me(n);\n  int middle = first + 1;\n");
}

Result<void> fork_line_dropped(World& world, Case& spoiled) { return world.replace(spoiled, kernel, "  n = n & 7;\n", ""); }

// The line is neither side's own, so that its loss shows in the symbol alone.
Result<void> last_call_dropped(World& world, Case& spoiled) { return world.replace(spoiled, kernel, "  narrow_rows(n);\n", ""); }

Result<void> definition_dropped(World& world, Case& spoiled) { return world.replace(spoiled, kernel, "int limit_rows(int n) { return n; }\n", ""); }

Result<void> block_doubled(World& world, Case& spoiled) {
  const std::string block = "  int last = first + 2;\n  trace_rows(n);\n  count_rows(n);\n";
  return world.replace(spoiled, kernel, "  int more = first + 5;\n", block + "  int more = first + 5;\n");
}

Result<void> side_not_declared(World&, Case& spoiled) {
  auto& account = spoiled.proposal.members[0].account;
  if (std::erase_if(account, [](const auto& e) { return e.kind == "side_choice"; }) == 0) return make_error(ErrorKind::internal, "canary: no entry");
  return {};
}

Result<void> record_missing(World&, Case& spoiled) {
  spoiled.proposal.members[0].resolutions.pop_back();
  return {};
}

Result<void> invariant_broken(World& world, Case& spoiled) {
  return world.replace(spoiled, kernel, "  n = n + 1;  // keep_me\n", "  n = n + 1;\n");
}

Result<void> code_disabled(World& world, Case& spoiled) {
  return world.replace(spoiled, kernel, "  int tail = first + 4;\n", "#if 0\n  int tail = first + 4;\n#endif\n");
}

Result<void> name_from_nowhere(World& world, Case& spoiled) {
  return world.replace(spoiled, mixed, "call(alpha_up, beta_fork);\n", "call(alpha_up, beta_fork);\nzebra_stripes += 1;\n");
}

Result<void> longer_than_both(World& world, Case& spoiled) {
  return world.replace(spoiled, mixed, "call(alpha_up, beta_fork);\n",
                       "call(alpha_up, beta_fork);\nalpha_up += 1;\nbeta_fork += 2;\n");
}

// Upstream's line stands in the file, and no longer in the answer of the conflict.
Result<void> name_dropped(World& world, Case& spoiled) {
  TRY_ASSIGN(std::string text, world.text(kernel));
  const std::string own = "  count_rows(n);\n", after = "  int after = first + 3;\n";
  const std::size_t at = text.find(own + after);
  if (at == std::string::npos) return make_error(ErrorKind::internal, "canary: no such lines");
  text.replace(at, own.size() + after.size(), "  n += 1;\n" + after + own);
  return world.put(spoiled, 0, kernel, text);
}

Result<void> expected_failure(World& world, Case& spoiled) {
  return world.replace(spoiled, "test/lower.mlir", "// CHECK: base.one\n", "// XFAIL: *\n// CHECK: base.one\n");
}

Result<void> check_dropped(World& world, Case& spoiled) { return world.replace(spoiled, "test/lower.mlir", "// CHECK: base.two\n", ""); }

Result<void> tolerance_widened(World& world, Case& spoiled) { return world.replace(spoiled, "test/test_rows.py", "atol=1e-3", "atol=1e-2"); }

Result<void> looks_for_ci(World& world, Case& spoiled) {
  return world.replace(spoiled, kernel, "  int tail = first + 4;\n", "  int tail = first + 4;\n  if (getenv(\"CI\")) n = 0;\n");
}

Result<void> assert_removed(World& world, Case& spoiled) { return world.replace(spoiled, kernel, "  assert(n > 0);\n", ""); }

// In pieces, so that nobody who scans these sources takes it for a real one.
Result<void> token_added(World& world, Case& spoiled) {
  const std::string token = std::string("ghp") + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
  return world.replace(spoiled, kernel, "  int tail = first + 4;\n", "  int tail = first + 4;\n  // " + token + "\n");
}

constexpr Fault faults[] = {
    {"G02", "a pick without conflict is changed beside the merge", clean_pick_changed, "G68"},
    {"G10", "a file outside the conflict is changed", file_outside},
    {"G11", "a line far from the conflict is changed", far_from_conflict},
    {"G12", "a step of the CI configuration is changed", workflow_line},
    {"G13", "a source file becomes executable", executable_bit},
    {"G14", "64 lines are added for a conflict of two", many_lines},
    {"G15", "a pin gets a value that neither side has", pin_moved},
    {"G16", "a right-to-left override stands in a comment", bidi_control},
    {"G20", "a conflict marker is left", marker_left},
    {"G21", "a line that upstream adds is dropped", upstream_line_dropped},
    {"G22", "a line that upstream removes comes back", upstream_removal_undone},
    {"G23", "a line of the fork is dropped", fork_line_dropped},
    {"G24", "the last call of a function is dropped", last_call_dropped},
    {"G25", "the definition of a function in use is dropped", definition_dropped},
    {"G26", "three lines stand twice", block_doubled},
    {"G27", "the fork's side is taken without a word", side_not_declared},
    {"G28", "a conflict has no resolution record", record_missing},
    {"G29", "a line that an invariant names is gone", invariant_broken},
    {"G30", "code is switched off with #if 0", code_disabled},
    {"G31", "an answer holds a name that no side knows", name_from_nowhere},
    {"G32", "an answer is longer than both sides", longer_than_both},
    {"G33", "an answer lacks a name that upstream introduced", name_dropped},
    {"G40", "a test is marked XFAIL", expected_failure},
    {"G41", "a CHECK line is dropped", check_dropped},
    {"G45", "a tolerance grows from 1e-3 to 1e-2", tolerance_widened},
    {"G53", "code asks whether it runs in CI", looks_for_ci},
    {"G54", "an assert is removed", assert_removed},
    {"G61", "a token of a forge stands in a comment", token_added},
};

}  // namespace

std::span<const Fault> pick_faults() { return faults; }

}  // namespace sluice::service::canary
