// SPDX-License-Identifier: Apache-2.0
// Picks of a plan: a scratch repository, one merge process a core for picks that do not depend on each
// other, and the verdicts of earlier plans.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/pick.h"
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
  // Several commits as one pick (a chain whose end changes nothing, SCENARIOS S8). Not kept.
  model::Pick range(const std::vector<Oid>& members, const Oid& onto);
  // Stores the verdicts made since open(), in one transaction.
  Result<void> store_new();

 private:
  explicit PickCache(App& app) : app_(&app) {}
  App* app_;
  std::unique_ptr<git::Repo> scratch_;
  std::unique_ptr<git::Picker> picker_;
  std::map<std::pair<Oid, Oid>, model::Pick> made_;
  std::vector<std::pair<Oid, Oid>> fresh_;
  std::string recipe_;
};

}  // namespace sluice::service
