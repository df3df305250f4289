// Passes over one kernel, and what consumes a kernel: the C emitter and the interpreter.
#pragma once

#include <string>
#include <vector>

#include "tilec/ir.h"

namespace tilec {

struct Options {
  int width = 4;  // lanes of a vector
  bool verify_each = true;

  int tile = 32;  // edge of a matmul block
};

void fold(Kernel& kernel, const Options& options);       // constants and neutral elements
void fuse(Kernel& kernel, const Options& options);       // chains of elementwise operations share a loop
void tile(Kernel& kernel, const Options& options);       // matmuls are blocked
void vectorize(Kernel& kernel, const Options& options);  // elementwise operations run in lanes

struct Pass {
  const char* name;
  void (*run)(Kernel&, const Options&);
};
const std::vector<Pass>& all_passes();
// Runs `names` in order. False, and a sentence, for an unknown name or a kernel that no longer verifies.
bool run_passes(Module& module, const std::vector<std::string>& names, const Options& options, std::string& error);

std::string emit_c(const Module& module);

using Tile = std::vector<float>;
// One tile per buffer, in the order of the kernel; outputs are overwritten.
void interpret(const Kernel& kernel, std::vector<Tile>& buffers);

}  // namespace tilec
