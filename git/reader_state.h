// SPDX-License-Identifier: Apache-2.0
// What a Reader holds. Inner header of git/.
#pragma once

#include "git/objects.h"

namespace sluice::git {

struct Reader::State {
  Objects objects;
};

}  // namespace sluice::git
