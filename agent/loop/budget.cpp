// SPDX-License-Identifier: Apache-2.0
// Caps in tokens and money, per call, run, unit, night and fork.
#include <fmt/format.h>

#include <algorithm>

#include "agent/loop/loop.h"

namespace sluice::agent {
namespace {

// System text, tools and the smallest of briefings: below this no call is made at all.
constexpr std::int64_t least_prompt_tokens = 4'000;

struct Named {
  const char* name;
  const model::BudgetCap* cap;
};

// A part of a millionth is charged as a whole. Both factors come from outside: no product may overflow.
std::int64_t cost(std::int64_t tokens, std::int64_t price_of_a_million) {
  constexpr std::int64_t million = 1'000'000, most_of_both = million * million;
  if (price_of_a_million <= 0 || tokens <= 0) return 0;
  tokens = std::min(tokens, most_of_both);
  price_of_a_million = std::min(price_of_a_million, most_of_both);
  return tokens / million * price_of_a_million + (tokens % million * price_of_a_million + million - 1) / million;
}

// Writing to a cache costs a quarter more than reading afresh where the endpoint's prices do not say; reading from one
// is priced as reading afresh: too much rather than too little.
std::int64_t write_price(const model::EndpointConfig& e) {
  return e.price_cache_write >= 0 ? e.price_cache_write : e.price_input + e.price_input / 4;
}
std::int64_t read_price(const model::EndpointConfig& e) { return e.price_cache_read >= 0 ? e.price_cache_read : e.price_input; }

bool priced(const model::EndpointConfig& e) { return e.price_input >= 0 && e.price_output >= 0; }

// The most that a call of this size can cost.
std::int64_t most(const model::EndpointConfig& e, std::int64_t input, std::int64_t output) {
  if (!priced(e)) return 0;
  return cost(input, std::max(e.price_input, write_price(e))) + cost(output, e.price_output);
}

std::string units(std::int64_t micros) { return fmt::format("{}.{:06}", micros / 1'000'000, micros % 1'000'000); }

}  // namespace

Budget::Budget(const model::BudgetConfig& caps, const model::EndpointConfig& endpoint, store::SpendBook& book, const core::Clock& clock)
    : caps_(caps), endpoint_(endpoint), book_(&book), clock_(&clock) {}

Result<std::unique_ptr<Budget>> Budget::open(const model::BudgetConfig& caps, const model::EndpointConfig& endpoint,
                                             store::SpendBook& book, const core::Clock& clock) {
  const std::int64_t tokens = least_prompt_tokens + endpoint.max_output_tokens;
  const std::int64_t money = most(endpoint, least_prompt_tokens, endpoint.max_output_tokens);
  for (const auto& [name, cap] : {Named{"call", &caps.call}, Named{"run", &caps.run}, Named{"unit", &caps.unit},
                                  Named{"night", &caps.night}, Named{"fork", &caps.fork}}) {
    if (cap->tokens > 0 && cap->tokens < tokens)
      return make_error(ErrorKind::invalid,
                        fmt::format("[budget] {} = {} tokens is less than one call may need ({} with max_output_tokens = {}); "
                                    "raise it or lower max_output_tokens",
                                    name, cap->tokens, tokens, endpoint.max_output_tokens));
    if (cap->money <= 0) continue;
    if (!priced(endpoint))
      return make_error(ErrorKind::invalid, fmt::format("[budget] {} is a cap in {}, but endpoint '{}' has no price; set price = "
                                                        "{{ input = ..., output = ... }} or write the cap in tokens",
                                                        name, caps.currency, endpoint.name));
    if (cap->money < money)
      return make_error(ErrorKind::invalid,
                        fmt::format("[budget] {} = {} {} is less than one call may cost ({} with max_output_tokens = {}); raise it "
                                    "or lower max_output_tokens",
                                    name, units(cap->money), caps.currency, units(money), endpoint.max_output_tokens));
  }
  return std::unique_ptr<Budget>(new Budget(caps, endpoint, book, clock));
}

Result<Reservation> Budget::reserve(const Account& account, std::int64_t input_tokens, std::int64_t output_tokens) {
  Reservation out;
  out.tokens = std::max<std::int64_t>(input_tokens, 0) + std::max<std::int64_t>(output_tokens, 0);
  out.money = most(endpoint_, input_tokens, output_tokens);
  if (caps_.call.tokens > 0 && out.tokens > caps_.call.tokens)
    return make_error(ErrorKind::denied, fmt::format("budget:call allows {} tokens, and this call may need {}; raise [budget] call or "
                                                     "answer this conflict by hand",
                                                     caps_.call.tokens, out.tokens));
  if (caps_.call.money > 0 && out.money > caps_.call.money)
    return make_error(ErrorKind::denied, fmt::format("budget:call allows {} {}, and this call may cost {}; raise [budget] call or "
                                                     "answer this conflict by hand",
                                                     units(caps_.call.money), caps_.currency, units(out.money)));
  std::vector<store::SpendScope> scopes;
  const auto add = [&](const char* kind, const std::string& key, const model::BudgetCap& cap) {
    if (!key.empty()) scopes.push_back({kind, key, cap.tokens, cap.money});
  };
  add("run", account.run, caps_.run);
  add("unit", account.unit, caps_.unit);
  add("night", account.night, caps_.night);
  add("fork", account.fork, caps_.fork);
  const std::lock_guard lock(mutex_);
  TRY_ASSIGN(out.id, book_->reserve(scopes, out.tokens, out.money, clock_->now()));
  return out;
}

// An unknown usage is never a reason to charge less than was reserved; several attempts may have used more.
Result<void> Budget::settle(const Reservation& reservation, const Usage& usage) {
  std::int64_t tokens = usage.all_input() + usage.output, money = price(usage);
  if (!usage.known) {
    tokens = std::max(tokens, reservation.tokens);
    money = std::max(money, reservation.money);
  }
  const std::lock_guard lock(mutex_);
  return book_->settle(reservation.id, tokens, money);
}

std::int64_t Budget::price(const Usage& usage) const {
  if (!priced(endpoint_)) return 0;
  return cost(usage.input, endpoint_.price_input) + cost(usage.cache_read, read_price(endpoint_)) +
         cost(usage.cache_write, write_price(endpoint_)) + cost(usage.output, endpoint_.price_output);
}

}  // namespace sluice::agent
