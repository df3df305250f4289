// SPDX-License-Identifier: Apache-2.0
// The dialect of POST /v1/messages (Anthropic; also served by vLLM, llama.cpp and Ollama).
#pragma once

#include "agent/llm/llm.h"

namespace sluice::agent {

// The body; dump() of it is canonical. Where the endpoint takes breakpoints of its cache, there are three: behind the
// tools, behind the system text, and at the end, which the next turn of the run then reads.
core::Json render_messages(const model::EndpointConfig& endpoint, const LlmRequest& request);

}  // namespace sluice::agent
