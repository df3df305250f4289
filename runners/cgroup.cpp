// SPDX-License-Identifier: Apache-2.0
#include "runners/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>

#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"

namespace sluice::runners {
namespace {

constexpr std::string_view leaf_prefix = "sluice-run-";

// Files of cgroupfs take one value in one write; read_file cannot be used for all of them (size 0).
bool put(const std::string& file, const std::string& value) {
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  close(fd);
  return ok;
}

std::string slurp(const std::string& file) {
  std::string text;
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0 && text.size() < (1u << 20);) text.append(buffer, n);
  close(fd);
  return text;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string new_leaf_name() {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}{}-{}", leaf_prefix, getpid(), counter++);
}

// A run that ended with kill -9 leaves its (empty) leaf behind.
void clear_dead_leaves(const std::string& directory) {
  DIR* dir = opendir(directory.c_str());
  if (dir == nullptr) return;
  while (const dirent* item = readdir(dir)) {
    const std::string_view name = item->d_name;
    if (!name.starts_with(leaf_prefix)) continue;
    const auto pid = static_cast<pid_t>(number(name.substr(leaf_prefix.size())));
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) rmdir(core::join_path(directory, name).c_str());
  }
  closedir(dir);
}

// What a leaf made in `directory` could do; nullopt when none can be made there.
std::optional<CgroupSite> try_site(int version, const std::string& directory) {
  clear_dead_leaves(directory);
  const std::string leaf = core::join_path(directory, new_leaf_name());
  if (mkdir(leaf.c_str(), 0755) != 0) return std::nullopt;
  const auto has = [&](const char* file) { return access((leaf + "/" + file).c_str(), W_OK) == 0; };
  CgroupSite site{version, directory};
  site.memory = has(version == 2 ? "memory.max" : "memory.limit_in_bytes");
  site.pids = has("pids.max");
  site.cpu = has(version == 2 ? "cpu.weight" : "cpu.shares");
  site.kill = has("cgroup.kill");
  rmdir(leaf.c_str());
  return site;
}

std::string parent_of(const std::string& directory) { return directory.substr(0, directory.rfind('/')); }

struct Mount {
  int version;
  std::string directory;  // mount point
  std::string own;        // the directory of our own group
};

std::vector<Mount> cgroup_mounts() {
  // Lines of /proc/self/cgroup: "id:controllers:path"; controllers is empty for v2.
  std::map<std::string, std::string, std::less<>> own;
  const std::string memberships = slurp("/proc/self/cgroup");
  for (const auto line : core::split_lines(memberships)) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string path(line.substr(second + 1));
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) own[""] = path;
    for (const auto name : core::split(controllers, ',')) own[std::string(name)] = path;
  }
  std::vector<Mount> mounts;
  const std::string table = slurp("/proc/self/mounts");
  for (const auto line : core::split_lines(table)) {
    const auto fields = core::split(line, ' ');
    if (fields.size() < 4 || (fields[2] != "cgroup" && fields[2] != "cgroup2")) continue;
    std::string key;  // v1: the first of its controllers that we use
    if (fields[2] == "cgroup") {
      for (const auto option : core::split(fields[3], ','))
        if (option == "pids" || option == "memory" || option == "cpu") key = option;
      if (key.empty()) continue;
    }
    Mount mount{fields[2] == "cgroup2" ? 2 : 1, std::string(fields[1]), ""};
    // In a container the path may be the host's while the mount is already rooted there.
    const auto at = own.find(key);
    mount.own = at == own.end() || at->second == "/" ? mount.directory : mount.directory + at->second;
    if (!core::exists(mount.own)) mount.own = mount.directory;
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

// v2: a group that holds processes lends no controllers to its children (except the root), so the leaf
// may have to stand beside us instead of below us.
std::optional<CgroupSite> find_v2(const Mount& mount) {
  std::vector<std::string> places{mount.own};
  if (mount.own != mount.directory) {
    places.push_back(parent_of(mount.own));
    if (places.back() != mount.directory) places.push_back(mount.directory);
  }
  std::optional<CgroupSite> weaker;
  for (const auto& place : places) {
    auto site = try_site(2, place);
    if (site && !(site->memory && site->pids)) {
      for (const char* controller : {"+memory", "+pids", "+cpu"}) put(place + "/cgroup.subtree_control", controller);
      site = try_site(2, place);
    }
    if (site && site->memory && site->pids) return site;
    if (site && !weaker) weaker = site;
  }
  return weaker;
}

}  // namespace

std::vector<CgroupSite> find_cgroups() {
  std::vector<CgroupSite> sites;
  bool memory = false, pids = false, cpu = false;
  const auto mounts = cgroup_mounts();
  for (const auto& mount : mounts) {
    if (mount.version != 2) continue;
    if (const auto site = find_v2(mount)) {
      memory |= site->memory, pids |= site->pids, cpu |= site->cpu;
      sites.push_back(*site);
      break;
    }
  }
  for (const auto& mount : mounts) {
    if (mount.version != 1) continue;
    auto site = try_site(1, mount.own);
    if (!site) continue;
    site->memory &= !memory, site->pids &= !pids, site->cpu &= !cpu;
    if (!site->memory && !site->pids && !site->cpu) continue;
    memory |= site->memory, pids |= site->pids, cpu |= site->cpu;
    sites.push_back(*site);
  }
  return sites;
}

std::string describe(const std::vector<CgroupSite>& sites) {
  std::string text;
  for (const int version : {2, 1}) {
    std::string what;
    const auto add = [&](bool present, const char* name) {
      if (present) what += what.empty() ? name : std::string(",") + name;
    };
    bool pids = false, memory = false, cpu = false, kill = false;
    for (const auto& site : sites) {
      if (site.version != version) continue;
      pids |= site.pids, memory |= site.memory, cpu |= site.cpu, kill |= site.kill;
    }
    add(pids, "pids"), add(memory, "memory"), add(cpu, "cpu"), add(kill, "kill");
    if (!what.empty()) text += fmt::format("{}cgroup-v{} {}", text.empty() ? "" : " + ", version, what);
  }
  return text.empty() ? "rlimits" : text + " + rlimits";
}

Result<CgroupLeaf> CgroupLeaf::create(const std::vector<CgroupSite>& sites, const CgroupLimits& limits) {
  CgroupLeaf leaf;
  const std::string name = new_leaf_name();
  for (const auto& site : sites) {
    const std::string directory = core::join_path(site.directory, name);
    if (mkdir(directory.c_str(), 0755) != 0)
      return make_error(ErrorKind::denied, fmt::format("cannot make cgroup '{}': {}", directory, std::strerror(errno)));
    leaf.directories_.push_back(directory);
    bool ok = true;
    if (site.memory && limits.memory_bytes > 0) {
      const std::string bytes = std::to_string(limits.memory_bytes);
      ok = put(directory + (site.version == 2 ? "/memory.max" : "/memory.limit_in_bytes"), bytes);
      // Swap would only delay the end; absent where swap accounting is off.
      put(directory + (site.version == 2 ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes"),
          site.version == 2 ? "0" : bytes);
    }
    if (ok && site.pids && limits.pids > 0) ok = put(directory + "/pids.max", std::to_string(limits.pids));
    // Half the ordinary share: a build must not starve the process that watches it.
    if (ok && site.cpu) put(directory + (site.version == 2 ? "/cpu.weight" : "/cpu.shares"), site.version == 2 ? "50" : "512");
    if (!ok)
      return make_error(ErrorKind::denied, fmt::format("cannot set the limits of cgroup '{}': {}", directory, std::strerror(errno)));
  }
  return leaf;
}

std::vector<std::string> CgroupLeaf::procs_files() const {
  std::vector<std::string> files;
  for (const auto& directory : directories_) files.push_back(directory + "/cgroup.procs");
  return files;
}

bool CgroupLeaf::kill_all() {
  const std::int64_t deadline = core::steady_ms() + 10'000;
  for (;;) {
    bool empty = true;
    for (const auto& directory : directories_) {
      const std::string members = slurp(directory + "/cgroup.procs");
      const auto pids = core::split_lines(members);
      if (pids.empty()) continue;
      empty = false;
      if (put(directory + "/cgroup.kill", "1")) continue;
      for (const auto pid : pids)
        if (const auto id = static_cast<pid_t>(number(pid)); id > 0) kill(id, SIGKILL);
    }
    if (empty) return true;
    if (core::steady_ms() > deadline) return false;
    poll(nullptr, 0, 2);  // the kernel tells of an empty group on v2 only
  }
}

std::string CgroupLeaf::limits_hit() const {
  const auto count = [](const std::string& text, std::string_view key) {
    for (const auto line : core::split_lines(text))
      if (line.starts_with(key) && line.substr(key.size()).starts_with(' ')) return number(line.substr(key.size() + 1));
    return std::int64_t{0};
  };
  std::string text;
  for (const auto& directory : directories_) {
    std::int64_t killed = count(slurp(directory + "/memory.events"), "oom_kill");
    if (killed == 0) killed = count(slurp(directory + "/memory.oom_control"), "oom_kill");
    const std::int64_t refused = count(slurp(directory + "/pids.events"), "max");
    const auto add = [&](std::string what) { text += (text.empty() ? "" : "; ") + what; };
    if (killed > 0) add(fmt::format("memory limit reached, {} processes killed", killed));
    if (refused > 0) add(fmt::format("process limit reached, {} forks refused", refused));
  }
  return text;
}

CgroupLeaf::~CgroupLeaf() {
  if (directories_.empty()) return;
  kill_all();
  for (const auto& directory : directories_) {
    for (int attempt = 0; attempt < 50 && rmdir(directory.c_str()) != 0 && errno == EBUSY; ++attempt) poll(nullptr, 0, 2);
  }
}

}  // namespace sluice::runners
