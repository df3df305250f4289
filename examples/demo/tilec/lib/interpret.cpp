// Runs a kernel on the CPU the way the passes decided: blocked matmuls, lanes, fused groups in order.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tilec/passes.h"

namespace tilec {
namespace {

struct Value {
  Shape shape;
  Tile data;
  float at(int row, int col) const {
    int i = shape.rows == 1 ? 0 : row;
    int j = shape.cols == 1 ? 0 : col;
    return data[static_cast<std::size_t>(i * shape.cols + j)];
  }
};

float apply(const std::string& name, float a, float b) {
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "mul") return a * b;
  if (name == "div") return a / b;
  if (name == "exp") return std::exp(a);
  return std::max(a, b);
}

void elementwise(const Op& op, const Value& a, const Value& b, Value& out) {
  auto width = op.attributes.find("width");
  int lanes = width == op.attributes.end() ? 1 : width->second;
  for (int row = 0; row < out.shape.rows; ++row) {
    for (int col = 0; col < out.shape.cols; col += lanes) {
      for (int lane = 0; lane < lanes; ++lane) {
        out.data[static_cast<std::size_t>(row * out.shape.cols + col + lane)] =
            apply(op.name, a.at(row, col + lane), b.at(row, col + lane));
      }
    }
  }
}

// One block of the result: rows [row, row_end), columns [col, col_end).
void matmul_block(const Value& a, const Value& b, Value& out, int row, int row_end, int col, int col_end) {
  int depth = a.shape.cols;
  for (int i = row; i < row_end; ++i) {
    for (int j = col; j < col_end; ++j) {
      float sum = 0;
      for (int k = 0; k < depth; ++k) {
        sum += a.at(i, k) * b.at(k, j);
      }
      out.data[static_cast<std::size_t>(i * out.shape.cols + j)] = sum;
    }
  }
}

void matmul(const Op& op, const Value& a, const Value& b, Value& out) {
  auto found = op.attributes.find("tile");
  int tile = found == op.attributes.end() ? std::max(out.shape.rows, out.shape.cols) : found->second;
  for (int row = 0; row < out.shape.rows; row += tile) {
    for (int col = 0; col < out.shape.cols; col += tile) {
      matmul_block(a, b, out, row, std::min(row + tile, out.shape.rows), col, std::min(col + tile, out.shape.cols));
    }
  }
}

void reduce(const Op& op, const Value& a, Value& out) {
  for (int row = 0; row < a.shape.rows; ++row) {
    float sum = 0, largest = -std::numeric_limits<float>::infinity();
    for (int col = 0; col < a.shape.cols; ++col) {
      sum += a.at(row, col);
      largest = std::max(largest, a.at(row, col));
    }
    out.data[static_cast<std::size_t>(row)] = op.name == "row_sum" ? sum : largest;
  }
}

std::size_t buffer_index(const Kernel& kernel, const std::string& name) {
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i].name == name) return i;
  }
  return kernel.buffers.size();
}

}  // namespace

void interpret(const Kernel& kernel, std::vector<Tile>& buffers) {
  std::map<int, Value> values;
  for (const Op& op : kernel.ops) {
    if (op.name == "store") {
      buffers[buffer_index(kernel, op.buffer)] = values.at(op.operands[0]).data;
      continue;
    }
    Value& out = values[op.result];
    out.shape = op.shape;
    out.data.assign(elements(op.shape), static_cast<float>(op.value));
    if (op.name == "load") {
      out.data = buffers[buffer_index(kernel, op.buffer)];
    } else if (is_elementwise(op)) {
      elementwise(op, values.at(op.operands.front()), values.at(op.operands.back()), out);
    } else if (op.name == "matmul") {
      matmul(op, values.at(op.operands[0]), values.at(op.operands[1]), out);
    } else if (op.name != "const") {
      reduce(op, values.at(op.operands[0]), out);
    }
  }
}

}  // namespace tilec
