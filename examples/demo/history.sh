# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The two histories of the demo, in the verbs of examples/verbs.sh: a small tile-kernel compiler, and a
# fork of it that lives with upstream. What each upstream commit is there for stands above it; what
# becomes of it stands in expected.tsv, under the same name.
# `\x27` is a quote.
# Wants $TILEC = the directory that holds the compiler as it was when the fork began.

# Upstream, as the fork found it ----------------------------------------------------------------------
repo upstream
cp -R "$TILEC/." .
commit base "tilec: a small compiler for tile kernels" "Reads tile IR, runs passes, writes C or runs the kernel."

fork upstream fork

at upstream
# The fork takes this one by hand, long before sluice comes.
swap lib/emit_c.cpp '"%g", value);\n  return text;' '"%g", value);\n  std::string number = text;
  bool whole = number.find_first_of(".en") == std::string::npos;
  return number + (whole ? ".0f" : "f");'
put test/emit-c/constant.tile <<'END'
// RUN: %tile-opt --emit=c %s | %FileCheck %s

// CHECK: const float v1[1] = {2.0f};
// CHECK: const float v3[1] = {0.5f};
kernel constants(a: 1x8) -> (b: 1x8) {
  %0 = load a
  %1 = const 2
  %2 = mul %0, %1
  %3 = const 0.5
  %4 = mul %2, %3
  store %4, b
}
END
commit suffix "emit-c: constants are floats (#101)" "A constant without a suffix made every expression a double.\n\nFixes #97, reported by @kernelwright."

# The fork --------------------------------------------------------------------------------------------
at fork
drop .github
commit f_ci "fork: drop the hosted CI" "We build on our own machines."

swap include/tilec/passes.h 'int tile = 32;' 'int tile = 64;'
put unittests/fork_test.cpp <<'END'
#include <gtest/gtest.h>

#include "tilec/passes.h"

namespace tilec {
namespace {

TEST(Fork, WorksOnBlocksOf64) { EXPECT_EQ(Options().tile, 64); }

}  // namespace
}  // namespace tilec
END
commit f_tile "fork: blocks of 64 by default" "Our cores have twice the cache."

swap lib/interpret.cpp '        sum += a.at(i, k) * b.at(k, j);' '        float left = a.at(i, k);
        if (left == 0.0f) continue;  // our masks leave most of a row empty
        sum += left * b.at(k, j);'
commit f_sparse "fork: skip zeros in the matmul" "Three times faster on masked attention."

swap CMakeLists.txt 'add_executable(tile-opt' 'target_sources(tilec PRIVATE lib/fork/cost.cpp lib/fork/prefetch.cpp)\n\nadd_executable(tile-opt'
swap lib/passes.cpp '#include "tilec/passes.h"\n' '#include "tilec/passes.h"\n\n#include "fork/fork.h"\n'
swap lib/passes.cpp '      {"vectorize", vectorize},\n' '      {"vectorize", vectorize},\n      {"prefetch", fork::prefetch},\n'
put lib/fork/fork.h <<'END'
// What this fork adds to tilec.
#pragma once

#include <cstddef>

#include "tilec/passes.h"

namespace tilec::fork {

// Marks the loads whose tile a matmul reads, with how many blocks ahead to fetch.
void prefetch(Kernel& kernel, const Options& options);

// Bytes that a kernel moves when every operand of a matmul is read twice.
std::size_t traffic(const Kernel& kernel);

}  // namespace tilec::fork
END
put lib/fork/prefetch.cpp <<'END'
#include "fork/fork.h"

namespace tilec::fork {

void prefetch(Kernel& kernel, const Options&) {
  for (const Op& op : kernel.ops) {
    if (op.name != "matmul") continue;
    for (Op& from : kernel.ops) {
      bool read = from.result == op.operands[0] || from.result == op.operands[1];
      if (read && from.name == "load") from.attributes["prefetch"] = 2;
    }
  }
}

}  // namespace tilec::fork
END
put lib/fork/cost.cpp <<'END'
#include "fork/fork.h"

namespace tilec::fork {

std::size_t traffic(const Kernel& kernel) {
  std::size_t bytes = 0;
  for (const Op& op : kernel.ops) {
    bytes += bytes_of(op.shape);
    if (op.name != "matmul") continue;
    for (int operand : op.operands) bytes += bytes_of(producer(kernel, operand)->shape, 2);
  }
  return bytes;
}

}  // namespace tilec::fork
END
swap CMakeLists.txt 'include_directories(include)' 'include_directories(include lib)'
put test/fork/prefetch.tile <<'END'
// Only what the matmul reads is fetched ahead.
// RUN: %tile-opt --pass=prefetch %s | %FileCheck %s

// CHECK: %0 = load a {prefetch = 2} : 64x32
// CHECK: %1 = load b {prefetch = 2} : 32x48
// CHECK: %2 = load c : 64x48
kernel matmul(a: 64x32, b: 32x48, c: 64x48) -> (d: 64x48) {
  %0 = load a
  %1 = load b
  %2 = load c
  %3 = matmul %0, %1
  %4 = add %3, %2
  store %4, d
}
END
swap unittests/fork_test.cpp '#include "tilec/passes.h"\n' '#include "fork/fork.h"\n#include "tilec/passes.h"\n'
swap unittests/fork_test.cpp '(Options().tile, 64); }\n' '(Options().tile, 64); }\n
TEST(Fork, CountsTheTrafficOfAMatmul) {
  Module module;
  std::string error;
  ASSERT_TRUE(parse("kernel k(a: 2x4, b: 4x2) -> (c: 2x2) {\\n %0 = load a\\n %1 = load b\\n %2 = matmul %0, %1\\n"
                    " store %2, c\\n}", module, error)) << error;
  EXPECT_EQ(fork::traffic(module.kernels[0]), 32u + 32u + 16u + 2 * 32u + 2 * 32u + 16u);
}
'
commit f_prefetch "fork: a prefetch pass and a cost estimate" "Both are ours alone; upstream has its own plans."

pick_by_hand f_suffix suffix

swap lib/emit_c.cpp 'const Op& op, const Shape& left, const Shape& right) {' 'const Op& op,\n                 const Shape& left, const Shape& right) {'
commit f_wrap "fork: shorter lines in the emitter"

swap lib/verify.cpp '  return true;\n}\n\n}  // namespace tilec' '
  for (const Buffer& buffer : kernel.buffers) {
    if (elements(buffer.shape) == 0) {
      return refuse(kernel, "buffer \x27" + buffer.name + "\x27 is empty", error);
    }
  }
  return true;\n}\n\n}  // namespace tilec'
commit f_empty "fork: refuse empty buffers" "Sent upstream as #118."

swap lib/vectorize.cpp 'int width = options.width;' 'int width = options.width;  // 4 on our cores'
swap lib/vectorize.cpp 'if (op.shape.cols % width == 0)' 'if (width > 1 && op.shape.cols % width == 0)'
commit f_width "fork: one lane is no vector"
push_bare fork

# Upstream goes on ------------------------------------------------------------------------------------
at upstream
# clean
swap lib/fold.cpp '    if (op.name == "mul" && is_constant(b, 1)' '    if (op.name == "add" && is_constant(b, 0) && a->shape == op.shape) {
      replace_uses(kernel, op.result, a->result);
    }
    if (op.name == "mul" && is_constant(b, 1)'
put test/fold/zero.tile <<'END'
// RUN: %tile-opt --pass=fold %s | %FileCheck %s

// CHECK-LABEL: kernel plus_zero
// CHECK-NEXT: %0 = load a : 1x8
// CHECK-NEXT: store %0, b : 1x8
kernel plus_zero(a: 1x8) -> (b: 1x8) {
  %0 = load a
  %1 = const 0
  %2 = add %0, %1
  store %2, b
}
END
commit zero "fold: x + 0 is x (#102)"

# clean
swap lib/parse.cpp "c == ' ' || c == '\\\\n'" "c == ' ' || c == '\\\\t' || c == '\\\\r' || c == '\\\\n'"
swap unittests/ir_test.cpp 'TEST(Verify,' 'TEST(Parse, TakesTabsAndCarriageReturns) {
  EXPECT_EQ(error_of("kernel k(a: 1x4) -> (b: 1x4) {\\r\\n\\t%0 = load a\\r\\n\\tstore %0, b\\r\\n}\\r\\n"), "");
}

TEST(Verify,'
commit tabs "parse: take tabs and carriage returns (#103)"

# documentation only
put docs/ir.md <<'END'
# Tile IR

A kernel takes tiles of floats, `ROWSxCOLS`, and stores others. `%N` is defined once, before its uses.

| operation | result |
|---|---|
| `load a`, `store %0, b` | the tile in a buffer |
| `const 2` | 1x1 |
| `add sub mul div max` | elementwise, with broadcasting along an edge of 1 |
| `exp` | elementwise |
| `matmul %a, %b` | MxN from MxK and KxN |
| `row_sum`, `row_max` | Mx1 |
END
commit docs_ir "docs: describe the tile IR (#104)"

# reverted below: the pair is settled without a pick
swap lib/tile.cpp 'int largest = std::max(' 'int largest = std::min('
commit shorter "tile: no block is longer than the shorter edge (#105)" "Saves work on tall results."

# clean
swap tools/tile_opt.cpp '    } else if (argument == "--version") {' '    } else if (argument == "--list") {
      for (const tilec::Pass& pass : tilec::all_passes()) std::printf("%s\\n", pass.name);
      return 0;
    } else if (argument == "--version") {'
put test/parse/list.tile <<'END'
// RUN: %tile-opt --list | %FileCheck %s

// CHECK: fold
// CHECK: vectorize
END
commit list "tile-opt: --list prints the passes (#106)"

revert_of unshorter shorter

# both sides wrapped the same line, each at another place: nothing but format
swap lib/emit_c.cpp 'const Op& op, const Shape& left, const Shape& right) {' 'const Op& op, const Shape& left,\n                 const Shape& right) {'
swap lib/emit_c.cpp '" < " + std::to_string(bound) + "; ++" + index +\n         ")";' '" < " + std::to_string(bound) +\n         "; ++" + index + ")";'
commit wrap "emit-c: wrap at 100 columns (#108)"

# an edit of a file that the fork deleted, and nothing else
swap .github/workflows/ci.yml 'ubuntu-22.04' 'ubuntu-24.04'
commit ci "ci: run on a newer image (#109)"

# an edit of a file that the fork deleted, beside one that it has
swap .github/workflows/ci.yml 'sh scripts/check.sh' 'sh scripts/check.sh --verbose'
swap scripts/check.sh 'set -e\n' 'set -e\n[ "${1:-}" != --verbose ] || set -x\n'
commit ci_verbose "ci: say what the checks do (#110)"

# the toolchain moves
put cmake/toolchain-pin.txt '8d2e4b6a0c1f3579bdf02468ace13579bdf02468\n'
commit pin "cmake: move the toolchain to 8d2e4b6a (#111)"

# clean
swap lib/fold.cpp 'if (op.name == "mul" && is_constant(b, 1)' 'if ((op.name == "mul" || op.name == "div") && is_constant(b, 1)'
append test/fold/zero.tile '
// CHECK-LABEL: kernel over_one
// CHECK-NEXT: %0 = load a : 1x8
// CHECK-NEXT: store %0, b : 1x8
kernel over_one(a: 1x8) -> (b: 1x8) {
  %0 = load a
  %1 = const 1
  %2 = div %0, %1
  store %2, b
}
'
commit over_one "fold: x / 1 is x (#112)"

# a conflict that needs thought: upstream and fork both rewrote the hot loop
swap lib/interpret.cpp '      float sum = 0;\n      for (int k = 0; k < depth; ++k) {\n        sum += a.at(i, k) * b.at(k, j);\n      }' '      double sum = 0;
      for (int k = 0; k < depth; ++k) {
        sum += static_cast<double>(a.at(i, k)) * static_cast<double>(b.at(k, j));
      }'
swap lib/interpret.cpp 'out.shape.cols + j)] = sum;' 'out.shape.cols + j)] = static_cast<float>(sum);'
commit wide "interpret: sum matmuls in double (#113)" "Long rows lost digits."

# clean
swap include/tilec/ir.h 'int uses(const Kernel& kernel, int value);\n' 'int uses(const Kernel& kernel, int value);\nint count_ops(const Kernel& kernel, const std::string& name);\n'
swap lib/ir.cpp 'std::size_t bytes_of(const Shape& shape) {' 'int count_ops(const Kernel& kernel, const std::string& name) {
  return static_cast<int>(
      std::count_if(kernel.ops.begin(), kernel.ops.end(), [&](const Op& op) { return op.name == name; }));
}

std::size_t bytes_of(const Shape& shape) {'
swap unittests/ir_test.cpp '  EXPECT_EQ(bytes_of(kernel, kernel.ops[1]), 64u);\n' '  EXPECT_EQ(bytes_of(kernel, kernel.ops[1]), 64u);
  EXPECT_EQ(count_ops(kernel, "exp"), 1);
  EXPECT_EQ(count_ops(kernel, "add"), 0);
'
commit count "ir: count the operations of a kernel (#114)"

# depends on the conflict above
swap lib/interpret.cpp 'sum += static_cast<double>(a.at(i, k)) * static_cast<double>(b.at(k, j));' 'sum = std::fma(static_cast<double>(a.at(i, k)), static_cast<double>(b.at(k, j)), sum);'
commit fma "interpret: multiply and add in one step (#115)"

# clean merge, does not build: only fork-only code still uses the overload, and the name lives on
swap include/tilec/ir.h '// Memory traffic: of one tile, of that many copies of it, of what' '// Memory traffic: of one tile, of what'
swap include/tilec/ir.h 'std::size_t bytes_of(const Shape& shape, int copies);\n' ''
swap lib/ir.cpp 'std::size_t bytes_of(const Shape& shape, int copies) {
  return bytes_of(shape) * static_cast<std::size_t>(copies);
}

' ''
swap lib/ir.cpp 'bytes_of(from->shape, 1)' 'bytes_of(from->shape)'
commit copies "ir: drop bytes_of for copies, which nobody uses (#116)"

# clean
put test/fuse/reduction.tile <<'END'
// A reduction ends the loop that it reads from.
// RUN: %tile-opt --pass=fuse --emit=c %s | %FileCheck %s

// CHECK: v1[i * 8 + j] = expf(v0[i * 8 + j]);
// CHECK-NEXT: }
// CHECK: v2[i] = 0;
kernel reduction(a: 4x8) -> (b: 4x1) {
  %0 = load a
  %1 = exp %0
  %2 = row_sum %1
  store %2, b
}
END
commit reduction "test: fusion stops at a reduction (#117)"

# the fork has the block already, at another place: a clean merge with two copies
swap lib/verify.cpp 'std::string& error) {\n  std::set<int> defined;' 'std::string& error) {
  for (const Buffer& buffer : kernel.buffers) {
    if (elements(buffer.shape) == 0) {
      return refuse(kernel, "buffer \x27" + buffer.name + "\x27 is empty", error);
    }
  }

  std::set<int> defined;'
commit empty "verify: refuse empty buffers (#118)"

# the fork has the same fix among other changes: another patch-id, an equal tree
swap lib/vectorize.cpp 'if (op.shape.cols % width == 0)' 'if (width > 1 && op.shape.cols % width == 0)'
commit width "vectorize: one lane is no vector (#119)"

# a mode, nothing else
runnable scripts/check.sh
commit mode "scripts: check.sh is a program (#120)"

# bytes that are not UTF-8, in author and message
author 'Ren\xe9 Lef\xe8vre' rene@tile.example
encoding ISO-8859-1
append docs/ir.md '\nTiles hold floats; a whole number is written `2`, never `2.`.\n'
commit latin 'docs: pr\xe9ciser les nombres (#121)' 'Relu par Zo\xe9.'
author
encoding

# clean, in a file that the fork has touched
swap lib/emit_c.cpp '(buffer.output ? "float* " : "const float* ")' '(buffer.output ? "float* restrict " : "const float* restrict ")'
commit restrict "emit-c: buffers never overlap (#122)"

# clean; needs the count above
swap tools/tile_opt.cpp '  if (emit == "c")' '  if (emit == "count") {
    for (const tilec::Kernel& kernel : module.kernels) {
      std::printf("%s: %d matmuls\\n", kernel.name.c_str(), tilec::count_ops(kernel, "matmul"));
    }
  }
  if (emit == "c")'
put test/parse/count.tile <<'END'
// RUN: %tile-opt --emit=count %s | %FileCheck %s

// CHECK: two: 2 matmuls
kernel two(a: 4x4) -> (b: 4x4) {
  %0 = load a
  %1 = matmul %0, %0
  %2 = matmul %1, %0
  store %2, b
}
END
commit emit_count "tile-opt: --emit=count (#123)"

# clean merge, breaks a lit test that only the fork has
swap lib/ir.cpp 'name + " = " + std::to_string(value)' 'name + ": " + std::to_string(value)'
for test in fuse/chain:group tile/matmul:tile vectorize/lanes:width; do
  sed -i "s/{${test#*:} = /{${test#*:}: /" "test/${test%:*}.tile"
done
commit colon "ir: print attributes with a colon (#124)"

# clean
swap unittests/kernels_test.cpp '}  // namespace\n}  // namespace tilec' 'TEST(Kernels, SoftmaxOfOneColumnIsOne) {
  Kernel kernel = compile(
      "kernel softmax(x: 3x1) -> (y: 3x1) {\\n  %0 = load x\\n  %1 = row_max %0\\n  %2 = sub %0, %1\\n"
      "  %3 = exp %2\\n  %4 = row_sum %3\\n  %5 = div %3, %4\\n  store %5, y\\n}\\n",
      {"fuse", "vectorize"});
  std::vector<Tile> buffers = {numbers(3, 6), Tile(3)};
  interpret(kernel, buffers);
  EXPECT_EQ(buffers[1], Tile({1, 1, 1}));
}

}  // namespace\n}  // namespace tilec'
commit column "test: softmax of one column (#125)"

# clean
swap lib/parse.cpp '      buffer.name = word();\n' '      buffer.name = word();
      for (const Buffer& other : kernel.buffers) {
        if (other.name == buffer.name) fail("buffer \x27" + buffer.name + "\x27 is declared twice");
      }
'
swap unittests/ir_test.cpp 'TEST(Verify,' 'TEST(Parse, RefusesTwoBuffersOfOneName) {
  EXPECT_EQ(error_of("kernel k(a: 1x4, a: 1x4) -> (b: 1x4) {\\n}\\n"), "line 1: buffer '"'a'"' is declared twice");
}

TEST(Verify,'
commit twice "parse: a buffer is declared once (#126)"

# clean
swap tools/tile_opt.cpp '  if (emit == "tile")' '  if (emit != "tile" && emit != "c" && emit != "count" && emit != "none") return fail("cannot emit \x27" + emit + "\x27");
  if (emit == "tile")'
commit emit_known "tile-opt: refuse what it cannot emit (#127)"

# documentation only
append README.md '\nThe IR is described in docs/ir.md, the passes in docs/passes.md.\n'
commit readme "docs: say where the rest stands (#128)"
push_bare upstream
