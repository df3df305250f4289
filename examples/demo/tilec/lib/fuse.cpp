// Elementwise operations that feed each other, and only each other, get one `group`: one loop.
#include "tilec/passes.h"

namespace tilec {

void fuse(Kernel& kernel, const Options&) {
  int next_group = 0;
  for (Op& op : kernel.ops) {
    if (!is_elementwise(op)) continue;
    for (int operand : op.operands) {
      const Op* from = producer(kernel, operand);
      if (from == nullptr || !is_elementwise(*from)) continue;
      if (uses(kernel, operand) != 1 || !(from->shape == op.shape)) continue;
      int group = from->attributes.at("group");
      op.attributes["group"] = group;
      break;
    }
    if (op.attributes.count("group") == 0) op.attributes["group"] = next_group++;
  }
}

}  // namespace tilec
