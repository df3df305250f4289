// SPDX-License-Identifier: Apache-2.0
#include "git/quarantine.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/clock.h"
#include "core/text.h"
#include "git/isolation.h"
#include "git/repo_state.h"

namespace sluice::git {

namespace {

constexpr const char* incoming_ref = "refs/heads/incoming";

std::vector<std::filesystem::path> pack_files(const std::string& git_dir) {
  std::vector<std::filesystem::path> out;
  std::error_code failed;
  for (std::filesystem::directory_iterator it(core::join_path(git_dir, "objects/pack"), failed), end; it != end;
       it.increment(failed)) {
    if (failed) break;
    out.push_back(it->path());
  }
  // A pack is found by its index: that one moves last.
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::pair(a.extension() == ".idx", a) < std::pair(b.extension() == ".idx", b);
  });
  return out;
}

// One line of `rev-list --objects`: "<oid>[ <path>]".
Result<void> check_path(std::string_view line, const FetchLimits& limits) {
  if (line.size() <= 41) return {};
  const auto path = line.substr(41);
  if (path.size() > limits.path_bytes)
    return make_error(ErrorKind::invalid, fmt::format("a fetched tree holds a path of {} bytes, the limit is {}: {}",
                                                      path.size(), limits.path_bytes, core::printable(path, 120)));
  const auto depth = std::count(path.begin(), path.end(), '/') + 1;
  if (depth > limits.tree_depth)
    return make_error(ErrorKind::invalid, fmt::format("a fetched tree is {} directories deep, the limit is {}: {}", depth,
                                                      limits.tree_depth, core::printable(path, 120)));
  return {};
}

}  // namespace

Result<Quarantine> Quarantine::create(const std::string& store_dir) {
  TRY_ASSIGN(auto dir, core::TempDir::create_in(store_dir, quarantine_prefix));
  const std::string git_dir = core::join_path(dir.path(), "repo.git");
  TRY(create_bare(git_dir, {object_directory(store_dir)}));
  return Quarantine(std::move(dir), git_dir, store_dir);
}

Result<core::ProcessResult> Quarantine::fetch(const Remote& remote, const std::string& name, const FetchLimits& limits,
                                              const std::atomic<bool>* cancel) const {
  GitCall call{.git_dir = git_dir_,
               .args = {"fetch", "--quiet", "--no-tags", "--no-auto-maintenance", "--no-recurse-submodules",
                        "--no-write-fetch-head", remote.url, "+" + name + ":" + incoming_ref},
               .settings = transfer_settings()};
  call.network = true;
  call.timeout_ms = limits.timeout_s * 1000;
  call.cancel = cancel;
  // The pack arrives as one file: the kernel stops it at the limit, whatever the other side announced.
  call.limits = {{RLIMIT_FSIZE, static_cast<std::uint64_t>(limits.pack_bytes)}};
  return run_git(call);
}

bool Quarantine::hit_pack_limit(const FetchLimits& limits) const {
  const auto files = pack_files(git_dir_);
  return std::any_of(files.begin(), files.end(), [&limits](const auto& file) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(file, failed);
    return !failed && size >= static_cast<std::uintmax_t>(limits.pack_bytes);
  });
}

Result<Oid> Quarantine::tip() const {
  TRY_ASSIGN(const auto reader, Reader::open(git_dir_));
  return reader.resolve(incoming_ref);
}

Result<std::int64_t> Quarantine::count_objects() const {
  std::int64_t count = 0;
  for (const auto& file : pack_files(git_dir_)) {
    if (file.extension() != ".pack") continue;
    // "PACK", version, number of objects: big-endian words of four bytes.
    unsigned char head[12] = {};
    std::ifstream in(file, std::ios::binary);
    in.read(reinterpret_cast<char*>(head), sizeof head);
    if (!in) return make_error(ErrorKind::invalid, "the fetched pack is truncated");
    count += (std::int64_t{head[8]} << 24) | (head[9] << 16) | (head[10] << 8) | head[11];
  }
  return count;
}

Result<void> Quarantine::inspect(const Oid& tip, const FetchLimits& limits, const std::atomic<bool>* cancel) const {
  TRY_ASSIGN(const std::int64_t objects, count_objects());
  if (objects > limits.objects)
    return make_error(ErrorKind::invalid, fmt::format("the fetched pack holds {} objects, the limit is {}", objects, limits.objects));
  if (objects == 0) return {};
  core::ProcessOptions options;
  options.argv = git_command(git_dir_, {"rev-list", "--objects", tip, "--not", "--alternate-refs"});
  options.env = isolated_environment();
  TRY_ASSIGN(auto child, core::ChildProcess::start(options));
  const std::int64_t deadline = core::steady_ms() + limits.timeout_s * 1000;
  std::string buffer;
  while (true) {
    if (cancel != nullptr && cancel->load()) return make_error(ErrorKind::transient, "the fetch was cancelled");
    if (core::steady_ms() > deadline) return make_error(ErrorKind::transient, "listing the fetched objects took too long");
    TRY_ASSIGN(const std::size_t got, child.read_some(buffer, 60'000));
    std::size_t start = 0;
    for (auto end = buffer.find('\n'); end != std::string::npos; start = end + 1, end = buffer.find('\n', start))
      TRY(check_path(std::string_view(buffer).substr(start, end - start), limits));
    buffer.erase(0, start);
    if (buffer.size() > limits.path_bytes + 64) TRY(check_path(buffer, limits));
    if (got == 0) break;
  }
  const int code = child.wait(10'000);
  if (code == 0) return {};
  return make_error(ErrorKind::invalid, fmt::format("the fetched history cannot be listed (status {}): {}", code,
                                                    core::printable(core::trim(child.take_stderr()), 300)));
}

Result<std::int64_t> Quarantine::accept() {
  TRY_ASSIGN(const std::int64_t objects, count_objects());
  const std::string into = core::join_path(store_dir_, "objects/pack");
  TRY(core::make_directories(into));
  for (const auto& file : pack_files(git_dir_)) {
    const std::string extension = file.extension();
    if (extension != ".pack" && extension != ".idx" && extension != ".rev") continue;
    std::error_code failed;
    std::filesystem::rename(file, std::filesystem::path(into) / file.filename(), failed);
    if (failed) return make_error(ErrorKind::internal, fmt::format("cannot move {} into the store: {}", file.string(), failed.message()));
  }
  return objects;
}

}  // namespace sluice::git
