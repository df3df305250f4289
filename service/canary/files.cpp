// SPDX-License-Identifier: Apache-2.0
#include "service/canary/files.h"

#include <algorithm>

#include "service/canary/world.h"

namespace sluice::service::canary {
namespace {

std::string only(bool here, std::string_view lines) { return std::string(here ? lines : std::string_view()); }

// Both sides insert at one place (after `last`); upstream removes a line above it and adds one below; the fork has
// a line of its own. All of it within ten lines of the conflict, but for far().
std::string kernel(Side side) {
  const bool fork = side == Side::fork, upstream = side == Side::upstream;
  std::string out =
      "int limit_rows(int n) { return n; }\n"
      "int narrow_rows(int n) { return n & 3; }\n"
      "int lower(int n) {\n"
      "  n = n + 1;  // keep_me\n"
      "  assert(n > 0);\n"
      "  int first = limit_rows(n);\n"
      "  narrow_rows(n);\n";
  out += only(!upstream, "  drop_me(n);\n");
  out += "  int middle = first + 1;\n  int last = first + 2;\n";
  out += only(fork, "  trace_rows(n);\n") + only(upstream, "  count_rows(n);\n");
  out += "  int after = first + 3;\n  int tail = first + 4;\n";
  out += only(upstream, "  flush_rows(n);\n");
  out += "  int more = first + 5;\n";
  out += only(fork, "  n = n & 7;\n");
  out += "  int rest = first + 6;\n  return rest;\n}\n\nint far(int n) {\n";
  for (int i = 11; i < 26; ++i) out += "  n += " + std::to_string(i) + ";\n";
  return out + "  return n;\n}\n";
}

std::string table(Side side) {
  const std::string size = side == Side::fork ? "9" : side == Side::upstream ? "16" : "8";
  // Upstream's value stands in the fork's file already, at another place.
  return "int before = 1;\nint size = " + size + ";\nint after = 2;\n" + only(side == Side::fork, "void wide() {\n  int size = 16;\n}\n");
}

std::string mix(Side side) {
  return "int head = 1;\ncall(" + std::string(side == Side::upstream ? "alpha_up" : "alpha") + ", " +
         (side == Side::fork ? "beta_fork" : "beta") + ");\nint foot = 2;\n";
}

std::string lit_test(Side side) {
  return "// RUN: tool %s | FileCheck %s\n// CHECK: base.one\n// CHECK: base.two\n" + only(side == Side::fork, "// CHECK: fork.op\n") +
         only(side == Side::upstream, "// CHECK: upstream.op\n") + "// CHECK: base.three\n";
}

std::string python_test(Side side) {
  return "def test_rows():\n    for seed in range(10):\n        assert close(rows(seed), reference(seed), atol=1e-3)\n" +
         only(side == Side::fork, "    assert own_rows() == 1\n") + only(side == Side::upstream, "    assert counted_rows() == 2\n");
}

std::string workflow(Side side) {
  return "jobs:\n  test:\n    steps:\n      - run: build\n" + only(side == Side::fork, "      - run: fork-lint\n") +
         only(side == Side::upstream, "      - run: up-lint\n") + "      - run: test\n";
}

constexpr Answer answers[] = {
    {"lib/kernel.cpp", "both", ""},
    {"lib/table.cpp", "ours", "int size = 9;\n"},
    {"lib/mix.cpp", "mixed", "call(alpha_up, beta_fork);\n"},
    {"test/lower.mlir", "both", ""},
    {"test/test_rows.py", "both", ""},
    {".github/workflows/ci.yml", "both", ""},
};

}  // namespace

std::vector<File> files_of(Side side) {
  return {{"lib/kernel.cpp", kernel(side)},
          {"lib/table.cpp", table(side)},
          {"lib/mix.cpp", mix(side)},
          {"test/lower.mlir", lit_test(side)},
          {"test/test_rows.py", python_test(side)},
          {".github/workflows/ci.yml", workflow(side)},
          {"cmake/llvm-hash.txt", std::string(pin) + "\n"},
          {"docs/rows.md", "Rows\n\nOne row is a line.\n\nThe former way counts columns.\n\nEnd.\n"}};
}

std::vector<File> later_files() { return {{"docs/rows.md", "Rows\n\nOne row is a line of the tile.\n\nThe former way counts columns.\n\nEnd.\n"}}; }

const Answer* answer_for(std::string_view path) {
  const auto found = std::find_if(std::begin(answers), std::end(answers), [&](const Answer& a) { return a.path == path; });
  return found == std::end(answers) ? nullptr : found;
}

std::vector<model::AccountEntry> answer_entries() {
  return {entry("upstream_added", "lib/mix.cpp", "call(alpha_up, beta);", "RENAMED", "beta beta_fork"),
          entry("downstream_lost", "lib/mix.cpp", "call(alpha, beta_fork);", "RENAMED", "alpha alpha_up")};
}

model::AccountEntry side_entry(const std::string& path, const std::string& region, std::string_view action) {
  model::AccountEntry out;
  out.kind = "side_choice";
  out.path = path;
  out.code = "SIDE";
  out.arg = region + (action == "ours" ? " OURS" : " THEIRS");
  out.because = "canary";
  return out;
}

}  // namespace sluice::service::canary
