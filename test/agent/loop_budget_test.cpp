// SPDX-License-Identifier: Apache-2.0
// Caps in tokens and money, over threads and restarts.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "agent/loop/loop.h"
#include "core/file.h"
#include "store/store.h"
#include "test/agent/loop_world.h"

namespace sluice::agent::testing {
namespace {

class BudgetTest : public ::testing::Test {
 protected:
  std::unique_ptr<Budget> budget(const model::BudgetConfig& caps, const model::EndpointConfig& e = endpoint()) {
    return must(Budget::open(caps, e, *book_, clock_));
  }
  core::TempDir dir_ = must(core::TempDir::create("budget-test"));
  store::Store store_ = must(store::Store::open(dir_.path()));
  std::unique_ptr<store::AgentStore> book_ = must(store::AgentStore::open(dir_.path()));
  core::FakeClock clock_{1'800'000'000};
};

const Account account{"run1", "c-1", "2026-11-30", "fork"};

TEST_F(BudgetTest, AKnownUsageIsPricedByClass) {
  auto e = endpoint();
  e.price_cache_read = 300'000;
  e.price_cache_write = 3'750'000;
  const auto b = budget({}, e);
  Usage usage{.input = 1000, .cache_read = 10'000, .cache_write = 2000, .output = 100, .known = true};
  EXPECT_EQ(b->price(usage), 3000 + 3000 + 7500 + 1500);
  const auto r = must(b->reserve(account, 20'000, 4096));
  EXPECT_EQ(r.tokens, 24'096);
  EXPECT_EQ(r.money, 20'000 * 375 / 100 + 4096 * 15);  // as if all of it were written to the cache
  must(b->settle(r, usage));
  for (const auto& [kind, key] : {std::pair{"run", "run1"}, {"unit", "c-1"}, {"night", "2026-11-30"}, {"fork", "fork"}}) {
    EXPECT_EQ(must(book_->spent(kind, key)).tokens, 13'100) << kind;
    EXPECT_EQ(must(book_->spent(kind, key)).money, 15'000) << kind;
  }
}

TEST_F(BudgetTest, ACacheWithoutAPriceCostsNoLessThanReadingAfresh) {
  const auto b = budget({});
  EXPECT_EQ(b->price({.input = 0, .cache_read = 1'000'000, .cache_write = 0, .output = 0, .known = true}), 3'000'000);
  EXPECT_EQ(b->price({.input = 0, .cache_read = 0, .cache_write = 1'000'000, .output = 0, .known = true}), 3'750'000);
}

TEST_F(BudgetTest, APartOfAMillionthIsChargedAndNoProductOverflows) {
  auto e = endpoint();
  e.price_input = 1;
  e.price_output = 0;
  EXPECT_EQ(budget({}, e)->price({.input = 1, .known = true}), 1);
  e.price_input = INT64_MAX;
  EXPECT_GT(budget({}, e)->price({.input = INT64_MAX / 2, .known = true}), 0);
}

TEST_F(BudgetTest, AnUnknownUsageIsChargedInFull) {
  const auto b = budget({});
  const auto r = must(b->reserve(account, 1000, 4096));
  must(b->settle(r, Usage{}));
  EXPECT_EQ(must(book_->spent("run", "run1")).tokens, 5096);
  const auto r2 = must(b->reserve(account, 1000, 4096));
  must(b->settle(r2, {.input = 9000, .known = false}));  // two attempts, and one of them said nothing
  EXPECT_EQ(must(book_->spent("run", "run1")).tokens, 5096 + 9000);
}

TEST_F(BudgetTest, ADenialNamesItsScopeAndReservesNothing) {
  model::BudgetConfig caps;
  caps.call.tokens = 10'000;
  caps.unit.tokens = 20'000;
  const auto b = budget(caps);
  auto denied = b->reserve(account, 6000, 4096);
  ASSERT_FALSE(denied.ok());
  EXPECT_EQ(denied.error().kind, ErrorKind::denied);
  EXPECT_TRUE(denied.error().message.starts_with("budget:call allows 10000 tokens")) << denied.error().message;
  must(b->reserve(account, 5904, 4096));
  must(b->reserve(account, 5904, 4096));
  denied = b->reserve(account, 1, 1);
  ASSERT_FALSE(denied.ok());
  EXPECT_TRUE(denied.error().message.starts_with("budget:unit c-1 has 20000 of its 20000 tokens")) << denied.error().message;
  must(b->reserve({"run2", "c-2", "2026-11-30", "fork"}, 1, 1));  // another unit has its own
}

TEST_F(BudgetTest, ACapBelowOneCallIsAnErrorOfTheConfiguration) {
  model::BudgetConfig caps;
  caps.night.tokens = 8095;  // 4,000 and 4,096
  auto open = Budget::open(caps, endpoint(), *book_, clock_);
  ASSERT_FALSE(open.ok());
  EXPECT_EQ(open.error().kind, ErrorKind::invalid);
  EXPECT_NE(open.error().message.find("[budget] night = 8095 tokens"), std::string::npos) << open.error().message;
  caps.night.tokens = 8096;
  EXPECT_TRUE(Budget::open(caps, endpoint(), *book_, clock_).ok());
  caps.run.money = 70'000;
  open = Budget::open(caps, endpoint(), *book_, clock_);
  ASSERT_FALSE(open.ok());
  EXPECT_NE(open.error().message.find("run = 0.070000 USD"), std::string::npos) << open.error().message;
  caps.run.money = 80'000;
  EXPECT_TRUE(Budget::open(caps, endpoint(), *book_, clock_).ok());
}

TEST_F(BudgetTest, ACapInMoneyNeedsPrices) {
  model::BudgetConfig caps;
  caps.fork.money = 1'000'000'000;
  auto e = endpoint();
  e.price_output = -1;
  const auto open = Budget::open(caps, e, *book_, clock_);
  ASSERT_FALSE(open.ok());
  EXPECT_NE(open.error().message.find("endpoint 'test' has no price"), std::string::npos) << open.error().message;
  caps.fork = {.money = 0, .tokens = 1'000'000};
  EXPECT_TRUE(Budget::open(caps, e, *book_, clock_).ok());
}

// Reservations are never beyond a cap; what is settled may be, by what one call used more than was reserved for it.
TEST_F(BudgetTest, ConcurrentRunsExceedACapByNoMoreThanOneCall) {
  model::BudgetConfig caps;
  caps.night.tokens = 100'000;
  const auto one = budget(caps);
  const auto other_book = must(store::AgentStore::open(dir_.path()));
  const auto other = must(Budget::open(caps, endpoint(), *other_book, clock_));
  std::atomic<int> calls = 0, failures = 0;
  std::vector<std::thread> runs;
  for (int i = 0; i < 4; ++i)
    runs.emplace_back([&, i] {
      Budget& mine = i % 2 == 0 ? *one : *other;
      for (int n = 0; n < 20; ++n) {
        const auto r = mine.reserve({"run" + std::to_string(i), "", "2026-11-30", ""}, 2904, 4096);
        if (!r.ok()) {
          if (r.error().kind != ErrorKind::denied) ++failures;
          continue;
        }
        ++calls;
        if (!mine.settle(*r, {.input = 2904, .output = 4096, .known = true}).ok()) ++failures;
      }
    });
  for (auto& run : runs) run.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(calls, 14);  // of 7,000 each
  EXPECT_EQ(must(book_->spent("night", "2026-11-30")).tokens, 98'000);
}

}  // namespace
}  // namespace sluice::agent::testing
