// SPDX-License-Identifier: Apache-2.0
#include "service/calibrate/kept.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"

namespace sluice::service::calibrate {

namespace {

constexpr std::size_t most_bytes = 256u << 20;
constexpr std::size_t most_stale = 20'000;  // lines of other contexts

Error trouble(const char* what, const std::string& path, int error) {
  return make_error(error == ENOSPC ? ErrorKind::transient : ErrorKind::denied, fmt::format("cannot {} {}: {}", what, path, std::strerror(error)));
}

}  // namespace

Result<Kept> Kept::open(const std::string& dir, const std::string& context) {
  Kept out;
  out.context_ = context;
  if (dir.empty()) return out;
  TRY(core::make_directories(dir));
  out.path_ = core::join_path(dir, "calibrate.jsonl");
  out.file_ = core::Fd(::open(out.path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!out.file_) return trouble("open", out.path_, errno);
  if (::flock(out.file_.get(), LOCK_EX | LOCK_NB) != 0) {
    return make_error(ErrorKind::conflict, fmt::format("another `sluice calibrate` works with {}; wait for it, or give another --out-dir", out.path_));
  }
  TRY_ASSIGN(std::string text, core::read_file(out.path_, most_bytes));
  TRY(out.load(std::move(text)));
  return out;
}

Result<void> Kept::load(std::string text) {
  // Whoever was killed while writing left a piece of a line: the next one begins on its own.
  if (!text.empty() && text.back() != '\n') TRY(append("\n"));
  std::size_t stale = 0;
  std::string ours;
  for (const std::string_view line : core::split_lines(text)) {
    const auto json = core::Json::parse(line);
    if (!json.ok()) continue;
    const std::string& key = (*json)["key"].as_string();
    if (!key.starts_with(context_ + "-")) {
      ++stale;
      continue;
    }
    auto result = parse_result(*json);
    if (!result.ok()) continue;
    ours += std::string(line) + "\n";
    results_.insert_or_assign(key, std::move(*result));
  }
  if (stale <= most_stale) return {};
  // In place, for the lock is on this very file. Killed in between, what is lost is made again.
  if (::ftruncate(file_.get(), 0) != 0) return trouble("shorten", path_, errno);
  return append(ours);
}

std::string Kept::key_of(const Row& row) const {
  core::Sha256 sha;
  sha.add(row.commit + " " + row.parent);
  for (const Oid& upstream : row.upstream) sha.add(" " + upstream);
  return fmt::format("{}-{}", context_, sha.hex().substr(0, 24));
}

std::optional<RowResult> Kept::find(const Row& row) const {
  const auto found = results_.find(key_of(row));
  return found == results_.end() ? std::nullopt : std::optional(found->second);
}

Result<void> Kept::add(const Row& row, const RowResult& result) {
  if (path_.empty()) return {};
  core::Json json = to_json(result);
  json.set("key", key_of(row));
  return append(json.dump() + "\n");
}

Result<void> Kept::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return trouble("write", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace sluice::service::calibrate
