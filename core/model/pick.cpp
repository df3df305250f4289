// SPDX-License-Identifier: Apache-2.0
#include "core/model/pick.h"

#include "core/model/names.h"

namespace sluice::model {
namespace {

constexpr NameTable<PickStatus, 5> statuses = {{{PickStatus::clean, "clean"},
                                                {PickStatus::conflict, "conflict"},
                                                {PickStatus::empty, "empty"},
                                                {PickStatus::error, "error"},
                                                {PickStatus::unknown, "unknown"}}};

}  // namespace

std::string_view to_string(PickStatus s) { return name_in(statuses, s); }

}  // namespace sluice::model
