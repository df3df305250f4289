// SPDX-License-Identifier: Apache-2.0
// What the bytes of one answer amount to, whichever dialect they are in and whichever way they came.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/llm/llm.h"
#include "core/sse.h"

namespace sluice::agent {

constexpr std::size_t max_answer_bytes = 8u << 20;    // of one JSON document, and of the content of a stream
constexpr std::size_t max_stream_bytes = 64u << 20;   // of a stream with all its wrapping
constexpr std::size_t max_answer_depth = 64;

// An error object, in a body or in mid-stream. `code`: code, or details.error_code; a number is written out.
struct WireError {
  std::string type, code, message;
};

struct Decoded {
  LlmReply reply;
  bool complete = false;  // the end that the dialect promises was seen
  bool broken = false;    // something that was no JSON, or no word of the dialect, came before it
  bool any = false;       // anything of the dialect came
  std::optional<WireError> error;
};

WireError read_error(const core::Json& error);
// "error" of a body, or nullopt. The bare object of llama.cpp ({code, message, type}) counts as one.
std::optional<WireError> error_in(const core::Json& body);

// One an answer; of no use after end().
class AnswerDecoder {
 public:
  virtual ~AnswerDecoder() = default;
  virtual void event(const core::SseEvent& event) = 0;  // of a stream
  virtual void whole(const core::Json& body) = 0;       // a document instead of a stream
  virtual Decoded end() = 0;                            // validated (validate_reply)
};
std::unique_ptr<AnswerDecoder> messages_decoder();
std::unique_ptr<AnswerDecoder> chat_decoder();

// Bytes of an answer as they come -> Decoded. Decides by their content what they are: a stream, a document, or neither.
class AnswerReader {
 public:
  explicit AnswerReader(std::unique_ptr<AnswerDecoder> decoder);
  void feed(std::string_view bytes);
  // `whole`: the transport ended as it should; then a document that cannot be read is an answer that is not valid.
  Decoded end(bool whole);

 private:
  enum class Form { unknown, stream, document, neither } form_ = Form::unknown;
  void begin(std::string_view bytes);
  std::unique_ptr<AnswerDecoder> decoder_;
  core::SseParser parser_{max_answer_bytes};
  std::string head_, document_;
  bool broken_ = false;
};

// ---- shared by the dialects -------------------------------------------------------------------------------------

// One JSON value within the caps. Text whose bytes were cut in the middle of a UTF-8 sequence is read too, with these
// bytes in its strings: the pieces are joined before they are looked at.
std::optional<core::Json> parse_piece(std::string_view text);
// Arguments of a call from their text: empty = {}.
std::optional<core::Json> parse_arguments(std::string_view raw);

// Token counts, as the last number seen of each. Ends unknown when one is no count, falls, or never came.
class CountedTokens {
 public:
  void see(const core::Json& value);
  bool seen() const { return seen_; }
  bool bad() const { return bad_; }
  std::int64_t value() const { return value_; }

 private:
  bool seen_ = false, bad_ = false;
  std::int64_t value_ = 0;
};

// Makes of an answer that breaks the protocol (call ids that are empty or twice, names that are none, too much of it)
// one without calls, with `invalid` set.
void validate_reply(LlmReply& reply);

}  // namespace sluice::agent
