// SPDX-License-Identifier: Apache-2.0
// Inner parts of the stand-in model service: what a request says, what an answer looks like, how bytes leave.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "test/support/model_server.h"

namespace sluice::test {

// `refused`: why the rules of a conversation forbid this body; the rest then need not be whole.
Conversation read_conversation(const std::string& dialect, const core::Json& body, std::string& refused);

// The events of a stream, each with its blank line, faults of Wire that concern whole events included.
std::vector<std::string> stream_events(const Conversation& asked, const Turn& turn);
core::Json plain_answer(const Conversation& asked, const Turn& turn);
core::Json error_body(const std::string& dialect, const std::string& type, const std::string& message, const std::string& code);

// The bytes of `events` as pieces to be written one by one (crlf, bom, cuts).
std::vector<std::string> pieces_of(const std::vector<std::string>& events, const Wire& wire);
// A gzip file that stores `bytes` without packing them.
std::string gzip_stored(const std::string& bytes);

// The socket of a connection whose ports are these; -1 when there is none.
int socket_of(int local_port, int remote_port);
// Answers on the bare socket, for what an HTTP library cannot be made to do. Returns when all is written, or `stop`.
void answer_raw(int fd, const std::string& content_type, const std::vector<std::string>& pieces, const Wire& wire,
                const std::atomic<bool>& stop);

}  // namespace sluice::test
