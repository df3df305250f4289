// SPDX-License-Identifier: Apache-2.0
#include "core/gzip.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/fd.h"
#include "core/text.h"

namespace sluice::core {

struct LineReader::State {
  std::string path;
  Limits limits;
  Fd file;
  bool packed = false, file_ended = false, member_open = false;
  z_stream stream = {};
  std::array<unsigned char, 64u << 10> in = {};
  std::string text;       // unpacked and not returned yet, from `begin`
  std::size_t begin = 0;
  std::size_t total = 0, line = 0;

  ~State() {
    if (packed) inflateEnd(&stream);
  }

  Error wrong(ErrorKind kind, std::string_view what) const {
    return make_error(kind, fmt::format("{}: {} (behind line {})", printable(path, 400), what, line));
  }

  Result<void> read_some() {
    ssize_t got = 0;
    do got = ::read(file.get(), in.data(), in.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) return wrong(ErrorKind::transient, fmt::format("cannot be read on: {}", std::strerror(errno)));
    file_ended = got == 0;
    stream.next_in = in.data();
    stream.avail_in = static_cast<uInt>(got);
    return {};
  }

  Result<void> add(const unsigned char* bytes, std::size_t size) {
    total += size;
    if (total > limits.max_total)
      return wrong(ErrorKind::invalid, fmt::format("more than {} bytes of text", limits.max_total));
    text.append(reinterpret_cast<const char*>(bytes), size);
    return {};
  }

  Result<void> unpack() {
    std::array<unsigned char, 256u << 10> out;
    if (!member_open) {  // another member
      inflateReset(&stream);
      member_open = true;
    }
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      return wrong(ErrorKind::invalid,
                   fmt::format("is not what gzip writes: {}", stream.msg != nullptr ? stream.msg : "damaged"));
    if (result == Z_STREAM_END) member_open = false;
    return add(out.data(), out.size() - stream.avail_out);
  }

  // More text, or file_ended.
  Result<void> more() {
    if (!packed) {
      TRY(read_some());
      return add(in.data(), stream.avail_in);
    }
    if (stream.avail_in == 0) {
      TRY(read_some());
      if (file_ended && member_open) return wrong(ErrorKind::invalid, "is cut short: the packed text has no end");
      if (file_ended) return {};
    }
    return unpack();
  }
};

LineReader::LineReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<LineReader> LineReader::open(const std::string& path, Limits limits) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->limits = limits;
  // Not blocked by a pipe that nobody writes to; the kind is looked at below.
  state->file = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!state->file) {
    const ErrorKind kind = errno == ENOENT || errno == ENOTDIR ? ErrorKind::not_found : ErrorKind::denied;
    return make_error(kind, fmt::format("cannot open {}: {}", printable(path, 400), std::strerror(errno)));
  }
  struct stat info = {};
  if (::fstat(state->file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return make_error(ErrorKind::invalid, fmt::format("{} is not a file", printable(path, 400)));
  TRY(state->read_some());
  if (state->stream.avail_in >= 2 && state->in[0] == 0x1f && state->in[1] == 0x8b) {
    if (inflateInit2(&state->stream, 16 + MAX_WBITS) != Z_OK)
      return make_error(ErrorKind::internal, "zlib cannot be started");
    state->packed = state->member_open = true;
  } else {
    TRY(state->add(state->in.data(), state->stream.avail_in));
  }
  return LineReader(std::move(state));
}

Result<bool> LineReader::next(std::string_view& line) {
  State& s = *state_;
  std::size_t looked = s.begin;
  for (;;) {
    const std::size_t end = s.text.find('\n', looked);
    const bool last = end == std::string::npos && s.file_ended;
    if (last && s.begin == s.text.size()) return false;
    if (end != std::string::npos || last) {
      line = std::string_view(s.text).substr(s.begin, (last ? s.text.size() : end) - s.begin);
      s.begin = last ? s.text.size() : end + 1;
      ++s.line;
      return true;
    }
    if (s.text.size() - s.begin > s.limits.max_line)
      return s.wrong(ErrorKind::invalid, fmt::format("a line of more than {} bytes", s.limits.max_line));
    s.text.erase(0, s.begin);
    s.begin = 0;
    looked = s.text.size();
    TRY(s.more());
  }
}

std::size_t LineReader::number() const { return state_->line; }

}  // namespace sluice::core
