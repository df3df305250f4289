// SPDX-License-Identifier: Apache-2.0
#include "core/model/proposal.h"

#include "core/model/names.h"

namespace sluice::model {
namespace {

constexpr NameTable<Rung, 7> rungs = {{{Rung::machine, "machine"},
                                       {Rung::remembered, "remembered"},
                                       {Rung::proven, "proven"},
                                       {Rung::candidate, "candidate"},
                                       {Rung::external, "external"},
                                       {Rung::model, "model"},
                                       {Rung::person, "person"}}};

}  // namespace

std::string_view to_string(Rung r) { return name_in(rungs, r); }

}  // namespace sluice::model
