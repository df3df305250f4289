// SPDX-License-Identifier: Apache-2.0
// One side renamed identifiers and did nothing else: rule B5.
#pragma once

#include <optional>
#include <string>

#include "agent/rules/merge.h"

namespace sluice::agent::rules {

// `of` are spaced tokens. Where ours (else theirs) is base with names exchanged, each everywhere, the other side with
// those names exchanged, if it holds one and says more than base. nullopt: it is not so.
std::optional<std::string> renamed(const ThreePieces& of);

}  // namespace sluice::agent::rules
