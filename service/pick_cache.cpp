// SPDX-License-Identifier: Apache-2.0
#include "service/pick_cache.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "core/hash.h"
#include "ingest/ingest.h"

namespace sluice::service {

namespace {

// One a core, all at once: with 256 a plan over 2,000 commits held 441 MB at its peak, with 128 362 MB.
constexpr int merges_a_process = 128;

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
  TRY_ASSIGN(git::Picker picker, git::Picker::open(*cache.scratch_, app.config.policy.paths, merges_a_process));
  cache.picker_ = std::make_unique<git::Picker>(std::move(picker));
  cache.recipe_ = recipe_of(app);
  return cache;
}

// Null when it has to be made. A clean result may be picked onto next, so its tree must be at hand; scratch
// objects of an earlier plan are gone.
const model::Pick* PickCache::known(const Key& key) {
  if (const auto found = made_.find(key); found != made_.end()) return &found->second;
  auto stored = app_->store.pick(recipe_, key.first, key.second);
  if (!stored.ok() || !*stored) return nullptr;
  if ((*stored)->status == model::PickStatus::clean && !scratch_->reader().has((*stored)->tree)) return nullptr;
  return &made_.emplace(key, std::move(**stored)).first->second;
}

model::Pick PickCache::pick_with(git::Picker& picker, const Oid& upstream, const Oid& onto) {
  const Key key{upstream, onto};
  {
    const std::lock_guard lock(*mutex_);
    if (const model::Pick* pick = known(key)) return *pick;
  }
  model::Pick made = picker.pick(upstream, onto);
  const std::lock_guard lock(*mutex_);
  const auto [at, added] = made_.emplace(key, std::move(made));
  if (added && at->second.status != model::PickStatus::error) fresh_.push_back(key);
  return at->second;
}

model::Pick PickCache::pick(const Oid& upstream, const Oid& onto) { return pick_with(*picker_, upstream, onto); }

Result<void> PickCache::in_parallel(std::size_t tasks, const char* step,
                                    const std::function<void(git::Picker&, std::size_t)>& work) {
  const std::size_t cores =
      app_->config.jobs > 0 ? static_cast<std::size_t>(app_->config.jobs) : std::thread::hardware_concurrency();
  const std::size_t workers = std::clamp<std::size_t>(cores, 1, std::max<std::size_t>(1, tasks));
  std::vector<std::optional<Error>> failures(workers);
  std::atomic<std::size_t> next{0};
  const auto run = [&](git::Picker& picker, std::size_t w) {
    for (std::size_t i = next.fetch_add(1); i < tasks; i = next.fetch_add(1)) {
      if (app_->cancelled()) return;
      work(picker, i);
      if (w == 0) app_->progress(step, static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(tasks));
    }
  };
  const std::string scratch_dir = scratch_->git_dir();
  {
    std::vector<std::jthread> threads;  // last: it ends before what its threads use
    for (std::size_t w = 1; w < workers; ++w) {
      threads.emplace_back([&, w] {
        // A repository handle of its own on the same scratch objects: one thread, one handle.
        auto repo = git::Repo::open(scratch_dir);
        if (!repo.ok()) {
          failures[w] = repo.error();
          return;
        }
        auto picker = git::Picker::open(*repo, app_->config.policy.paths, merges_a_process);
        if (!picker.ok()) {
          failures[w] = picker.error();
          return;
        }
        run(*picker, w);
      });
    }
    run(*picker_, 0);
  }
  for (const auto& failure : failures) {
    if (failure) return *failure;
  }
  if (app_->cancelled()) return make_error(ErrorKind::transient, "cancelled");
  return {};
}

Result<void> PickCache::prefetch(const std::vector<Oid>& commits, const Oid& onto) {
  std::vector<Oid> todo;
  for (const Oid& commit : commits) {
    if (known({commit, onto}) == nullptr) todo.push_back(commit);
  }
  if (todo.empty()) return {};
  return in_parallel(todo.size(), "picking onto trunk",
                     [&](git::Picker& picker, std::size_t i) { pick_with(picker, todo[i], onto); });
}

Result<void> PickCache::fold_ahead(const std::vector<std::vector<Oid>>& folds, const Oid& onto) {
  if (folds.size() < 2) return {};  // nothing to do side by side
  std::vector<std::size_t> longest_first(folds.size());
  std::iota(longest_first.begin(), longest_first.end(), std::size_t{0});
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](std::size_t a, std::size_t b) { return folds[a].size() > folds[b].size(); });
  return in_parallel(folds.size(), "folding chains", [&](git::Picker& picker, std::size_t i) {
    Oid tree = onto;
    for (const Oid& member : folds[longest_first[i]]) {
      if (app_->cancelled()) return;
      const model::Pick pick = pick_with(picker, member, tree);
      if (pick.status == model::PickStatus::clean) tree = pick.tree;
    }
  });
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
