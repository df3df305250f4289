// SPDX-License-Identifier: Apache-2.0
// Inner header: what a conversation holds, and how it is made smaller by trusted code.
#pragma once

#include <cstddef>
#include <string>

#include "agent/llm/llm.h"

namespace sluice::agent {

void add_source(LlmRequest& request, const std::string& path, const std::string& what);
std::vector<std::string> paths_of(const LlmRequest& request);  // each once, in order

// A turn that cannot be used (no call in it, calls that cannot be told apart) and what we say to it.
void append_refused_turn(LlmRequest& request, LlmMessage turn, const std::string& why, bool echo_as_text);

// Old tool results give way to a note once all of them together are longer than `limit`; the last `keep` turns stay.
// True when something went. In coarse steps: each step costs the cache of the service.
bool elide_old_answers(LlmRequest& request, std::size_t limit, std::size_t keep);

// The prompt was too long: every tool result but those of the last turn goes, and of the first message the sections
// that can be asked for by tool. False when nothing is left to go.
bool shrink(LlmRequest& request);

}  // namespace sluice::agent
