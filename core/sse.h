// SPDX-License-Identifier: Apache-2.0
// Server-sent events: bytes in, events out. A line, a UTF-8 sequence or a line end may be split anywhere.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace sluice::core {

struct SseEvent {
  std::string name;  // of its `event:` line; empty when it has none
  std::string data;  // its `data:` lines joined with LF
};

// Lines end with LF, CR or CRLF. A leading BOM, comments and unknown fields are ignored, except a line `error: ...`
// (old llama.cpp servers report trouble so): it is an event named `error`. An event without data is none.
class SseParser {
 public:
  using Sink = std::function<void(const SseEvent&)>;
  explicit SseParser(std::size_t max_event_bytes = 8u << 20) : max_(max_event_bytes) {}

  // Errors: invalid, for an event longer than the cap; the parser is of no use afterwards.
  Result<void> feed(std::string_view bytes, const Sink& sink);
  // The stream is over: an event of whole lines that lacks only its blank line counts, half a line does not.
  void finish(const Sink& sink);

 private:
  void end_line(const Sink& sink);
  void dispatch(const Sink& sink);

  std::size_t max_;
  std::string line_;
  SseEvent event_;
  bool has_data_ = false, after_cr_ = false, first_line_ = true;
};

}  // namespace sluice::core
