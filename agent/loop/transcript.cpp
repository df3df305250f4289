// SPDX-License-Identifier: Apache-2.0
// Writing a transcript. A line is written before the run goes on; what was written is on the disk before a request
// leaves, and at the end. A killed process loses nothing, a machine without power at most the turn that it was in.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

// errno; 0 = all of it is written.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

// Longer than any secret: one that crosses the end of what is known to be clean begins within it.
constexpr std::size_t margin = 16 << 10;

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

struct Transcript::State {
  std::string dir, run, file;
  Mask mask;
  const core::Clock* clock = nullptr;
  core::Fd fd;
  std::int64_t lines = 0;
  std::string last;
  std::vector<std::string> blobs;     // put since the last line
  std::vector<core::Fd> not_synced;   // blobs that may not be on the disk yet

  // The last long payload, where the mask changed nothing in it. Each request of a run begins with the one before.
  std::string clean;

  Result<void> write_blob(const std::string& blob, std::string_view text);
  Result<void> sync();

  std::string masked(std::string_view text) {
    if (!mask) return std::string(text);
    const std::size_t same = common_prefix(clean, text);
    if (same > margin && mask(text.substr(same - margin)) == text.substr(same - margin)) return clean = text;
    std::string out = mask(text);
    if (text.size() > 2 * margin && out == text) clean = out;
    return out;
  }
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
  if (!core::exists(file)) TRY(state_->write_blob(file, text));
  state_->blobs.push_back(sha);
  return sha;
}

// Renamed into place when whole, so that a file of that name is never half of one. Synced with the lines that name it.
Result<void> Transcript::State::write_blob(const std::string& blob, std::string_view text) {
  const std::string sibling = fmt::format("{}.{}", blob, run);
  core::Fd to(::open(sibling.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!to) return failed("cannot open", sibling, errno);
  if (const int code = write_all(to.get(), text); code != 0 || ::rename(sibling.c_str(), blob.c_str()) != 0) {
    const int why = code != 0 ? code : errno;
    ::unlink(sibling.c_str());
    return failed("cannot write", blob, why);
  }
  not_synced.push_back(std::move(to));
  return {};
}

// First what lines name, then the lines.
Result<void> Transcript::State::sync() {
  for (const core::Fd& blob : not_synced)
    if (::fdatasync(blob.get()) != 0) return failed("cannot sync a payload of", file, errno);
  if (!not_synced.empty()) {
    const core::Fd directory(::open(core::join_path(dir, "blobs").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) ::fsync(directory.get());  // some file systems refuse: the payloads themselves are there
  }
  not_synced.clear();
  if (::fdatasync(fd.get()) != 0) return failed("cannot sync", file, errno);
  return {};
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
  if (const int code = write_all(state_->fd.get(), text); code != 0) {
    // What is there of the line goes again, so that the file stays a chain of whole lines.
    if (::ftruncate(state_->fd.get(), before) != 0) return failed("cannot cut a broken line off", state_->file, errno);
    return failed("cannot write", state_->file, code);
  }
  state_->blobs.clear();
  state_->last = sha;
  ++state_->lines;
  if (type == "llm_request" || type == "stop") TRY(state_->sync());
  core::step(fmt::format("transcript {}", type));
  return {};
}

const std::string& Transcript::run() const { return state_->run; }
const std::string& Transcript::last_sha256() const { return state_->last; }
std::int64_t Transcript::lines() const { return state_->lines; }

}  // namespace sluice::agent
