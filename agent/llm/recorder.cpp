// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/cassette.h"
#include "core/log.h"

namespace sluice::agent {
namespace {

class Recorder final : public Provider {
 public:
  Recorder(std::unique_ptr<Provider> inner, std::string dir) : inner_(std::move(inner)), dir_(std::move(dir)) {}

  LlmOutcome call(const LlmRequest& request, const CallLimits& limits, const CallObserver& observer) override {
    CallObserver listening = observer;
    std::string body;
    listening.request = [&](std::string_view sent) {
      body = sent;
      if (observer.request) observer.request(sent);
    };
    listening.wire = [&](const WireAnswer& answer) {
      // The answer is paid for: a recording that fails does not take it away.
      const auto written = write_cassette(dir_, endpoint(), body, answer);
      if (!written.ok()) core::log_error("an exchange with the model is missing from the recording: " + written.error().message);
      if (observer.wire) observer.wire(answer);
    };
    return inner_->call(request, limits, listening);
  }
  std::string render(const LlmRequest& request) const override { return inner_->render(request); }
  const model::EndpointConfig& endpoint() const override { return inner_->endpoint(); }

 private:
  std::unique_ptr<Provider> inner_;
  std::string dir_;
};

}  // namespace

Result<std::unique_ptr<Provider>> make_recorder(std::unique_ptr<Provider> inner, const std::string& dir) {
  TRY(write_endpoint(dir, inner->endpoint()));
  return std::unique_ptr<Provider>(std::make_unique<Recorder>(std::move(inner), dir));
}

}  // namespace sluice::agent
