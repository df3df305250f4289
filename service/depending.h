// SPDX-License-Identifier: Apache-2.0
// Which upstream commits build on which others, outside a plan: for what is picked ahead of the queue and for
// what is taken back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/app.h"

namespace sluice::service {

struct Dependency {
  Oid later, earlier;
  std::string why;  // "writes lines of f.cpp that it wrote", "names `fold`, which it introduces"
};

// Direct dependencies between the commits of the line from position `first` on for which `matters` says yes,
// by lines and by symbols, ascending by `later`. The others are walked as well: they shift lines.
Result<std::vector<Dependency>> dependencies_from(App& app, std::int64_t first,
                                                  const std::function<bool(const Oid&)>& matters);

}  // namespace sluice::service
