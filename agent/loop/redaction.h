// SPDX-License-Identifier: Apache-2.0
// Inner header: secrets taken out of what is sent and recorded, also where they come in pieces.
#pragma once

#include <string>
#include <string_view>

#include "agent/loop/loop.h"

namespace sluice::agent {

// Text of which some lines are JSON objects (the first message, tool results): strings in these are masked as strings,
// so that an escape does not hide one; everything else as it stands.
std::string masked_document(std::string_view text, const Mask& mask);

// Bytes that a service sent. A stream brings text in pieces, and a secret may be cut between two: where the pieces
// together hold one, each of them is replaced.
std::string masked_body(std::string_view body, const Mask& mask);

// A turn of the model as it goes back to it: a secret that it wrote does not travel again. What was carried out is not
// touched by this: a mask in an answer would land as text.
LlmMessage masked_echo(LlmMessage message, const Mask& mask);

}  // namespace sluice::agent
