// SPDX-License-Identifier: Apache-2.0
#include "service/calibrate/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "service/calibrate/judge.h"

namespace sluice::service::calibrate {

namespace {

// Neighbours in time have nearly every file in common: a thread takes some of them in a row.
constexpr std::size_t rows_a_turn = 8;

// What threads hand over to the one that started them.
struct Desk {
  std::mutex mutex;
  std::condition_variable filled;
  std::vector<std::pair<std::size_t, RowResult>> done;  // index into the rows
  std::size_t working = 0;                              // threads
  std::optional<Error> failure;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
};

void work(const std::string& scratch_dir, const std::vector<Row>& rows, const std::vector<std::size_t>& todo, const model::PolicyConfig& policy,
          const guardrails::RuleFilter& filter, Desk& desk) {
  auto judge = RowJudge::open(scratch_dir, policy, filter);
  if (judge.ok()) {
    for (std::size_t begin = desk.next.fetch_add(rows_a_turn); begin < todo.size() && !desk.stop; begin = desk.next.fetch_add(rows_a_turn)) {
      for (std::size_t i = begin; i < std::min(begin + rows_a_turn, todo.size()) && !desk.stop; ++i) {
        RowResult result = judge->judge(rows[todo[i]]);
        const std::lock_guard lock(desk.mutex);
        desk.done.emplace_back(todo[i], std::move(result));
        desk.filled.notify_one();
      }
    }
  }
  const std::lock_guard lock(desk.mutex);
  if (!judge.ok() && !desk.failure) desk.failure = judge.error();
  --desk.working;
  desk.filled.notify_one();
}

}  // namespace

Result<RunOutcome> judge_rows(const git::Repo& scratch, const std::vector<Row>& rows, const model::PolicyConfig& policy,
                              const guardrails::RuleFilter& filter, Kept& kept, const RunOptions& options) {
  RunOutcome out;
  out.results.resize(rows.size());
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (auto known = kept.find(rows[i])) {
      out.results[i] = std::move(*known);
    } else {
      todo.push_back(i);
    }
  }
  out.kept = static_cast<std::int64_t>(rows.size() - todo.size());
  const std::size_t cores = options.jobs > 0 ? static_cast<std::size_t>(options.jobs) : std::max(1u, std::thread::hardware_concurrency());
  Desk desk;
  desk.working = std::min(cores, (todo.size() + rows_a_turn - 1) / rows_a_turn);
  const std::string dir = scratch.git_dir();
  std::optional<Error> failure;
  std::size_t judged = 0;
  const auto cancelled = [&] { return options.cancel != nullptr && options.cancel->load(); };
  const auto say = [&] {
    if (options.progress) options.progress("judging landed picks", static_cast<std::int64_t>(rows.size() - todo.size() + judged), static_cast<std::int64_t>(rows.size()));
  };
  {
    std::vector<std::jthread> threads;  // last: it ends before what its threads use
    for (std::size_t i = 0; i < desk.working; ++i) {
      threads.emplace_back([&] { work(dir, rows, todo, policy, filter, desk); });
    }
    for (bool more = !threads.empty(); more;) {
      std::vector<std::pair<std::size_t, RowResult>> done;
      {
        std::unique_lock lock(desk.mutex);
        desk.filled.wait_for(lock, std::chrono::milliseconds(200), [&] { return !desk.done.empty() || desk.working == 0; });
        done.swap(desk.done);
        more = desk.working > 0 || !done.empty();
      }
      for (auto& [index, result] : done) {
        if (!failure) {
          if (auto added = kept.add(rows[index], result); !added.ok()) failure = added.error();
        }
        out.results[index] = std::move(result);
        ++judged;
      }
      if (cancelled() || failure) desk.stop = true;
      say();
    }
  }
  if (failure) return *failure;
  if (desk.failure) return *desk.failure;
  if (judged < todo.size()) {
    return make_error(ErrorKind::transient, fmt::format("cancelled after {} of {} landed commits; {}", rows.size() - todo.size() + judged, rows.size(),
                                                        kept.path().empty() ? "nothing is kept without a store or --out-dir"
                                                                            : fmt::format("the next run goes on from what {} holds", kept.path())));
  }
  return out;
}

}  // namespace sluice::service::calibrate
