// SPDX-License-Identifier: Apache-2.0
// What a user would otherwise run, on the same hunks: one side always, git's union merge, wiggle, git rerere.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "service/backtest/case.h"

namespace sluice::service::backtest {

// A scratch file: not synced, for nobody reads it after a crash.
Result<void> write_scratch(const std::string& path, std::string_view text);

// Baselines that need one hunk at a time. Several threads may ask at once.
class Baselines {
 public:
  // Errors: those of a temporary directory.
  static Result<Baselines> open(const std::atomic<bool>* cancel);

  // ours, theirs; union where git is there; wiggle where it is installed. wiggle's conflict, its crash (it does not
  // survive an empty base) and more than ten seconds are no answer.
  // Errors: transient (cancelled), those of writing the files.
  Result<std::map<std::string, Outcome>> ask(const Case& one) const;
  // Program and version by name of the baseline; what is not there says so.
  const std::map<std::string, std::string>& programs() const { return programs_; }
  bool has(const std::string& name) const;
  // Kept results depend on it.
  std::string version() const;

 private:
  explicit Baselines(core::TempDir dir) : dir_(std::move(dir)) {}
  core::TempDir dir_;
  const std::atomic<bool>* cancel_ = nullptr;
  std::map<std::string, std::string> programs_;
  std::unique_ptr<std::atomic<std::size_t>> next_ = std::make_unique<std::atomic<std::size_t>>(0);
};

// `git rerere` in a repository of its own: what was learned from some cases, tried on others. The cases are written to
// files as they come; git runs a few times for all of them.
class Rerere {
 public:
  static Result<Rerere> open(const std::atomic<bool>* cancel);
  Result<void> learn(const Case& one);
  Result<void> ask(const Case& one);  // after all of learn()
  // Case id -> outcome, of those asked.
  Result<std::map<std::string, Outcome>> answers();

 private:
  struct Asked {
    std::string id, file, before, after, resolved;
  };
  explicit Rerere(core::TempDir dir) : dir_(std::move(dir)) {}
  Result<std::string> put(const Case& one);
  Result<void> git(std::vector<std::string> args, std::string input = {});
  Result<void> settle();  // what was learned becomes a recorded resolution
  core::TempDir dir_;
  const std::atomic<bool>* cancel_ = nullptr;
  std::vector<std::pair<std::string, std::string>> learning_;  // file, text as it landed
  std::vector<Asked> asked_;
  std::string index_;  // stages of the files that git has not seen yet
  std::size_t files_ = 0;
};

}  // namespace sluice::service::backtest
