// A matmul works on blocks of `tile` by `tile`, never larger than the result.
#include <algorithm>

#include "tilec/passes.h"

namespace tilec {

void tile(Kernel& kernel, const Options& options) {
  for (Op& op : kernel.ops) {
    if (op.name != "matmul") continue;
    int largest = std::max(op.shape.rows, op.shape.cols);
    op.attributes["tile"] = std::min(options.tile, largest);
  }
}

}  // namespace tilec
