// Elementwise operations run in lanes where the columns can be split evenly.
#include "tilec/passes.h"

namespace tilec {

void vectorize(Kernel& kernel, const Options& options) {
  for (Op& op : kernel.ops) {
    if (!is_elementwise(op)) continue;

    int width = options.width;

    // A ragged last vector would need a mask.
    if (op.shape.cols % width == 0) {
      op.attributes["width"] = width;
    }
  }
}

}  // namespace tilec
