// SPDX-License-Identifier: Apache-2.0
// How a child and its group end.
#include <dirent.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "core/clock.h"
#include "core/file.h"
#include "core/spawn.h"
#include "core/text.h"

namespace sluice::core {
namespace {

// Whether /proc shows a member of the group that can still run. Zombies whose parent does not reap them
// (a container without an init) stay in the group for ever and harm nobody.
bool group_has_living(pid_t group) {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), &::closedir);
  if (!proc) return false;
  while (const dirent* entry = ::readdir(proc.get())) {
    const std::string name = entry->d_name;
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto stat = read_file("/proc/" + name + "/stat", 4096);
    if (!stat) continue;
    const std::size_t close = stat->rfind(") ");  // the command name before it may hold anything
    if (close == std::string::npos) continue;
    const auto fields = split(std::string_view(*stat).substr(close + 2), ' ');
    if (fields.size() < 3 || fields[0] == "Z" || fields[0] == "X") continue;
    pid_t of = 0;
    std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), of);
    if (of == group) return true;
  }
  return false;
}

void wait_for_group_end(pid_t group) {
  // A killed process dies when the kernel next runs it, and one in an uninterruptible wait (NFS) later.
  // Five seconds, then we stop waiting: it cannot execute an instruction of its own any more.
  const std::int64_t deadline = steady_ms() + 5000;
  for (int pause = 1; ::kill(-group, 0) == 0; pause = pause < 32 ? pause * 2 : pause) {
    if (pause >= 8 && !group_has_living(group)) return;
    if (steady_ms() > deadline) return;
    ::poll(nullptr, 0, pause);
  }
}

}  // namespace

Reaped kill_and_reap(Spawned& child) {
  Reaped end;
  if (child.pid <= 0) return end;
  // The leader is not reaped yet, so the group number is still ours. One signal reaches all members, a
  // fork in progress included.
  ::kill(-child.pid, SIGKILL);
  ::kill(child.pid, SIGKILL);  // before its setpgid the child is in no group of its own
  int status = 0;
  struct rusage usage {};
  pid_t got = -1;
  do {
    got = ::wait4(child.pid, &status, 0, &usage);
  } while (got < 0 && errno == EINTR);
  if (got == child.pid) {
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exit_code = WIFSIGNALED(status) ? 128 + end.signal : WEXITSTATUS(status);
    end.max_rss_kib = usage.ru_maxrss;
  }
  wait_for_group_end(child.pid);
  child.pid = -1;
  child.pidfd.close();
  return end;
}

void CappedBuffer::add(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t room = head_cap_ - head_.size();
  head_ += bytes.substr(0, room);
  bytes.remove_prefix(std::min(room, bytes.size()));
  if (bytes.size() >= tail_cap_) {
    ring_.assign(bytes.substr(bytes.size() - tail_cap_));
    start_ = 0;
    return;
  }
  if (ring_.size() < tail_cap_) {
    const std::size_t fits = std::min(tail_cap_ - ring_.size(), bytes.size());
    ring_ += bytes.substr(0, fits);
    bytes.remove_prefix(fits);
  }
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), ring_.size() - start_);
    bytes.copy(ring_.data() + start_, n);
    bytes.remove_prefix(n);
    start_ = (start_ + n) % ring_.size();
  }
}

std::string CappedBuffer::text() const {
  const std::uint64_t kept = head_.size() + ring_.size();
  std::string out = head_;
  if (kept < total_) out += "\n[... truncated " + std::to_string(total_ - kept) + " bytes ...]\n";
  out.append(ring_, start_);
  out.append(ring_, 0, start_);
  return out;
}

}  // namespace sluice::core
