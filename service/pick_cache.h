// SPDX-License-Identifier: Apache-2.0
// Picks of a plan: a scratch repository, one merge process a core for picks that do not depend on each
// other, and the verdicts of earlier plans.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/pick.h"
#include "ingest/ingest.h"
#include "service/app.h"

namespace sluice::service {

class PickCache {
 public:
  static Result<PickCache> open(App& app);
  // The pick of `upstream` onto tree `onto`; from this run, from an earlier plan when its result tree
  // is not needed or still there, or made now.
  model::Pick pick(const Oid& upstream, const Oid& onto);
  // Picks of many commits onto one tree, in parallel. Progress as "picking onto trunk".
  Result<void> prefetch(const std::vector<Oid>& commits, const Oid& onto);
  // Folds that each start at `onto`, one a thread: pick() then answers from them.
  Result<void> fold_ahead(const std::vector<std::vector<Oid>>& folds, const Oid& onto);
  // For ingest::RangePicks, whose picks are not kept. The picker is the one of pick().
  git::Repo& scratch() { return *scratch_; }
  git::Picker& picker() { return *picker_; }
  // Stores the verdicts made since open(), in one transaction.
  Result<void> store_new();

 private:
  explicit PickCache(App& app) : app_(&app) {}
  using Key = std::pair<Oid, Oid>;
  // Runs `work(picker, task)` for every task, with a process a core. The picks that threads make meet in
  // `made_`, under its mutex; SQLite and scratch_ are touched under it as well.
  Result<void> in_parallel(std::size_t tasks, const char* step,
                           const std::function<void(git::Picker&, std::size_t)>& work);
  model::Pick pick_with(git::Picker& picker, const Oid& upstream, const Oid& onto);
  const model::Pick* known(const Key& key);

  App* app_;
  std::unique_ptr<git::Repo> scratch_;
  std::unique_ptr<git::Picker> picker_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // movable with the cache
  std::map<Key, model::Pick> made_;
  std::vector<Key> fresh_;
  std::string recipe_;
};

}  // namespace sluice::service
