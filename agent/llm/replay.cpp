// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <mutex>

#include "agent/llm/cassette.h"
#include "agent/llm/wire_provider.h"

namespace sluice::agent {
namespace {

class Replay final : public WireProvider {
 public:
  Replay(model::EndpointConfig config, std::vector<Cassette> cassettes, Replaying how)
      : WireProvider(std::move(config), {.limiter = nullptr, .breakers = nullptr, .clock = nullptr, .backoff_unit_ms = 0}),
        cassettes_(std::move(cassettes)),
        how_(how) {
    for (std::size_t i = 0; i < cassettes_.size(); ++i) by_key_[cassettes_[i].key].push_back(i);
  }

 private:
  WireAnswer exchange(const std::string& body, const CallLimits&, const std::function<void(std::string_view)>& sink) override {
    const std::lock_guard lock(mutex_);
    WireAnswer miss;
    miss.trouble = "recording";
    const Cassette* found = how_ == Replaying::by_request ? any(body, miss.trouble_detail) : next(body, miss.trouble_detail);
    if (found == nullptr) return miss;
    for (const std::string& chunk : found->answer.chunks) sink(chunk);
    return found->answer;
  }

  const Cassette* next(const std::string& body, std::string& why) {
    if (next_ >= cassettes_.size()) {
      why = fmt::format("the recording ends after {} exchanges, and request {} was made", cassettes_.size(), next_ + 1);
      return nullptr;
    }
    const Cassette& cassette = cassettes_[next_];
    if (how_ == Replaying::strict && cassette.key != cassette_key(endpoint(), body)) {
      const auto asked = core::Json::parse(body);
      const std::string where = asked.ok() ? first_difference(cassette.request, *asked) : "";
      why = fmt::format("request {} differs from recording {} at {}", next_ + 1, cassette.file, where.empty() ? "/" : where);
      return nullptr;
    }
    ++next_;
    return &cassette;
  }

  // Those of one key one after the other, the last of them again and again.
  const Cassette* any(const std::string& body, std::string& why) {
    const std::string key = cassette_key(endpoint(), body);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) {
      why = fmt::format("no recording has this request (key {})", key);
      return nullptr;
    }
    const std::size_t turn = std::min(used_[key]++, found->second.size() - 1);
    return &cassettes_[found->second[turn]];
  }

  std::mutex mutex_;
  std::vector<Cassette> cassettes_;
  Replaying how_;
  std::size_t next_ = 0;
  std::map<std::string, std::vector<std::size_t>> by_key_;
  std::map<std::string, std::size_t> used_;
};

}  // namespace

Result<std::unique_ptr<Provider>> make_replay(const std::string& dir, Replaying how) {
  TRY_ASSIGN(model::EndpointConfig endpoint, read_endpoint(dir));
  TRY_ASSIGN(std::vector<Cassette> cassettes, read_cassettes(dir, endpoint));
  return std::unique_ptr<Provider>(std::make_unique<Replay>(std::move(endpoint), std::move(cassettes), how));
}

}  // namespace sluice::agent
