// SPDX-License-Identifier: Apache-2.0
#include "service/app.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "agent/rules/rules.h"
#include "config/config.h"
#include "core/file.h"
#include "core/log.h"
#include "core/text.h"
#include "service/policy_ref.h"
#include "service/validating.h"

namespace sluice::service {

namespace {

// The process that "pid N since ..." names has ended.
bool is_gone(const std::string& holder) {
  constexpr std::string_view head = "pid ";
  if (!holder.starts_with(head)) return false;
  const auto pid = static_cast<pid_t>(std::strtol(holder.c_str() + head.size(), nullptr, 10));
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace

Result<StoreLock> StoreLock::take(const std::string& store_dir) {
  const std::string path = core::join_path(store_dir, "lock");
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    return make_error(ErrorKind::denied, fmt::format("cannot open the lock {}: {}", path, std::strerror(errno)));
  }
  bool mine = false;
  std::string holder;
  // A child of a killed holder that had not reached its exec yet still has the lock's descriptor for a moment.
  for (int look = 0; look < 250; ++look) {
    mine = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    holder.assign(128, '\0');
    const ssize_t n = ::pread(fd, holder.data(), holder.size(), 0);
    holder.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    holder = core::printable(core::trim(holder));
    if (mine || !is_gone(holder)) break;
    ::usleep(20'000);
  }
  if (!mine) {
    ::close(fd);
    return make_error(ErrorKind::conflict, fmt::format("another sluice process ({}) is working on the store {}; wait for it, or end it",
                                                       holder, store_dir));
  }
  // Whoever ends in order leaves the file empty. The kernel gives the lock of a killed process free.
  if (!holder.empty()) core::log_warning(fmt::format("the sluice process before this one ({}) was killed or crashed; going on from what it stored", holder));
  const std::string self = fmt::format("pid {} since {}\n", ::getpid(), core::format_utc(std::time(nullptr)));
  // Best effort: the text is only for these messages, the lock itself is the kernel's.
  if (::ftruncate(fd, 0) == 0) (void)!::pwrite(fd, self.data(), self.size(), 0);
  return StoreLock(fd);
}

StoreLock& StoreLock::operator=(StoreLock&& o) noexcept {
  if (this != &o) {
    std::swap(fd_, o.fd_);
  }
  return *this;
}

StoreLock::~StoreLock() {
  if (fd_ < 0) return;
  (void)!::ftruncate(fd_, 0);
  ::close(fd_);
}

namespace {

// A rule of the ladder that there is not would be silently without effect; a driver of a rule's name would stand for it.
Result<void> check_ladder(const model::Config& config) {
  for (const model::ResolverConfig& driver : config.ladder.resolvers) {
    if (agent::region_rule(driver.name) != nullptr)
      return make_error(ErrorKind::invalid, fmt::format("{}: [[resolver]] name: '{}' is the name of a rule; give the driver another one", config.file, driver.name));
  }
  for (const auto& [id, mode] : config.ladder.rules) {
    const agent::RuleInfo* rule = agent::region_rule(id);
    if (rule != nullptr && !rule->proven) continue;
    std::vector<std::string> known;
    for (const agent::RuleInfo& r : agent::region_rules())
      if (!r.proven) known.emplace_back(r.id);
    return make_error(ErrorKind::invalid, fmt::format("{}: [ladder] rules: '{}' is no candidate rule; there are {}", config.file, core::printable(id), core::join(known, ", ")));
  }
  return {};
}

}  // namespace

Result<App> open_app(const std::string& config_path, Access access) {
  TRY_ASSIGN(model::Config config, config::load(config_path));
  TRY(check_rules_of(config.policy, config.file));
  TRY(check_ladder(config));
  // The host is an environment without being named.
  const bool has_host = std::any_of(config.environments.begin(), config.environments.end(),
                                    [](const model::EnvironmentConfig& e) { return e.name == "host"; });
  if (!has_host) config.environments.emplace_back();
  TRY_ASSIGN(core::SystemClock clock, core::SystemClock::from_environment());
  TRY(core::make_directories(config.store_path));
  std::unique_ptr<StoreLock> lock;
  if (access == Access::write) {
    TRY_ASSIGN(StoreLock held, StoreLock::take(config.store_path));
    lock = std::make_unique<StoreLock>(std::move(held));
  }
  TRY_ASSIGN(store::Store store, store::Store::open(config.store_path));
  store.set_now(clock.now());
  TRY_ASSIGN(git::Repo repo, git::Repo::open(core::join_path(config.store_path, "repo.git")));
  if (access == Access::write) {
    TRY(repo.remove_left_over());
    remove_left_over_runs(config.store_path);
  }
  App app{std::move(config), std::move(store), std::move(repo), clock, std::move(lock)};
  remember_policy(app);
  return app;
}

}  // namespace sluice::service
