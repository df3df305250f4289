// SPDX-License-Identifier: Apache-2.0
#include "service/backtest/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "core/hash.h"

namespace sluice::service::backtest {

namespace {

// The layout of kept results, and whatever compares and checks answers.
constexpr int kept_version = 1;

bool cancelled(const Spread& how) { return how.cancel != nullptr && how.cancel->load(); }

}  // namespace

std::size_t Spread::threads_for(std::size_t n) const {
  const std::size_t cores = jobs > 0 ? static_cast<std::size_t>(jobs) : std::max(1u, std::thread::hardware_concurrency());
  return std::min(cores, n);
}

Result<void> spread(std::size_t n, const Spread& how, const std::function<Result<void>(std::size_t, std::size_t)>& work,
                    const std::function<void(std::size_t)>& tick) {
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<Error> failure;
  std::atomic<std::size_t> next{0}, done{0};
  std::atomic<bool> stop{false};
  std::size_t working = how.threads_for(n);
  const auto loop = [&](std::size_t thread) {
    for (std::size_t i = next.fetch_add(1); i < n && !stop; i = next.fetch_add(1)) {
      const auto result = work(i, thread);
      if (result.ok()) {
        ++done;
        continue;
      }
      const std::lock_guard lock(mutex);
      if (!failure) failure = result.error();
      stop = true;
    }
    const std::lock_guard lock(mutex);
    --working;
    ended.notify_one();
  };
  {
    std::vector<std::jthread> threads;  // last: it ends before what its threads use
    for (std::size_t k = 0, many = working; k < many; ++k) threads.emplace_back(loop, k);
    std::unique_lock lock(mutex);
    while (working > 0) {
      ended.wait_for(lock, std::chrono::milliseconds(200), [&] { return working == 0; });
      if (cancelled(how)) stop = true;
      lock.unlock();
      if (tick) tick(done.load());
      lock.lock();
    }
  }
  if (failure) return *failure;
  if (done < n) return make_error(ErrorKind::transient, "cancelled");
  return {};
}

std::string context_of(const Ladder& ladder, const Baselines* baselines) {
  return core::sha256_hex(fmt::format("{} {} / {}", kept_version, ladder.version(), baselines == nullptr ? "no baselines" : baselines->version())).substr(0, 16);
}

std::string key_of(const std::string& context, const Case& one) {
  core::Sha256 sha;
  for (const std::string* text : {&one.id, &one.path, &one.repo, &one.landed, &one.upstream, &one.lang, &one.klass, &one.before, &one.after, &one.base, &one.ours,
                                  &one.theirs, &one.resolved}) {
    sha.add(fmt::format("{}:", text->size()));
    sha.add(*text);
  }
  return fmt::format("case-{}-{}", context, sha.hex().substr(0, 24));
}

Result<std::vector<CaseResult>> run_cases(const std::vector<Case>& cases, const Bench& bench, std::int64_t& taken,
                                          const std::function<void(std::size_t)>& tick) {
  std::vector<CaseResult> out(cases.size());
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const core::Json* kept = bench.kept->find(key_of(bench.context, cases[i]));
    auto known = kept == nullptr ? Result<CaseResult>(make_error(ErrorKind::not_found, "")) : parse_case_result(*kept);
    if (known.ok())
      out[i] = std::move(*known);
    else
      todo.push_back(i);
  }
  const std::size_t before = cases.size() - todo.size();
  taken += static_cast<std::int64_t>(before);
  std::mutex keeping;
  const auto work = [&](std::size_t k, std::size_t) -> Result<void> {
    const Case& one = cases[todo[k]];
    TRY_ASSIGN(const Climbed climbed, climb(bench.ladder, one));
    CaseResult result = result_of(one, climbed);
    if (bench.baselines != nullptr) {
      TRY_ASSIGN(result.baselines, bench.baselines->ask(one));
    }
    const std::lock_guard lock(keeping);
    TRY(bench.kept->add(key_of(bench.context, one), to_json(result)));
    out[todo[k]] = std::move(result);
    return {};
  };
  TRY(spread(todo.size(), bench.spread, work, [&](std::size_t done) {
    if (tick) tick(before + done);
  }));
  return out;
}

}  // namespace sluice::service::backtest
