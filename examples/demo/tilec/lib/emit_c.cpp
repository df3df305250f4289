// A kernel as a C function: one loop nest per operation, one per group of fused operations.
#include <cstdio>

#include "tilec/passes.h"

namespace tilec {
namespace {

std::string value_name(int value) { return "v" + std::to_string(value); }

std::string constant(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// Index of the element that belongs to (i, j) of the result, with broadcasting.
std::string element(const Kernel& kernel, int value) {
  const Shape& shape = producer(kernel, value)->shape;
  std::string row = shape.rows == 1 ? "0" : "i";
  std::string col = shape.cols == 1 ? "0" : "j";
  return value_name(value) + "[" + row + " * " + std::to_string(shape.cols) + " + " + col + "]";
}

std::string expression(const Kernel& kernel, const Op& op) {
  std::string a = element(kernel, op.operands[0]);
  if (op.name == "exp") return "expf(" + a + ")";
  std::string b = element(kernel, op.operands[1]);
  if (op.name == "max") return "fmaxf(" + a + ", " + b + ")";
  const char* sign = op.name == "add" ? " + " : op.name == "sub" ? " - " : op.name == "mul" ? " * " : " / ";
  return a + sign + b;
}

std::string loop(const char* index, int bound, const char* indent) {
  return std::string(indent) + "for (int " + index + " = 0; " + index + " < " + std::to_string(bound) + "; ++" + index +
         ")";
}

void emit_elementwise(std::string& out, const Kernel& kernel, const Op& op, bool opens, bool closes) {
  if (opens) {
    out += loop("i", op.shape.rows, "  ") + "\n" + loop("j", op.shape.cols, "    ") + " {\n";
  }
  out += "      " + element(kernel, op.result) + " = " + expression(kernel, op) + ";\n";
  if (closes) out += "    }\n";
}

void emit_matmul(std::string& out, const Kernel& kernel, const Op& op, const Shape& left, const Shape& right) {
  std::string a = value_name(op.operands[0]), b = value_name(op.operands[1]), c = value_name(op.result);
  auto tile = op.attributes.find("tile");
  if (tile != op.attributes.end()) out += "  /* blocks of " + std::to_string(tile->second) + " */\n";
  out += loop("i", left.rows, "  ") + "\n" + loop("j", right.cols, "    ") + " {\n";
  out += "      float sum = 0;\n";
  out += loop("k", left.cols, "      ") + "\n";
  out += "        sum += " + a + "[i * " + std::to_string(left.cols) + " + k] * " + b + "[k * " +
         std::to_string(right.cols) + " + j];\n";
  out += "      " + c + "[i * " + std::to_string(right.cols) + " + j] = sum;\n    }\n";
  (void)kernel;
}

void emit_reduction(std::string& out, const Kernel& kernel, const Op& op) {
  const Shape& in = producer(kernel, op.operands[0])->shape;
  std::string a = element(kernel, op.operands[0]), r = value_name(op.result) + "[i]";
  out += loop("i", in.rows, "  ") + " {\n";
  out += "    " + r + " = " + (op.name == "row_sum" ? "0" : "-INFINITY") + ";\n";
  out += loop("j", in.cols, "    ") + "\n";
  out += "      " + r + " = " + (op.name == "row_sum" ? r + " + " + a : "fmaxf(" + r + ", " + a + ")") + ";\n  }\n";
}

int group_of(const Op& op) {
  auto group = op.attributes.find("group");
  return group == op.attributes.end() ? -1 : group->second;
}

bool same_loop(const Op& a, const Op& b) {
  return group_of(a) >= 0 && group_of(a) == group_of(b) && a.shape == b.shape;
}

void emit_kernel(std::string& out, const Kernel& kernel) {
  std::string parameters;
  for (const Buffer& buffer : kernel.buffers) {
    if (!parameters.empty()) parameters += ", ";
    parameters += (buffer.output ? "float* " : "const float* ") + buffer.name;
  }
  out += "void " + kernel.name + "(" + parameters + ") {\n";
  for (std::size_t i = 0; i < kernel.ops.size(); ++i) {
    const Op& op = kernel.ops[i];
    std::string count = std::to_string(elements(op.shape));
    if (op.name == "load") {
      out += "  const float* " + value_name(op.result) + " = " + op.buffer + ";\n";
      continue;
    }
    if (op.name == "store") {
      out += "  for (int i = 0; i < " + count + "; ++i) " + op.buffer + "[i] = " + value_name(op.operands[0]) +
             "[i];\n";
      continue;
    }
    if (op.name == "const") {
      out += "  const float " + value_name(op.result) + "[1] = {" + constant(op.value) + "};\n";
      continue;
    }
    bool opens = i == 0 || !same_loop(kernel.ops[i - 1], op);
    if (opens) {
      for (std::size_t k = i; k < kernel.ops.size() && (k == i || same_loop(op, kernel.ops[k])); ++k) {
        out += "  static float " + value_name(kernel.ops[k].result) + "[" + count + "];\n";
      }
    }
    if (is_elementwise(op)) {
      bool closes = i + 1 == kernel.ops.size() || !same_loop(op, kernel.ops[i + 1]);
      emit_elementwise(out, kernel, op, opens, closes);
    } else if (op.name == "matmul") {
      emit_matmul(out, kernel, op, producer(kernel, op.operands[0])->shape, producer(kernel, op.operands[1])->shape);
    } else {
      emit_reduction(out, kernel, op);
    }
  }
  out += "}\n";
}

}  // namespace

std::string emit_c(const Module& module) {
  std::string out = "#include <math.h>\n";
  for (const Kernel& kernel : module.kernels) {
    out += "\n";
    emit_kernel(out, kernel);
  }
  return out;
}

}  // namespace tilec
