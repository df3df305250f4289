// SPDX-License-Identifier: Apache-2.0
// U, B, D, P of one pick and its machine merge M, from objects alone: what `sluice gate` and `sluice calibrate` judge.
#pragma once

#include <string>

#include "git/git.h"
#include "guardrails/guardrails.h"

namespace sluice::service {

struct FoundFacts {
  guardrails::PickFacts facts;
  std::string why;  // what could not be read or merged; the facts are none then. Empty = they are whole
};
// `onto` and `result`: commits or trees. `reader` sees everything, also what `picker` writes.
FoundFacts pick_facts(const git::Reader& reader, git::Picker& picker, const model::Oid& upstream, const model::Oid& onto, const model::Oid& result);

}  // namespace sluice::service
