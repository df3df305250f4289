// Kernels on the CPU against plain loops, with and without passes.
#include <gtest/gtest.h>

#include <cmath>

#include "tilec/passes.h"

namespace tilec {
namespace {

Tile numbers(std::size_t count, int seed) {
  Tile tile(count);
  for (std::size_t i = 0; i < count; ++i) {
    tile[i] = static_cast<float>((static_cast<int>(i) * 37 + seed) % 101 - 50) / 16;
  }
  return tile;
}

Kernel compile(const std::string& text, const std::vector<std::string>& passes) {
  Module module;
  std::string error;
  EXPECT_TRUE(parse(text, module, error)) << error;
  EXPECT_TRUE(run_passes(module, passes, Options(), error)) << error;
  return module.kernels.at(0);
}

const std::vector<std::vector<std::string>> pipelines = {
    {}, {"fold"}, {"tile"}, {"vectorize"}, {"fold", "fuse", "tile", "vectorize"}};

TEST(Kernels, VectorAdd) {
  for (const auto& passes : pipelines) {
    Kernel kernel = compile(
        "kernel add(a: 1x1000, b: 1x1000) -> (c: 1x1000) {\n"
        "  %0 = load a\n  %1 = load b\n  %2 = add %0, %1\n  store %2, c\n}\n",
        passes);
    std::vector<Tile> buffers = {numbers(1000, 1), numbers(1000, 2), Tile(1000)};
    interpret(kernel, buffers);
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(buffers[2][i], buffers[0][i] + buffers[1][i]) << i;
  }
}

TEST(Kernels, Matmul) {
  constexpr std::size_t rows = 70, depth = 33, cols = 45;
  for (const auto& passes : pipelines) {
    Kernel kernel = compile(
        "kernel mm(a: 70x33, b: 33x45) -> (c: 70x45) {\n"
        "  %0 = load a\n  %1 = load b\n  %2 = matmul %0, %1\n  store %2, c\n}\n",
        passes);
    std::vector<Tile> buffers = {numbers(rows * depth, 3), numbers(depth * cols, 4), Tile(rows * cols)};
    interpret(kernel, buffers);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < depth; ++k) {
          sum += static_cast<double>(buffers[0][i * depth + k]) * static_cast<double>(buffers[1][k * cols + j]);
        }
        ASSERT_NEAR(buffers[2][i * cols + j], sum, 1e-3) << i << ", " << j;
      }
    }
  }
}

TEST(Kernels, Softmax) {
  for (const auto& passes : pipelines) {
    Kernel kernel = compile(
        "kernel softmax(x: 8x24) -> (y: 8x24) {\n  %0 = load x\n  %1 = row_max %0\n  %2 = sub %0, %1\n"
        "  %3 = exp %2\n  %4 = row_sum %3\n  %5 = div %3, %4\n  store %5, y\n}\n",
        passes);
    std::vector<Tile> buffers = {numbers(8 * 24, 5), Tile(8 * 24)};
    interpret(kernel, buffers);
    for (std::size_t row = 0; row < 8; ++row) {
      double sum = 0;
      for (std::size_t col = 0; col < 24; ++col) sum += std::exp(static_cast<double>(buffers[0][row * 24 + col]));
      for (std::size_t col = 0; col < 24; ++col) {
        ASSERT_NEAR(buffers[1][row * 24 + col], std::exp(static_cast<double>(buffers[0][row * 24 + col])) / sum, 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace tilec
