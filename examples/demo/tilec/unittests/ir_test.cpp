#include <gtest/gtest.h>

#include "tilec/ir.h"

namespace tilec {
namespace {

std::string error_of(const std::string& text) {
  Module module;
  std::string error;
  if (parse(text, module, error)) verify(module.kernels.at(0), error);
  return error;
}

TEST(Parse, NamesTheLineOfAnError) {
  EXPECT_EQ(error_of("kernel k(a: 1x4) -> (b: 1x4) {\n  %0 = lod a\n}\n"),
            "line 2: no operation 'lod' with 0 operands");
  EXPECT_EQ(error_of("kernel k(a: 1x4) -> (b: 1x4) {\n  %0 = load a\n"), "line 3: expected '}'");
}

TEST(Parse, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(error_of("kernel k(a: 2x3, b: 2x3) -> (c: 2x3) {\n %0 = load a\n %1 = load b\n %2 = matmul %0, %1\n}"),
            "line 4: matmul of 2x3 and 2x3");
}

TEST(Verify, WantsEveryOutputStored) {
  EXPECT_EQ(error_of("kernel k(a: 1x4) -> (b: 1x4) {\n  %0 = load a\n}\n"), "kernel k: output 'b' is never stored");
}

TEST(Bytes, CountWhatAnOperationMoves) {
  Module module;
  std::string error;
  ASSERT_TRUE(parse("kernel k(a: 2x4) -> (b: 2x4) {\n %0 = load a\n %1 = exp %0\n store %1, b\n}", module, error))
      << error;
  const Kernel& kernel = module.kernels[0];
  EXPECT_EQ(bytes_of(kernel.ops[0].shape), 32u);
  EXPECT_EQ(bytes_of(kernel, kernel.ops[1]), 64u);
}

}  // namespace
}  // namespace tilec
