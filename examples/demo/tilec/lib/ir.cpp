#include "tilec/ir.h"

#include <algorithm>
#include <cstdio>

namespace tilec {

std::size_t elements(const Shape& shape) {
  return static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.cols);
}

bool is_elementwise(const Op& op) {
  static const char* const names[] = {"add", "sub", "mul", "div", "max", "exp"};
  return std::any_of(std::begin(names), std::end(names), [&](const char* name) { return op.name == name; });
}

const Op* producer(const Kernel& kernel, int value) {
  for (const Op& op : kernel.ops) {
    if (op.result == value) return &op;
  }
  return nullptr;
}

int uses(const Kernel& kernel, int value) {
  int count = 0;
  for (const Op& op : kernel.ops) count += static_cast<int>(std::count(op.operands.begin(), op.operands.end(), value));
  return count;
}

std::size_t bytes_of(const Shape& shape) { return elements(shape) * sizeof(float); }

std::size_t bytes_of(const Shape& shape, int copies) {
  return bytes_of(shape) * static_cast<std::size_t>(copies);
}

std::size_t bytes_of(const Kernel& kernel, const Op& op) {
  std::size_t bytes = bytes_of(op.shape);
  for (int operand : op.operands) {
    if (const Op* from = producer(kernel, operand)) bytes += bytes_of(from->shape, 1);
  }
  return bytes;
}

std::string print(const Shape& shape) { return std::to_string(shape.rows) + "x" + std::to_string(shape.cols); }

static std::string print_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

static std::string print_attributes(const Op& op) {
  std::string text;
  for (const auto& [name, value] : op.attributes) {
    text += (text.empty() ? " {" : ", ") + name + " = " + std::to_string(value);
  }
  return text.empty() ? text : text + "}";
}

std::string print(const Op& op) {
  std::string text = "  ";
  if (op.result >= 0) text += "%" + std::to_string(op.result) + " = ";
  text += op.name;
  const char* separator = " ";
  for (int operand : op.operands) {
    text += separator + ("%" + std::to_string(operand));
    separator = ", ";
  }
  if (op.name == "const") text += " " + print_number(op.value);
  if (!op.buffer.empty()) text += separator + op.buffer;
  return text + print_attributes(op) + " : " + print(op.shape);
}

static std::string print_buffers(const Kernel& kernel, bool output) {
  std::string text;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.output != output) continue;
    if (!text.empty()) text += ", ";
    text += buffer.name + ": " + print(buffer.shape);
  }
  return "(" + text + ")";
}

std::string print(const Module& module) {
  std::string text;
  for (const Kernel& kernel : module.kernels) {
    text += "kernel " + kernel.name + print_buffers(kernel, false) + " -> " + print_buffers(kernel, true) + " {\n";
    for (const Op& op : kernel.ops) text += print(op) + "\n";
    text += "}\n";
  }
  return text;
}

}  // namespace tilec
