#include <set>

#include "tilec/ir.h"

namespace tilec {

static bool refuse(const Kernel& kernel, const std::string& what, std::string& error) {
  error = "kernel " + kernel.name + ": " + what;
  return false;
}

bool verify(const Kernel& kernel, std::string& error) {
  std::set<int> defined;
  for (const Op& op : kernel.ops) {
    for (int operand : op.operands) {
      if (defined.count(operand) == 0) {
        return refuse(kernel, "%" + std::to_string(operand) + " is used before it is defined", error);
      }
    }
    if (op.result >= 0 && !defined.insert(op.result).second) {
      return refuse(kernel, "%" + std::to_string(op.result) + " is defined twice", error);
    }
  }

  std::set<std::string> outputs, stored;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.output) outputs.insert(buffer.name);
  }
  for (const Op& op : kernel.ops) {
    if (op.name != "store") continue;
    if (outputs.count(op.buffer) == 0) return refuse(kernel, "'" + op.buffer + "' is not an output", error);
    stored.insert(op.buffer);
  }
  for (const std::string& name : outputs) {
    if (stored.count(name) == 0) return refuse(kernel, "output '" + name + "' is never stored", error);
  }

  for (const Op& op : kernel.ops) {
    auto tile = op.attributes.find("tile");
    if (tile != op.attributes.end() && tile->second < 1) {
      return refuse(kernel, "a tile has at least one row", error);
    }
  }
  return true;
}

}  // namespace tilec
