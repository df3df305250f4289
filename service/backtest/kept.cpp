// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/kept.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/file.h"
#include "core/gzip.h"

namespace sluice::service::backtest {

namespace {

Error trouble(const char* what, const std::string& path, int error) {
  return make_error(error == ENOSPC ? ErrorKind::transient : ErrorKind::denied, fmt::format("cannot {} {}: {}", what, path, std::strerror(error)));
}

// Whoever was killed while writing left a piece of a line: the next one begins on its own.
Result<bool> ends_with_a_piece(const core::Fd& file, const std::string& path) {
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size <= 0) return false;
  char last = '\n';
  if (::pread(file.get(), &last, 1, size - 1) != 1) return trouble("read", path, errno);
  return last != '\n';
}

}  // namespace

Result<KeptLines> KeptLines::open(const std::string& dir) {
  KeptLines out;
  if (dir.empty()) return out;
  TRY(core::make_directories(dir));
  out.path_ = core::join_path(dir, "backtest.jsonl");
  out.file_ = core::Fd(::open(out.path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!out.file_) return trouble("open", out.path_, errno);
  if (::flock(out.file_.get(), LOCK_EX | LOCK_NB) != 0)
    return make_error(ErrorKind::conflict, fmt::format("another `sluice backtest` works with {}; wait for it, or give another --state", out.path_));
  TRY_ASSIGN(core::LineReader lines, core::LineReader::open(out.path_));
  for (std::string_view line;;) {
    TRY_ASSIGN(const bool more, lines.next(line));
    if (!more) break;
    auto json = core::Json::parse(line);
    if (!json.ok() || !(*json)["key"].is_string() || !json->has("value")) continue;
    out.lines_.insert_or_assign((*json)["key"].as_string(), (*json)["value"]);
  }
  TRY_ASSIGN(const bool piece, ends_with_a_piece(out.file_, out.path_));
  if (piece) TRY(out.append("\n"));
  return out;
}

const core::Json* KeptLines::find(const std::string& key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() ? nullptr : &found->second;
}

Result<void> KeptLines::add(const std::string& key, core::Json value) {
  if (path_.empty()) return {};
  TRY(append(core::Json::object({{"key", key}, {"value", value}}).dump() + "\n"));
  lines_.insert_or_assign(key, std::move(value));
  return {};
}

Result<void> KeptLines::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return trouble("write", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace sluice::service::backtest
