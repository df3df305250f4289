#include "tilec/passes.h"

namespace tilec {

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> passes = {
      {"fold", fold},
      {"fuse", fuse},
      {"tile", tile},
      {"vectorize", vectorize},
  };
  return passes;
}

static const Pass* find_pass(const std::string& name) {
  for (const Pass& pass : all_passes()) {
    if (name == pass.name) return &pass;
  }
  return nullptr;
}

bool run_passes(Module& module, const std::vector<std::string>& names, const Options& options, std::string& error) {
  for (const std::string& name : names) {
    const Pass* pass = find_pass(name);
    if (pass == nullptr) {
      error = "no pass is named '" + name + "'";
      return false;
    }
    for (Kernel& kernel : module.kernels) {
      pass->run(kernel, options);
      if (options.verify_each && !verify(kernel, error)) {
        error = "after " + name + ": " + error;
        return false;
      }
    }
  }
  return true;
}

}  // namespace tilec
