// SPDX-License-Identifier: Apache-2.0
// Inner header: names and lines of transcripts, for who writes them and who checks them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agent/loop/loop.h"

namespace sluice::agent {

// A run id becomes a file name. Errors: invalid, for anything but letters, digits, - and _, 1 to 64 of them.
Result<void> check_run_id(std::string_view run);
std::string transcript_file(const std::string& dir, const std::string& run);
std::string blob_file(const std::string& dir, std::string_view sha256);
bool is_known_type(std::string_view type);

// Every string in it (keys of objects too) through `mask`.
core::Json masked_strings(const core::Json& value, const Mask& mask);

struct ReadTranscript {
  TranscriptCheck check;
  std::size_t whole_bytes = 0;  // of whole lines
  std::size_t torn_bytes = 0;   // after them: a line that was being written when the process or the machine ended
};
// Checks the chain, not the blobs. An absent file is an empty one. Errors: as verify_transcript.
Result<ReadTranscript> read_transcript(const std::string& dir, const std::string& run);

}  // namespace sluice::agent
