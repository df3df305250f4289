// SPDX-License-Identifier: Apache-2.0
// Where fetched objects wait until they are checked: a bare repository inside the store's directory with
// the store as alternate. Nothing of it is visible to the store before `accept`. Inner header of git/.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "core/file.h"
#include "git/git.h"
#include "git/remote.h"

namespace sluice::git {

inline constexpr const char* quarantine_prefix = "incoming-";

class Quarantine {
 public:
  static Result<Quarantine> create(const std::string& store_dir);

  // Fetches `name` (a full ref or a commit id). A non-zero exit is a value.
  Result<core::ProcessResult> fetch(const Remote& remote, const std::string& name, const FetchLimits& limits,
                                    const std::atomic<bool>* cancel) const;
  // Did a fetch that failed fill a file up to the limit? The kernel ends it without a word then.
  bool hit_pack_limit(const FetchLimits& limits) const;
  // The commit fetched.
  Result<Oid> tip() const;
  // Errors: invalid when something new exceeds a limit.
  Result<void> inspect(const Oid& tip, const FetchLimits& limits, const std::atomic<bool>* cancel) const;
  // Moves the packs into the store. Returns how many objects they hold.
  Result<std::int64_t> accept();

 private:
  Quarantine(core::TempDir dir, std::string git_dir, std::string store_dir)
      : dir_(std::move(dir)), git_dir_(std::move(git_dir)), store_dir_(std::move(store_dir)) {}
  Result<std::int64_t> count_objects() const;

  core::TempDir dir_;
  std::string git_dir_, store_dir_;
};

}  // namespace sluice::git
