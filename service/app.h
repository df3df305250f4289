// SPDX-License-Identifier: Apache-2.0
// What one process needs to drive one fork: configuration, store, repository, clock, and the lock that
// keeps a second process out.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/model/config.h"
#include "core/result.h"
#include "git/git.h"
#include "store/store.h"

namespace sluice::service {

using model::Oid;

// What long work says while it runs. `step` is a few words; done/total count units of it (total 0 =
// unknown). Called from one thread; must not block.
using Progress = std::function<void(const std::string& step, std::int64_t done, std::int64_t total)>;

// The lease on a store: an exclusive flock on `<store>/lock`, which the kernel takes back when the process ends,
// however it ends. Children do not inherit it, and die with their parent.
class StoreLock {
 public:
  // Errors: conflict, naming the process that holds it.
  static Result<StoreLock> take(const std::string& store_dir);
  StoreLock(StoreLock&& o) noexcept : fd_(o.fd_) { o.fd_ = -1; }
  StoreLock& operator=(StoreLock&& o) noexcept;
  ~StoreLock();

 private:
  explicit StoreLock(int fd) : fd_(fd) {}
  int fd_;
};

// Which model: of the configuration ([model] use), or what a command line says.
struct ModelChoice {
  std::string model;    // "" = of the configuration; "none"; the name of an endpoint; "replay:DIR"
  std::string record;   // directory for cassettes; "" = none
  bool frozen = false;  // replay: answers in the recorded order, whatever is asked
  std::int64_t backoff_unit_ms = 500;  // of the waits between tries; tests take less
};

struct App {
  model::Config config;
  store::Store store;
  git::Repo repo;
  core::SystemClock clock;
  std::unique_ptr<StoreLock> lock;  // null for commands that only read
  Progress progress = [](const std::string&, std::int64_t, std::int64_t) {};
  const std::atomic<bool>* cancel = nullptr;  // not owned; may be null
  ModelChoice model = {};

  bool cancelled() const { return cancel != nullptr && cancel->load(); }
};

enum class Access { read, write };

// Reads the configuration, opens (creates) store and repository. Errors name the file and what to do.
Result<App> open_app(const std::string& config_path, Access access);

}  // namespace sluice::service
