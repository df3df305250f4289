// SPDX-License-Identifier: Apache-2.0
// What every service demands of a conversation, looked at before anything is sent and paid for.
#pragma once

#include <string>

#include "agent/llm/llm.h"

namespace sluice::agent {

bool is_tool_name(std::string_view name);  // letters, digits, _ and -, 1 to 64

// Why this request cannot be sent; empty = it can. The first message is the user's; every call of a turn has one answer
// in the message behind it, and no other; tools have distinct names and take objects.
std::string unsendable(const LlmRequest& request);

}  // namespace sluice::agent
