// SPDX-License-Identifier: Apache-2.0
#include "core/model/oid.h"

#include "core/text.h"

namespace sluice::model {

bool is_oid(std::string_view text) { return core::is_hex(text, 40); }

}  // namespace sluice::model
