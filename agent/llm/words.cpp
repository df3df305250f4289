// SPDX-License-Identifier: Apache-2.0
// Names of values, and sums.
#include "agent/llm/llm.h"
#include "core/hash.h"

namespace sluice::agent {

std::string_view to_string(Stop stop) {
  switch (stop) {
    case Stop::end_turn: return "end_turn";
    case Stop::tool_use: return "tool_use";
    case Stop::length: return "length";
    case Stop::pause: return "pause";
    case Stop::refusal: return "refusal";
    case Stop::context_exceeded: return "context_exceeded";
    case Stop::other: break;
  }
  return "other";
}

std::string_view to_string(LlmOutcome::Kind kind) {
  switch (kind) {
    case LlmOutcome::Kind::ok: return "ok";
    case LlmOutcome::Kind::refused: return "refused";
    case LlmOutcome::Kind::shrink: return "shrink";
    case LlmOutcome::Kind::busy: return "busy";
    case LlmOutcome::Kind::failed: return "failed";
    case LlmOutcome::Kind::denied: return "denied";
    case LlmOutcome::Kind::cancelled: break;
  }
  return "cancelled";
}

Usage& Usage::operator+=(const Usage& o) {
  input += o.input;
  cache_read += o.cache_read;
  cache_write += o.cache_write;
  output += o.output;
  known = known && o.known;
  return *this;
}

std::string breaker_key(const model::EndpointConfig& endpoint, std::string_view credential) {
  return endpoint.name + ":" + core::sha256_hex(endpoint.base_url + "\n" + std::string(credential)).substr(0, 16);
}

}  // namespace sluice::agent
