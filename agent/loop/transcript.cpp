// SPDX-License-Identifier: Apache-2.0
// Writing a transcript: a line is on disk before the run goes on.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agent/loop/loop.h"
#include "agent/loop/transcript_line.h"
#include "core/fd.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/step.h"

namespace sluice::agent {
namespace {

Error failed(std::string_view what, const std::string& file, int code) {
  const ErrorKind kind = code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO ? ErrorKind::transient : ErrorKind::denied;
  return make_error(kind, fmt::format("{} {}: {}", what, file, std::strerror(code)));
}

}  // namespace

struct Transcript::State {
  std::string dir, run, file;
  Mask mask;
  const core::Clock* clock = nullptr;
  core::Fd fd;
  std::int64_t lines = 0;
  std::string last;
  std::vector<std::string> blobs;  // put since the last line

  std::string masked(std::string_view text) const { return mask ? mask(text) : std::string(text); }
};

Transcript::Transcript(std::unique_ptr<State> state) : state_(std::move(state)) {}
Transcript::Transcript(Transcript&&) noexcept = default;
Transcript& Transcript::operator=(Transcript&&) noexcept = default;
Transcript::~Transcript() = default;

Result<Transcript> Transcript::open(const std::string& dir, const std::string& run, Mask mask, const core::Clock& clock) {
  TRY(check_run_id(run));
  TRY(core::make_directories(core::join_path(dir, "blobs")));
  auto state = std::make_unique<State>();
  state->dir = dir;
  state->run = run;
  state->file = transcript_file(dir, run);
  state->mask = std::move(mask);
  state->clock = &clock;
  state->fd = core::Fd(::open(state->file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!state->fd) return failed("cannot open", state->file, errno);
  if (::flock(state->fd.get(), LOCK_EX | LOCK_NB) != 0)
    return make_error(ErrorKind::denied, fmt::format("{} is being written by another process; a run has one writer", state->file));
  TRY_ASSIGN(const ReadTranscript before, read_transcript(dir, run));
  if (before.torn_bytes > 0 && ::ftruncate(state->fd.get(), static_cast<off_t>(before.whole_bytes)) != 0)
    return failed("cannot cut the last, broken line off", state->file, errno);
  state->lines = before.check.lines;
  state->last = before.check.last_sha256;
  return Transcript(std::move(state));
}

Result<std::string> Transcript::put_blob(std::string_view bytes) {
  const std::string text = state_->masked(bytes);
  std::string sha = core::sha256_hex(text);
  const std::string file = blob_file(state_->dir, sha);
  if (!core::exists(file)) TRY(core::write_file(file, text));
  state_->blobs.push_back(sha);
  return sha;
}

Result<void> Transcript::add(std::string_view type, core::Json body) {
  if (!is_known_type(type)) return make_error(ErrorKind::internal, fmt::format("'{}' is no type of a transcript's lines", type));
  core::Json line = core::Json::object({{"v", 1}, {"run", state_->run}, {"seq", state_->lines + 1},
                                        {"ts", core::format_utc(state_->clock->now())}, {"type", type}, {"prev", state_->last},
                                        {"body", masked_strings(body, state_->mask)}, {"blobs", core::Json::array_of(state_->blobs)}});
  std::string text = line.dump();
  const std::string sha = core::sha256_hex(text);
  text += '\n';
  const off_t before = ::lseek(state_->fd.get(), 0, SEEK_END);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(state_->fd.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int code = errno;
      // What is there of the line goes again, so that the file stays a chain of whole lines.
      if (::ftruncate(state_->fd.get(), before) != 0) return failed("cannot cut a broken line off", state_->file, errno);
      return failed("cannot write", state_->file, code);
    }
    done += static_cast<std::size_t>(n);
  }
  if (::fdatasync(state_->fd.get()) != 0) return failed("cannot sync", state_->file, errno);
  state_->blobs.clear();
  state_->last = sha;
  ++state_->lines;
  core::step(fmt::format("transcript {}", type));
  return {};
}

const std::string& Transcript::run() const { return state_->run; }
const std::string& Transcript::last_sha256() const { return state_->last; }
std::int64_t Transcript::lines() const { return state_->lines; }

}  // namespace sluice::agent
