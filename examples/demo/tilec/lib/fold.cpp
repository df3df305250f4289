// Operations on constants become constants; neutral elements disappear.
#include <algorithm>
#include <cmath>

#include "tilec/passes.h"

namespace tilec {

static bool is_constant(const Op* op) { return op != nullptr && op->name == "const"; }

static bool is_constant(const Op* op, double value) { return is_constant(op) && op->value == value; }

static double evaluate(const std::string& name, double a, double b) {
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "mul") return a * b;
  if (name == "div") return a / b;
  if (name == "exp") return std::exp(a);
  return std::max(a, b);
}

static void replace_uses(Kernel& kernel, int from, int to) {
  for (Op& op : kernel.ops) std::replace(op.operands.begin(), op.operands.end(), from, to);
}

static void remove_dead(Kernel& kernel) {
  for (std::size_t i = kernel.ops.size(); i-- > 0;) {
    const Op& op = kernel.ops[i];
    if (op.result >= 0 && uses(kernel, op.result) == 0) {
      kernel.ops.erase(kernel.ops.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

void fold(Kernel& kernel, const Options&) {
  for (Op& op : kernel.ops) {
    if (!is_elementwise(op)) continue;
    const Op* a = producer(kernel, op.operands[0]);
    const Op* b = op.operands.size() > 1 ? producer(kernel, op.operands[1]) : a;
    if (is_constant(a) && is_constant(b)) {
      op.value = evaluate(op.name, a->value, b->value);
      op.name = "const";
      op.operands.clear();
      continue;
    }

    if (op.name == "mul" && is_constant(b, 1) && a->shape == op.shape) {
      replace_uses(kernel, op.result, a->result);
    }
  }
  remove_dead(kernel);
}

}  // namespace tilec
