// SPDX-License-Identifier: Apache-2.0
#include "core/sse.h"

#include <fmt/format.h>

#include <utility>

namespace sluice::core {

Result<void> SseParser::feed(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    if (after_cr_) {  // the LF of a CRLF may come with the next piece
      after_cr_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + event_.data.size() + part.size() > max_) {
      return make_error(ErrorKind::invalid, fmt::format("an event of the stream is longer than {} bytes", max_));
    }
    line_ += part;
    if (end == std::string_view::npos) return {};
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(sink);
  }
  return {};
}

void SseParser::finish(const Sink& sink) {
  if (line_.empty()) dispatch(sink);
}

void SseParser::end_line(const Sink& sink) {
  std::string_view line = line_;
  if (first_line_ && line.substr(0, 3) == "\xEF\xBB\xBF") line.remove_prefix(3);
  first_line_ = false;
  if (line.empty()) {
    line_.clear();
    dispatch(sink);
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  const bool error_line = field == "error";
  if (field == "data" || error_line) {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  }
  if (field == "event") event_.name = value;
  if (error_line) event_.name = "error";
  line_.clear();
}

void SseParser::dispatch(const Sink& sink) {
  const SseEvent event = std::move(event_);
  event_ = {};
  if (!std::exchange(has_data_, false)) return;
  sink(event);
}

}  // namespace sluice::core
