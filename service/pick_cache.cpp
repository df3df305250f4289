// SPDX-License-Identifier: Apache-2.0
#include "service/pick_cache.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/hash.h"
#include "ingest/ingest.h"

namespace sluice::service {

namespace {

// Everything besides the three trees that a pick depends on: git's settings and our path policy.
std::string recipe_of(const App& app) {
  core::Sha256 sha;
  sha.add(git::pick_recipe_version());
  for (const model::PathConfig& path : app.config.policy.paths) {
    sha.add(path.glob + "|" + std::to_string(static_cast<int>(path.klass)) +
            std::to_string(static_cast<int>(path.upstream)) + std::to_string(static_cast<int>(path.missing)) + "\n");
  }
  return sha.hex();
}

}  // namespace

Result<PickCache> PickCache::open(App& app) {
  PickCache cache(app);
  TRY_ASSIGN(git::Repo scratch, app.repo.scratch());
  cache.scratch_ = std::make_unique<git::Repo>(std::move(scratch));
  TRY_ASSIGN(git::Picker picker, git::Picker::open(*cache.scratch_, app.config.policy.paths));
  cache.picker_ = std::make_unique<git::Picker>(std::move(picker));
  cache.recipe_ = recipe_of(app);
  return cache;
}

model::Pick PickCache::pick(const Oid& upstream, const Oid& onto) {
  const auto key = std::make_pair(upstream, onto);
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  auto stored = app_->store.pick(recipe_, upstream, onto);
  if (stored.ok() && *stored) {
    model::Pick& known = **stored;
    // A clean result may be picked onto next, so its tree must be at hand; scratch objects of an
    // earlier plan are gone.
    if (known.status != model::PickStatus::clean || scratch_->reader().has(known.tree)) {
      return made_.emplace(key, std::move(known)).first->second;
    }
  }
  model::Pick made = picker_->pick(upstream, onto);
  if (made.status != model::PickStatus::error) fresh_.push_back(key);
  return made_.emplace(key, std::move(made)).first->second;
}

model::Pick PickCache::range(const std::vector<Oid>& members, const Oid& onto) {
  return ingest::pick_range(*scratch_, *picker_, members, onto);
}

Result<void> PickCache::prefetch(const std::vector<Oid>& commits, const Oid& onto) {
  std::vector<Oid> todo;
  for (const Oid& commit : commits) {
    auto stored = app_->store.pick(recipe_, commit, onto);
    if (stored.ok() && *stored && (*stored)->status != model::PickStatus::clean) {
      made_.emplace(std::make_pair(commit, onto), std::move(**stored));
    } else if (!made_.contains({commit, onto})) {
      todo.push_back(commit);
    }
  }
  if (todo.empty()) return {};

  const std::size_t workers = std::clamp<std::size_t>(
      app_->config.jobs > 0 ? static_cast<std::size_t>(app_->config.jobs) : std::thread::hardware_concurrency(), 1,
      std::max<std::size_t>(1, todo.size() / 8));
  std::vector<model::Pick> results(todo.size());
  std::vector<std::optional<Error>> failures(workers);
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  const std::string scratch_dir = scratch_->git_dir();
  for (std::size_t w = 0; w < workers; ++w) {
    threads.emplace_back([&, w] {
      // A repository handle of its own on the same scratch objects: one thread, one handle.
      auto repo = git::Repo::open(scratch_dir);
      if (!repo.ok()) {
        failures[w] = repo.error();
        return;
      }
      auto picker = git::Picker::open(*repo, app_->config.policy.paths);
      if (!picker.ok()) {
        failures[w] = picker.error();
        return;
      }
      for (std::size_t i = next.fetch_add(1); i < todo.size(); i = next.fetch_add(1)) {
        if (app_->cancelled()) return;
        results[i] = picker->pick(todo[i], onto);
        if (w == 0) app_->progress("picking onto trunk", static_cast<std::int64_t>(i + 1),
                                   static_cast<std::int64_t>(todo.size()));
      }
    });
  }
  threads.clear();
  for (const auto& failure : failures) {
    if (failure) return *failure;
  }
  if (app_->cancelled()) return make_error(ErrorKind::transient, "cancelled");
  for (std::size_t i = 0; i < todo.size(); ++i) {
    const auto key = std::make_pair(todo[i], onto);
    if (results[i].status != model::PickStatus::error) fresh_.push_back(key);
    made_.emplace(key, std::move(results[i]));
  }
  return {};
}

Result<void> PickCache::store_new() {
  if (fresh_.empty()) return {};
  std::vector<model::Pick> picks;
  for (const auto& key : fresh_) picks.push_back(made_.at(key));
  TRY(app_->store.put_pick_many(recipe_, picks));
  fresh_.clear();
  return {};
}

}  // namespace sluice::service
