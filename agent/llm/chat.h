// SPDX-License-Identifier: Apache-2.0
// The dialect of POST /v1/chat/completions (OpenAI; also served by vLLM, llama.cpp and Ollama).
#pragma once

#include "agent/llm/llm.h"

namespace sluice::agent {

// The body; dump() of it is canonical.
core::Json render_chat(const model::EndpointConfig& endpoint, const LlmRequest& request);

}  // namespace sluice::agent
